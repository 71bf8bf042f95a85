//! `veilset check`: a local look.

use serde_json::{Value, json};
use veilset::data::{CheckReport, Finding, Place, Spot, check};
use veilset::json::versioned;

use crate::args::{CheckArgs, Talk};
use crate::error::Failure;
use crate::operation::read_table;

/// Reads the list and prints what a run would see of it; sends nothing.
pub(crate) fn run(args: &CheckArgs, talk: &Talk) -> Result<(), Failure> {
    let table = read_table(&args.list, &args.room.scratch(), talk)?;
    let report = check(&table, &args.list.key)?;
    if args.json {
        print_line!("{}", object(&report))?;
    } else {
        print(&report, table.name())?;
    }
    Ok(())
}

fn print(report: &CheckReport, list: &str) -> Result<(), Failure> {
    for (label, number) in [
        ("rows", report.rows),
        ("distinct keys", report.distinct),
        ("duplicate rows", report.duplicates),
        ("empty keys (never match)", report.empty),
        ("unreadable keys (never match)", report.invalid.rows),
        ("changed by normalisation", report.changed),
    ] {
        print_line!("{label:32} {number:>10}")?;
    }
    if report.invalid.rows > 0 {
        print_line!("unreadable in {}", places(&report.invalid, list))?;
    }
    if report.suspicious.is_empty() {
        print_line!("nothing suspicious")?;
    }
    for finding in &report.suspicious {
        print_line!(
            "suspicious, {} rows: {} ({})",
            finding.rows,
            finding.what,
            places(finding, list)
        )?;
    }
    Ok(())
}

/// `line 5, 7`, or with the file's name where the list is of several.
fn places(finding: &Finding, list: &str) -> String {
    let Some(first) = finding.places.first() else { return "no rows".to_owned() };
    let more = if finding.rows > finding.places.len() { ", …" } else { "" };
    let number = |place: &Place| number(place).to_string();
    let shown: Vec<String> = match first.spot() {
        _ if finding.places.iter().any(|place| place.file() != list) => {
            finding.places.iter().map(Place::to_string).collect()
        }
        spot => std::iter::once(spot.to_string())
            .chain(finding.places[1..].iter().map(number))
            .collect(),
    };
    format!("{}{more}", shown.join(", "))
}

/// The line, or the row of a file without lines.
fn number(place: &Place) -> u64 {
    match place.spot() {
        Spot::Line(number) | Spot::Row(number) => number,
    }
}

fn object(report: &CheckReport) -> Value {
    let finding = |f: &Finding| {
        json!({
            "what": f.what,
            "rows": f.rows,
            "files": f.places.iter().map(Place::file).collect::<Vec<_>>(),
            "lines": f.places.iter().map(number).collect::<Vec<_>>(),
        })
    };
    versioned(json!({
        "rows": report.rows,
        "distinct": report.distinct,
        "duplicates": report.duplicates,
        "empty": report.empty,
        "invalid": report.invalid.rows,
        "changed": report.changed,
        "suspicious": report.suspicious.iter().map(finding).collect::<Vec<_>>(),
    }))
}
