//! What is said after a run.

use serde_json::{Map, Value, json};
use veilset::registry::{Operation, Outcome};
use veilset::{Done, Input, PhaseCost, Report};

use crate::args::Talk;
use crate::error::Failure;
use crate::operation::phases;
use crate::order::Order;
use crate::progress::say;
use crate::units::{show_bytes, show_duration};

/// Prints the result of a run: JSON, or the numbers on standard output and a summary beside them.
pub(crate) fn print(
    done: &Done,
    input: &Input,
    order: &Order<'_>,
    talk: &Talk,
) -> Result<(), Failure> {
    let report = &done.report;
    if order.party.meet.json {
        print_line!("{}", object(done, input))?;
    } else {
        numbers(done, input)?;
    }
    say(talk, &outcome(done, input, order.out.and_then(|out| out.output.as_deref())));
    phases(&report.phases, talk);
    say(talk, &cost(report));
    Ok(())
}

/// The numbers that are the whole result of an operation.
fn numbers(done: &Done, input: &Input) -> Result<(), Failure> {
    let count = done.report.count();
    match (done.report.operation, count) {
        (Operation::Count, Some(count)) => print_line!("{count}")?,
        (Operation::Sum, Some(count)) => {
            print_line!("count\t{count}")?;
            for (column, sum) in done.sums(input).into_iter().flatten() {
                print_line!("{column}\t{sum}")?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The list in a sentence.
pub(crate) fn summary(input: &Input) -> String {
    let (empty, invalid) = input.skipped();
    let mut text = format!("{} rows, {} distinct keys", input.rows(), input.distinct());
    if empty > 0 {
        text.push_str(&format!(", {empty} rows without a key (they never match)"));
    }
    if invalid > 0 {
        text.push_str(&format!(", {invalid} rows with an unreadable key (they never match)"));
    }
    text
}

fn outcome(done: &Done, input: &Input, output: Option<&str>) -> String {
    let report = &done.report;
    let place = output.filter(|output| *output != "-");
    let written = place.map_or(String::new(), |place| format!("; written to {place}"));
    let distinct = report.distinct;
    let matches = |count: u64| format!("{count} of your {distinct} keys match");
    match (&report.outcome, report.count()) {
        (Outcome::Nothing, _) => {
            "done; the peer has the result, you were not to learn it".to_owned()
        }
        (Outcome::Shares(shares), _) => {
            format!("shares of {} places{written}", shares.words.len() / shares.columns)
        }
        (Outcome::Lacking { .. }, Some(count)) => format!(
            "{} rows came from the peer; {}{written}",
            done.received().unwrap_or_default(),
            matches(count)
        ),
        (Outcome::Identifiers { .. }, Some(count)) => format!(
            "{} identifiers that only the peer has; {}{written}",
            done.received().unwrap_or_default(),
            matches(count)
        ),
        (Outcome::Matched(_), Some(count)) => {
            let rows = done.rows(input).map_or(0, Iterator::count);
            format!("{}, in {rows} rows{written}", matches(count))
        }
        (_, count) => matches(count.unwrap_or_default()),
    }
}

/// What a run took, in a sentence.
pub(crate) fn cost(report: &Report) -> String {
    format!(
        "{} in {}, {} sent, {} received, {} rounds",
        report.protocol,
        show_duration(report.time()),
        show_bytes(report.wire.sent as f64),
        show_bytes(report.wire.received as f64),
        report.rounds,
    )
}

/// The object that `--json` prints.
pub(crate) fn object(done: &Done, input: &Input) -> Value {
    object_with(done, input, result(done, input).into())
}

/// The same with a result that this module knows nothing of.
pub(crate) fn object_with(done: &Done, input: &Input, result: Value) -> Value {
    let report = &done.report;
    let (empty, invalid) = input.skipped();
    json!({
        "operation": report.operation.name(),
        "protocol": report.protocol,
        "group": report.params.group_name(),
        "digest": report.params.digest.name(),
        "role": report.role.name(),
        "rows": input.rows(),
        "distinct": report.distinct,
        "empty": empty,
        "invalid": invalid,
        "peer_distinct": report.peer_distinct,
        "learned": report.learned,
        "result": result,
        "bytes_sent": report.wire.sent,
        "bytes_received": report.wire.received,
        "rounds": report.rounds,
        "seconds": seconds(&report.phases),
        "threads": report.threads,
    })
}

/// The result's numbers: `count` is the size of the set that the operation is about.
fn result(done: &Done, input: &Input) -> Map<String, Value> {
    let report = &done.report;
    let count = report.count();
    let mut result = Map::new();
    let mut insert = |name: &str, value: Value| drop(result.insert(name.to_owned(), value));
    match report.operation {
        Operation::Union | Operation::Align => {
            let union = count.map(|count| report.distinct + report.peer_distinct - count);
            insert("count", json!(union));
            insert("matches", json!(count));
            insert("received", json!(done.received()));
        }
        Operation::Share => {
            if let Outcome::Shares(shares) = &report.outcome {
                insert("places", json!(shares.words.len() / shares.columns));
                insert("shares", json!(shares.sharing.name()));
            }
        }
        Operation::Intersect => {
            insert("count", json!(count));
            insert("rows", json!(done.rows(input).map(Iterator::count)));
        }
        Operation::Sum => {
            insert("count", json!(count));
            let sums = done.sums(input);
            let sums = sums
                .map(|sums| sums.into_iter().map(|(k, v)| (k, v.into())).collect::<Map<_, _>>());
            insert("sum", json!(sums));
        }
        Operation::Count => insert("count", json!(count)),
        Operation::Agree => insert("row", json!(done.agreed(input).flatten())),
    }
    result
}

/// Seconds by phase; phases of one name add up.
pub(crate) fn seconds(phases: &[PhaseCost]) -> Map<String, Value> {
    let mut seconds = Map::new();
    for phase in phases {
        let before = seconds.get(phase.name).and_then(Value::as_f64).unwrap_or_default();
        seconds.insert(phase.name.to_owned(), json!(before + phase.time.as_secs_f64()));
    }
    seconds
}
