//! The end of something, for which a thread may wait.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use veilset_host::time::Instant;

#[derive(Default)]
struct State {
    is_over: Mutex<bool>,
    ends: Condvar,
}

/// It ends when this goes.
pub(super) struct Held(Arc<State>);

impl Drop for Held {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.ends.notify_all();
    }
}

/// Waits for the end.
pub(super) struct Latch(Arc<State>);

/// Both sides of one.
pub(super) fn latch() -> (Held, Latch) {
    let state = Arc::<State>::default();
    (Held(Arc::clone(&state)), Latch(state))
}

impl Latch {
    /// Waits until it is over, or for so long.
    pub(super) fn wait(&self, longest: Duration) {
        let start = Instant::now();
        let mut is_over = self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over {
            let left = longest.saturating_sub(start.elapsed());
            if left.is_zero() {
                return;
            }
            let waited = self.0.ends.wait_timeout(is_over, left);
            is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_what_it_waits_for_or_its_time() {
        let (held, latch) = latch();
        latch.wait(Duration::from_millis(1));
        let other = std::thread::spawn(move || drop(held));
        latch.wait(Duration::MAX);
        latch.wait(Duration::ZERO);
        other.join().expect("no panic");
    }
}
