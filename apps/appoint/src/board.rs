//! How far a run is, for the page.

use serde_json::{Value, json};
use tokio::sync::watch;
use veilset::Briefing;
use veilset::net::Event;
use veilset::registry::Observer;

use crate::error::Refusal;

/// What the page shows of a run. Writers are the run and its observer, readers are the page's windows.
pub(crate) struct Board(watch::Sender<State>);

/// A run as far as it is.
#[derive(Clone, Default)]
pub(crate) struct State {
    stage: Stage,
    peer: String,
    /// What happened last while waiting.
    note: String,
    briefing: Value,
    steps: Vec<Step>,
    result: Value,
    error: Option<Refusal>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Idle,
    Waiting,
    Running,
    Done,
    Failed,
    Stopped,
}

#[derive(Clone)]
struct Step {
    name: &'static str,
    done: u64,
    total: u64,
}

impl Board {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::default())
    }

    /// Hears every change from now on; of several in a row, the last.
    pub(crate) fn follow(&self) -> watch::Receiver<State> {
        let mut receiver = self.0.subscribe();
        receiver.mark_changed();
        receiver
    }

    /// A run with this peer begins, unless one goes on.
    pub(crate) fn start(&self, peer: &str) -> Result<(), Refusal> {
        let started = self.0.send_if_modified(|state| {
            let free = !matches!(state.stage, Stage::Waiting | Stage::Running);
            if free {
                *state = State { stage: Stage::Waiting, peer: peer.to_owned(), ..State::default() };
            }
            free
        });
        let busy = "a search goes on already: cancel it first";
        if started { Ok(()) } else { Err(Refusal::new("run", busy)) }
    }

    /// What happens while this side waits.
    pub(crate) fn tell(&self, event: &Event) {
        self.0.send_modify(|state| {
            let peer = &state.peer;
            state.note = match event {
                Event::Listening(address) => format!("waiting for {peer} at {address}"),
                Event::Waiting { relay } => format!("waiting for {peer} at {relay}"),
                Event::Retrying { addr, .. } => {
                    format!("{peer} does not answer at {addr} yet; trying again")
                }
                Event::StrangerRefused { addr, why } => {
                    format!("turned away a caller from {addr}: {why}; still waiting")
                }
                Event::StrangersRefused { count, why } => {
                    format!("turned away {count} more callers, the last: {why}; still waiting")
                }
                Event::Connected { addr } => {
                    format!("connected to {addr}; its key is the one you know")
                }
                Event::Lost { .. } => format!("the connection to {peer} is lost; waiting for it"),
                Event::NextKey | Event::FormerKeyKept { .. } => {
                    format!("{peer} has the key that it announced")
                }
                Event::Returned { .. } => format!("{peer} is back"),
            };
        });
    }

    /// The terms are agreed; the run begins.
    pub(crate) fn brief(&self, briefing: &Briefing) {
        self.0.send_modify(|state| {
            state.stage = Stage::Running;
            state.briefing = json!({
                "learned": briefing.learned,
                "leaks": briefing.leaks,
                "warnings": briefing.warnings.iter().map(|warning| &warning.text).collect::<Vec<_>>(),
                "peer_slots": briefing.peer().distinct,
            });
        });
    }

    /// The result is there.
    pub(crate) fn complete(&self, result: Value) {
        self.0.send_modify(|state| {
            state.stage = Stage::Done;
            state.result = result;
        });
    }

    /// There will be no result.
    pub(crate) fn fail(&self, why: Refusal) {
        self.0.send_modify(|state| {
            state.stage = Stage::Failed;
            state.error = Some(why);
        });
    }

    /// Its user ended it.
    pub(crate) fn stopped(&self) {
        self.0.send_modify(|state| state.stage = Stage::Stopped);
    }
}

impl Observer for Board {
    fn begin(&self, name: &'static str, total: u64) {
        self.0.send_modify(|state| state.steps.push(Step { name, done: 0, total }));
    }

    fn advance(&self, units: u64) {
        self.0.send_modify(|state| {
            if let Some(step) = state.steps.last_mut() {
                step.done += units;
            }
        });
    }
}

impl State {
    /// As the page reads it.
    pub(crate) fn json(&self) -> Value {
        let step =
            |step: &Step| json!({ "name": step.name, "done": step.done, "total": step.total });
        json!({
            "stage": match self.stage {
                Stage::Idle => "idle",
                Stage::Waiting => "waiting",
                Stage::Running => "running",
                Stage::Done => "done",
                Stage::Failed => "failed",
                Stage::Stopped => "stopped",
            },
            "peer": self.peer,
            "note": self.note,
            "briefing": self.briefing,
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
            "result": self.result,
            "error": self.error.as_ref().map(Refusal::json),
        })
    }
}
