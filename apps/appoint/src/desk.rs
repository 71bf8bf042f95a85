//! What the program holds while its page is open.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use veilset::data::calendar::{Calendar, Slot};
use veilset::net::Stop;

use crate::args::{Args, How};
use crate::board::Board;
use crate::error::Refusal;
use crate::party::Party;

/// What every request sees.
pub(crate) struct Desk {
    pub(crate) party: Party,
    pub(crate) how: How,
    pub(crate) board: Board,
    presets: Value,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    calendar: Option<Arc<Calendar>>,
    /// Ends the run that goes on.
    stop: Option<Stop>,
    /// What was agreed on last.
    agreed: Option<Slot>,
}

impl Desk {
    pub(crate) fn new(args: Args, party: Party, calendar: Option<Calendar>) -> Arc<Self> {
        let held = Held { calendar: calendar.map(Arc::new), ..Held::default() };
        let (how, presets) = (args.how, args.presets());
        Arc::new(Self { party, how, board: Board::new(), presets, held: Mutex::new(held) })
    }

    /// What the page needs first.
    pub(crate) fn setup(&self) -> Result<Value, Refusal> {
        let mut setup = self.party.known()?;
        setup["presets"] = self.presets.clone();
        setup["calendar"] = self.calendar().map_or(Value::Null, |calendar| summary(&calendar));
        Ok(setup)
    }

    pub(crate) fn calendar(&self) -> Option<Arc<Calendar>> {
        self.with(|held| held.calendar.clone())
    }

    /// Takes a calendar in place of the last one, or none; returns what to say of it.
    pub(crate) fn take(&self, calendar: Option<Calendar>) -> Value {
        let said = calendar.as_ref().map_or(Value::Null, summary);
        self.with(|held| held.calendar = calendar.map(Arc::new));
        said
    }

    /// What ends the run that begins now.
    pub(crate) fn begin(&self) -> Stop {
        let stop = Stop::new();
        self.with(|held| {
            held.stop = Some(stop.clone());
            held.agreed = None;
        });
        stop
    }

    /// Ends the run that goes on, if any.
    pub(crate) fn cancel(&self) {
        if let Some(stop) = self.with(|held| held.stop.take()) {
            stop.stop();
        }
    }

    /// Keeps what was agreed on.
    pub(crate) fn keep(&self, slot: Slot) {
        self.with(|held| held.agreed = Some(slot));
    }

    pub(crate) fn agreed(&self) -> Option<Slot> {
        self.with(|held| held.agreed)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Held) -> T) -> T {
        // Each change is one assignment, so none is half done.
        act(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn summary(calendar: &Calendar) -> Value {
    json!({ "name": calendar.name(), "events": calendar.events() })
}
