//! `veilset check`: a local look.

use veilset::data::{
    CheckReport, ColumnLook, Finding, KeyColumn, LooksLike, Place, Table, ValueCheck, check,
    check_values, counted, look_at_columns,
};
use veilset::json::{number, of_check, of_columns};

use crate::args::{CheckArgs, Talk};
use crate::error::Failure;
use crate::operation::read_table;

/// Reads the list and prints what a run would see of it; sends nothing.
pub(crate) fn run(args: &CheckArgs, talk: &Talk) -> Result<(), Failure> {
    let table = read_table(&args.place, &args.room.scratch(), talk)?;
    if args.key.is_empty() {
        let all: Vec<usize> = (0..table.header().len()).collect();
        let columns = look_at_columns(&table, &all)?;
        let values = check_values(&table, &args.value)?;
        if args.json {
            return Ok(print_line!("{}", of_columns(table.rows(), &columns, &values))?);
        }
        print_columns(&table, &columns)?;
        return print_values(&values, table.name());
    }
    let key = |key| {
        let key = args.keep.of(key).carried_by_at_most(args.crowd.most_per_key);
        Ok(check(&table, &key, &args.value)?)
    };
    let reports = args.key.iter().map(key).collect::<Result<Vec<_>, Failure>>()?;
    for (place, (report, key)) in (1..).zip(reports.iter().zip(&args.key)) {
        if args.json {
            print_line!("{}", of_check(report))?;
            continue;
        }
        if reports.len() > 1 {
            let of_column =
                |column: &KeyColumn| format!("{:?} {}", column.name, column.versioned());
            let columns: Vec<String> = key.columns().iter().map(of_column).collect();
            let before = if place > 1 { "\n" } else { "" };
            print_line!("{before}key {place}: {}", columns.join(", "))?;
        }
        print(report, &table)?;
    }
    Ok(())
}

fn print(report: &CheckReport, table: &Table) -> Result<(), Failure> {
    let list = table.name();
    for (label, number) in [
        ("rows", report.rows),
        ("distinct keys", report.distinct),
        ("duplicate rows", report.duplicates),
        ("empty keys (never match)", report.empty),
        ("placeholders (never match)", report.placeholders.rows),
        ("unreadable keys (never match)", report.invalid.rows),
        ("changed by normalisation", report.changed),
    ] {
        print_line!("{label:32} {number:>10}")?;
        if let (Some(made), "distinct keys") = (report.made, label) {
            print_line!("{:32} {made:>10}", "keys that generators make")?;
        }
    }
    for (what, finding) in [("placeholders", &report.placeholders), ("unreadable", &report.invalid)]
    {
        if finding.rows > 0 {
            print_line!("{what} in {}", places(finding, list))?;
        }
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
    for (look, looks_like) in report.proposals() {
        print_line!(
            "column {:?} looks like {}: --key '{}'",
            look.column,
            looks_like.what(),
            look.key()
        )?;
    }
    print_values(&report.values, list)
}

/// The columns, each with the key that it could be.
fn print_columns(table: &Table, columns: &[ColumnLook]) -> Result<(), Failure> {
    print_line!("{:32} {:>10}", "rows", table.rows())?;
    for (place, look) in (1..).zip(columns) {
        if look.nameless {
            print_line!(
                "column {place}: its name looks like a value; the first line must name the columns"
            )?;
            continue;
        }
        let cells = format!("{} filled, {} empty", look.filled, look.empty);
        let placeholders = match look.placeholders {
            0 => String::new(),
            count => format!(", {}", counted(count, "placeholder")),
        };
        let key = match look.looks_like {
            _ if !look.fit => "no key: its values are structures or floating-point numbers".into(),
            Some(LooksLike::Hashes) => format!("looks like {}", LooksLike::Hashes.what()),
            Some(kind) => format!("looks like {}: --key '{}'", kind.what(), look.key()),
            None => format!("--key '{}'", look.key()),
        };
        print_line!("column {:?} ({cells}{placeholders}): {key}", look.column)?;
    }
    print_line!("next, the key alone: veilset check FILE --key COL[:PRESET][,COL[:PRESET]…]")?;
    Ok(())
}

fn print_values(values: &[ValueCheck], list: &str) -> Result<(), Failure> {
    for value in values {
        print_line!(
            "value column {:?}: {} numbers, {} empty (count as 0), {} unreadable",
            value.column,
            value.numbers,
            value.empty,
            value.unreadable
        )?;
        for (place, what) in &value.places {
            let spot = match place.file() == list {
                true => place.spot().to_string(),
                false => place.to_string(),
            };
            print_line!("  {spot}: {what}")?;
        }
        let more = value.unreadable - value.places.len();
        if more > 0 {
            print_line!("  and {more} more")?;
        }
        if value.too_large {
            print_line!("  they add up to more than a sum can be: round them, or split the list")?;
        }
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
