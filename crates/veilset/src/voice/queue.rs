//! Texts that a thread of its own says, while nobody waits for it.

use std::io;
use std::mem::take;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many texts wait at most, beside as many that are being said.
const MOST: usize = 1 << 14;

/// How long the end of a program waits for them.
const PATIENCE: Duration = Duration::from_secs(2);

/// Texts on their way to whoever reads them.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Whether texts go this way.
    open: bool,
    waiting: Vec<String>,
    /// How many more there were when as many waited as may.
    dropped: u64,
    /// Whether some are being said.
    saying: bool,
}

impl Queue {
    /// One that takes nothing yet.
    pub(super) const fn new() -> Self {
        let state = State { open: false, waiting: Vec::new(), dropped: 0, saying: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Has texts taken from now on, and said by `say` on a thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn open(&'static self, say: fn(&str), dropped: fn(u64) -> String) -> io::Result<()> {
        let mut state = self.state();
        let speak = move || self.speak(say, dropped);
        thread::Builder::new().name("veilset-voice".to_owned()).spawn(speak)?;
        state.open = true;
        Ok(())
    }

    /// Takes a text, or drops it where too many wait; gives it back while the queue is closed.
    pub(super) fn take(&self, text: String) -> Option<String> {
        let mut state = self.state();
        if !state.open {
            return Some(text);
        }
        if state.waiting.len() < MOST {
            state.waiting.push(text);
        } else {
            state.dropped += 1;
        }
        self.changed.notify_all();
        None
    }

    /// Waits until all is said, and closes the queue then; leaves it open if that takes too long.
    pub(super) fn close(&self) {
        let unsaid = |state: &mut State| state.saying || !state.waiting.is_empty();
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, unsaid);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if !waited.timed_out() {
            state.open = false;
            self.changed.notify_all();
        }
    }

    /// Says what comes until the queue is closed.
    fn speak(&self, say: impl Fn(&str), dropped: fn(u64) -> String) {
        let mut state = self.state();
        loop {
            // Texts are dropped only while others wait.
            let (texts, lost) = (take(&mut state.waiting), take(&mut state.dropped));
            state.saying = !texts.is_empty();
            if state.saying {
                drop(state);
                texts.iter().for_each(|text| say(text));
                if lost > 0 {
                    say(&format!("{}\n", dropped(lost)));
                }
                state = self.state();
                continue;
            }
            self.changed.notify_all();
            if !state.open {
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn what_does_not_fit_is_counted_and_the_rest_said_in_order() {
        let queue = Queue::new();
        assert_eq!(queue.take("early".to_owned()).as_deref(), Some("early"), "it is closed");
        queue.state().open = true;
        let texts: Vec<String> = (0..MOST + 3).map(|i| i.to_string()).collect();
        texts.iter().for_each(|text| assert_eq!(queue.take(text.clone()), None));
        queue.state().open = false;
        let said = RefCell::new(Vec::new());
        queue.speak(|text| said.borrow_mut().push(text.to_owned()), |lost| format!("{lost} lost"));
        let mut said = said.into_inner();
        assert_eq!(said.pop().as_deref(), Some("3 lost\n"));
        assert_eq!(said, texts[..MOST]);
    }
}
