//! `veilset plan`: the price of a run.

use comfy_table::{Table, presets};
use serde_json::{Value, json};
use veilset::Learn;
use veilset::planner::{Calibration, Estimate, plan};
use veilset::registry::{Reveal, Role, Shape};

use crate::args::PlanArgs;
use crate::error::Failure;
use crate::operation::all_cores;
use crate::units::{show_bytes, show_duration};

/// Prices every protocol that fits; the first is what `--protocol auto` takes.
pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let learn = Learn::from(args.learn);
    let role = if learn.includes_me() { Role::Receiver } else { Role::Sender };
    let reveal = if learn == Learn::Both { Reveal::Both } else { Reveal::Receiver };
    let (sender, receiver) = match role {
        Role::Receiver => (args.peer_rows, args.rows),
        Role::Sender => (args.rows, args.peer_rows),
    };
    let shape = Shape { sender, receiver, reveal };
    let threads = args.threads.unwrap_or_else(all_cores);
    let machine = Calibration::measure().map_err(veilset::Error::from)?;
    let link = args.link.unwrap_or_default();
    let plans = plan(args.operation, args.security.into(), shape, &machine, link, threads);
    if plans.is_empty() {
        let security = veilset::registry::Security::from(args.security);
        let (operation, security) = (args.operation, security);
        return Err(Failure::Flags(format!(
            "no protocol computes {operation} with {security} security; see: veilset protocols"
        )));
    }
    if let Some(most) = plans.iter().map(|plan| plan.spec.max_elements).max()
        && sender.max(receiver) > most
    {
        return Err(Failure::Flags(format!("no protocol takes sets of more than {most} keys")));
    }
    if args.json {
        let plans: Vec<Value> = plans.iter().map(|plan| object(plan, role, learn)).collect();
        print_line!(
            "{}",
            json!({ "operation": args.operation.name(), "threads": threads, "plans": plans })
        )?;
        return Ok(());
    }
    print_line!("{}", table(&plans, role))?;
    print_line!("{}", plans[0].learned(learn, "The peer"))?;
    print_line!("{threads} threads a side, this machine's measured speed on both sides")?;
    Ok(())
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
            plan.spec.id.to_owned(),
            plan.spec.security.to_string(),
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

fn object(plan: &Estimate, role: Role, learn: Learn) -> Value {
    let (mine, theirs) = sides(plan, role);
    json!({
        "protocol": plan.spec.id,
        "security": plan.spec.security.name(),
        "seconds": plan.time.as_secs_f64(),
        "computing_seconds": plan.computing.as_secs_f64(),
        "bytes_sent": mine as u64,
        "bytes_received": theirs as u64,
        "rounds": plan.cost.rounds,
        "memory": plan.memory,
        "learned": plan.learned(learn, "The peer"),
        "leaks": plan.spec.leaks,
    })
}
