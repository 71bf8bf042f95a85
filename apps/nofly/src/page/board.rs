//! What the page shows.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use veilset::data::Table;
use veilset::{Briefing, Done, Input};

use crate::report;

/// Rows that the page shows; of longer manifests it shows the first ones, and the first of those on the list.
const SHOWN: usize = 2_000;

/// A screening as far as it is. Writers are the run and its observer, the one reader is the page.
pub(crate) struct Board {
    manifest: Table,
    peer: String,
    state: Mutex<State>,
}

struct State {
    stage: &'static str,
    briefing: Value,
    steps: Vec<Step>,
    result: Value,
    matches: BTreeSet<usize>,
    error: Value,
}

struct Step {
    name: &'static str,
    done: u64,
    total: u64,
}

impl Board {
    pub(crate) fn new(manifest: Table, peer: &str) -> Self {
        let state = State {
            stage: "waiting",
            briefing: Value::Null,
            steps: Vec::new(),
            result: Value::Null,
            matches: BTreeSet::new(),
            error: Value::Null,
        };
        Self { manifest, peer: peer.to_owned(), state: Mutex::new(state) }
    }

    /// The terms are agreed; the run begins.
    pub(crate) fn brief(&self, briefing: &Briefing) {
        let mut state = self.state();
        state.stage = "running";
        state.briefing = json!({
            "protocol": briefing.protocol,
            "learned": briefing.learned,
            "leaks": briefing.leaks,
            "warnings": briefing.warnings.iter().map(|warning| &warning.text).collect::<Vec<_>>(),
            "peer_distinct": briefing.peer().distinct,
        });
    }

    /// A step of `total` units begins.
    pub(crate) fn begin(&self, name: &'static str, total: u64) {
        self.state().steps.push(Step { name, done: 0, total });
    }

    /// `units` more of the last step are done.
    pub(crate) fn advance(&self, units: u64) {
        if let Some(step) = self.state().steps.last_mut() {
            step.done += units;
        }
    }

    /// The result is there.
    pub(super) fn complete(&self, done: &Done, input: &Input) {
        let mut result = report::object(done, input);
        result["modules"] = report::rows(&done.report);
        result["withheld"] = json!(done.report.withheld.map(|why| why.to_string()));
        let mut state = self.state();
        state.stage = "done";
        state.result = result;
        state.matches = done.rows(input).into_iter().flatten().collect();
    }

    /// There will be no result.
    pub(super) fn fail(&self, why: &str) {
        let mut state = self.state();
        state.stage = "failed";
        state.error = why.into();
    }

    /// How far the screening is.
    pub(super) fn progress(&self) -> Value {
        let state = self.state();
        let step =
            |step: &Step| json!({ "name": step.name, "done": step.done, "total": step.total });
        json!({
            "manifest": self.manifest.name(),
            "rows": self.manifest.rows(),
            "peer": self.peer,
            "stage": state.stage,
            "briefing": state.briefing,
            "steps": state.steps.iter().map(step).collect::<Vec<_>>(),
            "result": state.result,
            "error": state.error,
        })
    }

    /// The manifest's columns and rows, each with its number from 1 and whether it is on the list.
    pub(super) fn rows(&self) -> Value {
        let state = self.state();
        let columns = self.manifest.header();
        let first: BTreeSet<usize> = state.matches.iter().copied().take(SHOWN).collect();
        let mut rows = Vec::new();
        let all: Vec<usize> = (0..columns.len()).collect();
        let visited = self.manifest.for_each_row(&all, |row, fields| {
            if row < SHOWN || first.contains(&row) {
                let cells: Vec<_> = all.iter().map(|column| fields.get(*column)).collect();
                let listed = state.matches.contains(&row);
                rows.push(json!({ "row": row + 1, "listed": listed, "cells": cells }));
            }
        });
        debug_assert!(visited.is_ok(), "every field was looked at before the page opened");
        json!({
            "columns": columns,
            "total": self.manifest.rows(),
            "listed": state.matches.len(),
            "rows": rows,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Progress that a panic left half told is still progress.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
