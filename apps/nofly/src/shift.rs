//! When a server may stop: between two screenings, not within one.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a server is doing, for whoever wants to stop it.
#[derive(Default)]
pub(crate) struct Shift(Mutex<State>);

#[derive(Default)]
struct State {
    busy: bool,
    stopping: bool,
    answered: u64,
}

/// What a wish to stop leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Nothing runs: at once, after so many screenings.
    Now(u64),
    /// When the screening that runs is over.
    Soon,
    /// The second wish cuts the screening off.
    Cut,
}

impl Shift {
    /// A screening begins.
    pub(crate) fn begin(&self) {
        self.state().busy = true;
    }

    /// A screening is over; `Some` with the number of complete ones if the server is to stop.
    pub(crate) fn end(&self, complete: bool) -> Option<u64> {
        let mut state = self.state();
        state.busy = false;
        state.answered += u64::from(complete);
        state.stopping.then_some(state.answered)
    }

    /// Somebody wants the server to stop.
    pub(crate) fn stop(&self) -> Stop {
        let mut state = self.state();
        match (state.busy, state.stopping) {
            (false, _) => Stop::Now(state.answered),
            (true, false) => {
                state.stopping = true;
                Stop::Soon
            }
            (true, true) => Stop::Cut,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment, so none is half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screening_ends_before_the_server_does() {
        let shift = Shift::default();
        assert_eq!(shift.stop(), Stop::Now(0));
        shift.begin();
        assert_eq!(shift.end(true), None);
        shift.begin();
        assert_eq!((shift.stop(), shift.stop()), (Stop::Soon, Stop::Cut));
        assert_eq!(shift.end(false), Some(1), "a failed one does not count");
    }
}
