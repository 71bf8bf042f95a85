//! `veilset check`: a local look.

use serde_json::{Value, json};
use veilset::data::{CheckReport, Finding, Source, Table, check};

use crate::args::CheckArgs;
use crate::error::Failure;

/// Reads the list and prints what a run would see of it; sends nothing.
pub(crate) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let table = Table::read(&Source::new(&args.list.file), args.list.delimiter)?;
    let report = check(&table, &args.list.key)?;
    if args.json {
        print_line!("{}", object(&report))?;
    } else {
        print(&report)?;
    }
    Ok(())
}

fn print(report: &CheckReport) -> Result<(), Failure> {
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
        print_line!("unreadable in {}", places(&report.invalid))?;
    }
    if report.suspicious.is_empty() {
        print_line!("nothing suspicious")?;
    }
    for finding in &report.suspicious {
        print_line!("suspicious, {} rows: {} ({})", finding.rows, finding.what, places(finding))?;
    }
    Ok(())
}

fn places(finding: &Finding) -> String {
    if finding.lines.is_empty() {
        return "no rows".to_owned();
    }
    let lines: Vec<String> = finding.lines.iter().map(u64::to_string).collect();
    let more = if finding.rows > lines.len() { ", …" } else { "" };
    format!("line {}{more}", lines.join(", "))
}

fn object(report: &CheckReport) -> Value {
    let finding = |f: &Finding| json!({ "what": f.what, "rows": f.rows, "lines": f.lines });
    json!({
        "rows": report.rows,
        "distinct": report.distinct,
        "duplicates": report.duplicates,
        "empty": report.empty,
        "invalid": report.invalid.rows,
        "changed": report.changed,
        "suspicious": report.suspicious.iter().map(finding).collect::<Vec<_>>(),
    })
}
