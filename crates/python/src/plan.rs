//! Prices, and the protocols there are.

use std::collections::BTreeMap;
use std::ffi::OsString;

use pyo3::prelude::*;
use veilset::json;
use veilset::planner::{Link, PlannedRun, Wanted};
use veilset::registry::Operation;

use crate::error::Failure;
use crate::order::{all_cores, choices, named};

/// The attributes of a planned run.
#[derive(FromPyObject)]
pub(crate) struct Asked {
    operation: String,
    rows: u64,
    peer_rows: u64,
    keys: u64,
    blind: bool,
    learn: String,
    security: String,
    link: Option<String>,
    threads: Option<usize>,
    values: usize,
    peer_values: usize,
    lent_groups: Option<usize>,
    products: usize,
    factor_bytes: usize,
    groups: Option<usize>,
    row_bytes: Option<usize>,
    choices: BTreeMap<String, OsString>,
}

/// What `veilset plan --json` prints.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, asked: Asked) -> Result<String, Failure> {
    let planned = asked.planned()?;
    py.detach(|| Ok(json::of_prices(&planned.price()?).to_string()))
}

impl Asked {
    fn planned(&self) -> Result<PlannedRun, Failure> {
        let operation: Operation = named("operation", &self.operation)?;
        let link = self.link.as_deref().map(str::parse::<Link>).transpose();
        Ok(PlannedRun {
            wanted: Wanted {
                choices: choices(&self.choices)?.of(operation),
                ..Wanted::new(
                    operation,
                    named("security", &self.security)?,
                    named("learn", &self.learn)?,
                )
            },
            rows: self.rows,
            peer_rows: self.peer_rows,
            keys: self.keys.max(1),
            blind: self.blind,
            values: self.values,
            peer_values: self.peer_values,
            lent_groups: self.lent_groups,
            products: self.products,
            factor_bytes: self.factor_bytes,
            groups: self.groups,
            row_bytes: self.row_bytes,
            link: link.map_err(|error| Failure::Argument(error.to_string()))?.unwrap_or_default(),
            threads: self.threads.unwrap_or_else(all_cores),
        })
    }
}
