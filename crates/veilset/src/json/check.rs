//! What a look at a list found.

use serde_json::{Value, json};
use veilset_data::{CheckReport, ColumnLook, Finding, Place, Spot, ValueCheck};

use super::versioned;

/// What a run would see of a list under one key.
#[must_use]
pub fn of_check(report: &CheckReport) -> Value {
    let finding = |f: &Finding| {
        json!({
            "code": f.code.name(),
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
        "placeholders": report.placeholders.rows,
        "invalid": report.invalid.rows,
        "changed": report.changed,
        "made": report.made,
        "suspicious": report.suspicious.iter().map(finding).collect::<Vec<_>>(),
        "columns": report.columns.iter().map(of_column).collect::<Vec<_>>(),
        "values": report.values.iter().map(of_values).collect::<Vec<_>>(),
    }))
}

/// The columns of a list of so many rows.
#[must_use]
pub fn of_columns(rows: usize, columns: &[ColumnLook], values: &[ValueCheck]) -> Value {
    versioned(json!({
        "rows": rows,
        "columns": columns.iter().map(of_column).collect::<Vec<_>>(),
        "values": values.iter().map(of_values).collect::<Vec<_>>(),
    }))
}

/// The line, or the row of a file without lines.
#[must_use]
pub fn number(place: &Place) -> u64 {
    match place.spot() {
        Spot::Line(number) | Spot::Row(number) => number,
    }
}

fn of_column(look: &ColumnLook) -> Value {
    json!({
        "column": look.column,
        "filled": look.filled,
        "empty": look.empty,
        "placeholders": look.placeholders,
        "key": look.fit.then(|| look.key()),
        "preset": look.looks_like.map(|kind| kind.preset()),
    })
}

fn of_values(value: &ValueCheck) -> Value {
    let places = value.places.iter();
    json!({
        "column": value.column,
        "numbers": value.numbers,
        "empty": value.empty,
        "unreadable": value.unreadable,
        "files": places.clone().map(|(place, _)| place.file()).collect::<Vec<_>>(),
        "lines": places.map(|(place, _)| number(place)).collect::<Vec<_>>(),
        "too_large": value.too_large,
    })
}
