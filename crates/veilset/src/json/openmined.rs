//! What a partner's setup and response say of a list.

use serde_json::{Value, json};
use veilset_protocols::Operation;
use veilset_session::Learn;

use super::{of_warnings, versioned};
use crate::Input;
use crate::tongues::openmined::{Found, Structure};

/// What became known of a list with a partner who runs OpenMined's PSI.
#[must_use]
pub fn of_openmined(found: &Found, input: &Input) -> Value {
    let rows = found.rows(input).map(|rows| rows.len());
    let operation = if rows.is_some() { Operation::Intersect } else { Operation::Count };
    let result = match rows {
        Some(rows) => json!({ "count": found.count, "rows": rows }),
        None => json!({ "count": found.count }),
    };
    versioned(json!({
        "operation": operation.name(),
        "protocol": "openmined",
        "structure": name(found.structure),
        "presets": input.spec().canonical(),
        "learn": Learn::Me.name(),
        "role": "receiver",
        "rows": input.rows(),
        "distinct": input.distinct(),
        "warnings": of_warnings(&input.warnings()),
        "result": result,
    }))
}

fn name(structure: Structure) -> &'static str {
    match structure {
        Structure::Raw => "raw",
        Structure::Gcs => "gcs",
        Structure::Bloom => "bloom",
    }
}
