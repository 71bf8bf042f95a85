//! What a desk has between calls.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use veilset::data::{Scratch, Table};
use veilset::net::Stop;
use veilset::party::{Home, Identity, Peers};

use crate::Refusal;
use crate::runs::Running;

/// What a desk may use.
#[derive(Debug, Clone)]
pub struct Place {
    /// Threads for computing.
    pub threads: usize,
    /// Bytes of memory, lists included; what the machine has free where it is not said.
    pub memory: Option<u64>,
    /// Where what takes too much memory goes.
    pub folder: Option<PathBuf>,
    /// Whether a page may name files of this machine.
    pub has_files: bool,
}

/// The most lists, and runs that are over, that a desk keeps.
const MOST: usize = 3;

/// A party behind a page.
pub struct Desk {
    pub(crate) home: Home,
    pub(crate) place: Place,
    tell: Box<dyn Fn(Value) + Send + Sync>,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    next: u64,
    pub(crate) lists: BTreeMap<u64, Table>,
    pub(crate) runs: BTreeMap<u64, Arc<Running>>,
    /// What ends the invitation that waits.
    pub(crate) invitation: Option<Stop>,
}

impl State {
    /// A number that nothing else has.
    pub(crate) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Leaves the newest of the lists, so that no more of them take memory than pages show at a time.
    pub(crate) fn drop_old_lists(&mut self) {
        while self.lists.len() > MOST {
            self.lists.pop_first();
        }
    }

    /// The same with runs that are over, whose results nobody saved so far.
    pub(crate) fn drop_old_runs(&mut self) {
        // Its thread has one that goes on, too.
        let is_over = |run: &Arc<Running>| Arc::strong_count(run) == 1;
        let over = self.runs.iter().filter(|(_, run)| is_over(run)).map(|(&run, _)| run);
        let over: Vec<u64> = over.collect();
        for run in over.iter().rev().skip(MOST) {
            self.runs.remove(run);
        }
    }
}

impl Desk {
    /// That of the party that lives at `home`; `tell` hears what happens, from many threads.
    #[must_use]
    pub fn new(
        home: Home,
        place: Place,
        tell: impl Fn(Value) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { home, place, tell: Box::new(tell), state: Mutex::default() })
    }

    pub(crate) fn tell(&self, event: Value) {
        (self.tell)(event);
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The identity, which the first call makes.
    pub(crate) fn identity(&self) -> Result<(Identity, bool), Refusal> {
        Ok(Identity::load_or_create(&self.home)?)
    }

    pub(crate) fn known(&self, identity: &Identity) -> Result<Peers, Refusal> {
        Ok(Peers::load(&self.home, Some(identity.public_key()))?)
    }

    pub(crate) fn scratch(&self) -> Scratch {
        Scratch::new(self.place.folder.clone(), self.place.memory)
    }
}
