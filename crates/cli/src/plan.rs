//! `veilset plan`: the price of a run.

use comfy_table::{Table, presets};
use serde_json::{Value, json};
use veilset::Learn;
use veilset::planner::{Calibration, Estimate, Wanted, plan, switches};
use veilset::registry::{AttachedShape, Operation, Params, Reveal, Role, Shape, Spec};

use crate::args::PlanArgs;
use crate::error::Failure;
use crate::operation::all_cores;
use crate::units::{show_bytes, show_duration};

/// Prices every protocol that fits; the first is what `--protocol auto` takes.
pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let learn = Learn::from(args.learn);
    let wanted = Wanted {
        operation: args.operation,
        security: args.security.into(),
        learn,
        group: args.params.group,
        digest: args.params.digest,
        prime: args.params.prime,
    };
    wanted.check(None).map_err(veilset::Error::from)?;
    let part = part(args, learn);
    let threads = args.threads.unwrap_or_else(all_cores);
    let machine = Calibration::measure().map_err(veilset::Error::from)?;
    let (shape, link) = (shape(args, part), args.link.unwrap_or_default());
    let plans = plan(wanted, shape, &machine, link, threads);
    if let Some(most) = plans.iter().map(|plan| plan.spec().max_elements).max()
        && args.rows.max(args.peer_rows) > most
    {
        return Err(Failure::Flags(format!("no protocol takes sets of more than {most} keys")));
    }
    let switches = switches(wanted, shape, &machine, link, threads);
    if args.json {
        let plans: Vec<Value> = plans.iter().map(|plan| object(plan, part)).collect();
        print_line!(
            "{}",
            json!({
                "operation": args.operation.name(),
                "threads": threads,
                "plans": plans,
                "switches": switches.iter().map(switch).collect::<Vec<_>>(),
            })
        )?;
        return Ok(());
    }
    print_line!("{}", table(&plans, part.0))?;
    let [first, later @ ..] = switches.as_slice() else { return Ok(()) };
    let later = later.iter().map(|(from, to)| format!(", from {from} keys a side {}", to.id));
    print_line!("auto, at equal sizes: {}{}", first.1.id, later.collect::<String>())?;
    print_line!("{}", plans[0].learned(part.0, part.1, "The peer"))?;
    let plural = if threads == 1 { "thread" } else { "threads" };
    print_line!("{threads} {plural} a side, this machine's measured speed on both sides")?;
    Ok(())
}

fn switch((from, to): &(u64, &'static Spec)) -> Value {
    json!({ "from": from, "protocol": to.id })
}

/// This side's part: the owner of values sends them, and else whoever learns is the receiver.
fn part(args: &PlanArgs, learn: Learn) -> (Role, Reveal) {
    let owns = matches!(args.operation, Operation::Sum | Operation::Share);
    let role = if owns || !learn.includes_me() { Role::Sender } else { Role::Receiver };
    (role, learn.reveal())
}

fn shape(args: &PlanArgs, (role, reveal): (Role, Reveal)) -> Shape {
    let (sender, receiver) = match role {
        Role::Receiver => (args.peer_rows, args.rows),
        Role::Sender => (args.rows, args.peer_rows),
    };
    let (attached, returned) = match args.operation {
        Operation::Sum | Operation::Share => {
            (AttachedShape::Values { columns: args.values }, AttachedShape::Nothing)
        }
        Operation::Union => {
            let items = AttachedShape::Items { width: args.row_bytes };
            (items, items)
        }
        _ => (AttachedShape::Nothing, AttachedShape::Nothing),
    };
    Shape {
        sender,
        receiver,
        reveal,
        attached,
        returned,
        params: Params { scheme: args.scheme, ..Params::default() },
    }
}

fn sides(plan: &Estimate, role: Role) -> (f64, f64) {
    let (sender, receiver) = (plan.cost.sender.bytes_sent, plan.cost.receiver.bytes_sent);
    match role {
        Role::Sender => (sender, receiver),
        Role::Receiver => (receiver, sender),
    }
}

fn table(plans: &[Estimate], role: Role) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "protocol",
        "security",
        "time",
        "computing",
        "you send",
        "peer sends",
        "rounds",
        "memory",
    ]);
    for plan in plans {
        let (mine, theirs) = sides(plan, role);
        table.add_row([
            plan.spec().id.to_owned(),
            plan.spec().security.to_string(),
            show_duration(plan.time),
            show_duration(plan.computing),
            show_bytes(mine),
            show_bytes(theirs),
            plan.cost.rounds.to_string(),
            show_bytes(plan.memory as f64),
        ]);
    }
    table
}

fn object(plan: &Estimate, (role, reveal): (Role, Reveal)) -> Value {
    let (mine, theirs) = sides(plan, role);
    json!({
        "protocol": plan.spec().id,
        "security": plan.spec().security.name(),
        "group": plan.params.group_name(),
        "digest": plan.params.digest.name(),
        "seconds": plan.time.as_secs_f64(),
        "computing_seconds": plan.computing.as_secs_f64(),
        "bytes_sent": mine as u64,
        "bytes_received": theirs as u64,
        "rounds": plan.cost.rounds,
        "memory": plan.memory,
        "learned": plan.learned(role, reveal, "The peer"),
        "leaks": plan.spec().leaks,
    })
}
