//! What is said after a run.

use serde_json::{Map, Value, json};
use veilset::registry::Operation;
use veilset::{Done, Input, Report};

use crate::args::{OperationArgs, Talk};
use crate::error::Failure;
use crate::operation::phases;
use crate::progress::say;
use crate::units::{show_bytes, show_duration};

/// Prints the result of a run: JSON, or the number on standard output and a summary beside it.
pub(crate) fn print(
    done: &Done,
    input: &Input,
    args: &OperationArgs,
    talk: &Talk,
) -> Result<(), Failure> {
    let report = &done.report;
    let rows = done.rows(input).map(Iterator::count);
    if args.json {
        print_line!("{}", object(report, input, rows))?;
    } else if let (Operation::Count, Some(count)) = (report.operation, report.count()) {
        print_line!("{count}")?;
    }
    say(talk, &outcome(report, rows, args.output.as_deref()));
    phases(report, talk);
    say(talk, &cost(report));
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

fn outcome(report: &Report, rows: Option<usize>, output: Option<&str>) -> String {
    match (report.count(), rows) {
        (Some(count), Some(rows)) => {
            let place = output.filter(|output| *output != "-");
            let written = place.map_or(String::new(), |place| format!("; written to {place}"));
            format!("{count} of your {} keys match, in {rows} rows{written}", report.distinct)
        }
        (Some(count), None) => format!("{count} of your {} keys match", report.distinct),
        (None, _) => "done; the peer has the result, you were not to learn it".to_owned(),
    }
}

fn cost(report: &Report) -> String {
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
pub(crate) fn object(report: &Report, input: &Input, rows: Option<usize>) -> Value {
    let mut result = Map::new();
    result.insert("count".to_owned(), json!(report.count()));
    if report.operation == Operation::Intersect {
        result.insert("rows".to_owned(), json!(rows));
    }
    let (empty, invalid) = input.skipped();
    json!({
        "operation": report.operation.name(),
        "protocol": report.protocol,
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
        "seconds": seconds(report),
        "threads": report.threads,
    })
}

/// Seconds by phase; phases of one name add up.
fn seconds(report: &Report) -> Map<String, Value> {
    let mut seconds = Map::new();
    for phase in &report.phases {
        let before = seconds.get(phase.name).and_then(Value::as_f64).unwrap_or_default();
        seconds.insert(phase.name.to_owned(), json!(before + phase.time.as_secs_f64()));
    }
    seconds
}
