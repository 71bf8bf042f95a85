//! Prices, and the protocols there are.

use pyo3::prelude::*;
use veilset::json;
use veilset::planner::{Link, Question, Wanted};
use veilset::registry::Choices;

use crate::error::Failure;
use crate::order::{all_cores, named};

/// The attributes of a question.
#[derive(FromPyObject)]
pub(crate) struct Asked {
    operation: String,
    rows: u64,
    peer_rows: u64,
    learn: String,
    security: String,
    link: Option<String>,
    threads: Option<usize>,
    values: usize,
    row_bytes: usize,
    group: Option<String>,
    digest: Option<String>,
}

/// What `veilset plan --json` prints.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, asked: Asked) -> Result<String, Failure> {
    let question = asked.question()?;
    py.detach(|| Ok(json::of_prices(&question.price()?).to_string()))
}

impl Asked {
    fn question(&self) -> Result<Question, Failure> {
        let link = self.link.as_deref().map(str::parse::<Link>).transpose();
        Ok(Question {
            wanted: Wanted {
                operation: named("operation", &self.operation)?,
                security: named("security", &self.security)?,
                learn: named("learn", &self.learn)?,
                choices: Choices {
                    group: self.group.as_deref().map(|group| named("group", group)).transpose()?,
                    digest: self.digest.as_deref().map(|text| named("digest", text)).transpose()?,
                    ..Choices::default()
                },
            },
            rows: self.rows,
            peer_rows: self.peer_rows,
            values: self.values,
            row_bytes: self.row_bytes,
            link: link.map_err(|error| Failure::Argument(error.to_string()))?.unwrap_or_default(),
            threads: self.threads.unwrap_or_else(all_cores),
        })
    }
}
