//! `veilset plan`: the price of a run.

pub(crate) mod args;
mod cluster;
mod meeting;

use comfy_table::Table;
use veilset::Learn;
use veilset::json;
use veilset::planner::{PlannedRun, Prices, Wanted};
use veilset::registry::{Operation, Over, Reveal, Security};

use self::args::PlanArgs;
use crate::args::Talk;
use crate::device;
use crate::error::Failure;
use crate::layout::{self, width_of_output, wrapped};
use crate::operation::all_cores;
use crate::units::{show_bytes, show_duration};

/// Prices every protocol that fits; the first is what `--protocol auto` takes.
pub(crate) fn run(args: &PlanArgs, talk: &Talk) -> Result<(), Failure> {
    device::choose(args.device, talk)?;
    if args.cluster.cluster {
        return cluster::run(args);
    }
    if let Some(parties) = args.parties {
        return meeting::run(args, parties);
    }
    if args.operation().spec().over == Over::SeveralLists {
        let operation = args.operation();
        return Err(Failure::Flags(format!(
            "{operation} is of three lists or more: give --parties"
        )));
    }
    let prices = planned(args).price().map_err(veilset::Error::from)?;
    if args.json {
        print_line!("{}", json::of_prices(&prices))?;
        return Ok(());
    }
    print_line!("{}", table(&prices))?;
    say_wrapped(&securities(&prices))?;
    if args.operation() == Operation::Lookup {
        say_wrapped(&later_lookups(&prices))?;
    }
    let [first, later @ ..] = prices.switches.as_slice() else { return Ok(()) };
    let later = later.iter().map(|(from, to)| format!(", from {from} keys a side {}", to.id));
    let later: String = later.collect();
    say_wrapped(&format!("auto, at equal sizes: {}{later}", first.1.id))?;
    say_wrapped(&prices.learned(&prices.plans[0]))?;
    let threads = prices.threads;
    let plural = if threads == 1 { "thread" } else { "threads" };
    print_line!("{threads} {plural} a side, this machine's measured speed on both sides")?;
    Ok(())
}

/// A sentence below the table, which may be longer than a line.
fn say_wrapped(text: &str) -> Result<(), Failure> {
    Ok(print_line!("{}", wrapped(text, width_of_output(), 2))?)
}

fn planned(args: &PlanArgs) -> PlannedRun {
    let default = match args.operation().spec().reveals {
        [Reveal::Receiver, ..] => Learn::Me,
        _ => Learn::Both,
    };
    PlannedRun {
        wanted: Wanted {
            choices: args.choices.0.of(args.operation()),
            ..Wanted::new(
                args.operation(),
                args.security.into(),
                args.learn.map_or(default, Learn::from),
            )
        },
        rows: args.rows.unwrap_or_default(),
        peer_rows: args.peer_rows.unwrap_or_default(),
        keys: args.keys,
        blind: args.blind,
        values: args.values,
        peer_values: args.peer_values,
        groups: args.groups.map(usize::from),
        lent_groups: args.lent_groups.map(usize::from),
        products: args.products,
        factor_bytes: args.factor_bytes.into(),
        row_bytes: args.row_bytes,
        link: args.link.unwrap_or_default(),
        threads: args.threads.unwrap_or_else(all_cores),
    }
}

/// What lookups take after the first, of each way.
fn later_lookups(prices: &Prices) -> String {
    let later = prices.plans.iter().map(|plan| {
        let (kept, (mine, theirs)) = (prices.kept(plan), prices.bytes(plan));
        let fetched = match kept > 0.0 {
            true => format!(" after {} that are fetched once", show_bytes(kept)),
            false => String::new(),
        };
        format!("{} moves {} a lookup{fetched}", plan.spec().id, show_bytes(mine + theirs - kept))
    });
    let later: Vec<String> = later.collect();
    format!("in one list: {}", later.join(", "))
}

fn table(prices: &Prices) -> Table {
    let mut table = layout::table(&[
        "protocol",
        "time",
        "computing",
        "you send",
        "peer sends",
        "rounds",
        "memory",
    ]);
    for plan in &prices.plans {
        let (mine, theirs) = prices.bytes(plan);
        table.add_row([
            plan.spec().id.to_owned(),
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

/// Which of them hold against whom.
fn securities(prices: &Prices) -> String {
    let of = |security: Security| {
        let ids = prices.plans.iter().map(|plan| plan.spec());
        let ids: Vec<&str> =
            ids.filter(|spec| spec.security == security).map(|spec| spec.id).collect();
        ids.join(", ")
    };
    let (semi_honest, malicious) = (of(Security::SemiHonest), of(Security::Malicious));
    match (semi_honest.as_str(), malicious.as_str()) {
        (_, "") => "all hold against parties that follow the protocol (semi-honest)".to_owned(),
        ("", _) => "all hold against parties that do anything (malicious)".to_owned(),
        _ => format!(
            "against parties that do anything (malicious): {malicious}; the others: semi-honest"
        ),
    }
}
