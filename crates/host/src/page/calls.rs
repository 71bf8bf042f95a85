//! What somebody who looks at the page wants, and what they are told.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::border;

/// A request.
#[derive(Debug)]
pub struct Call {
    /// What is wanted, as the page says it.
    pub text: Vec<u8>,
    /// What comes with it, such as the bytes of a file.
    pub bytes: Vec<u8>,
}

static CALLS: Mutex<VecDeque<Call>> = Mutex::new(VecDeque::new());
static MORE: Condvar = Condvar::new();

pub(super) fn arrived(text: Vec<u8>, bytes: Vec<u8>) {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner).push_back(Call { text, bytes });
    MORE.notify_one();
}

/// Waits for the next request.
#[must_use]
pub fn next_call() -> Call {
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(call) = calls.pop_front() {
            return call;
        }
        calls = MORE.wait(calls).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Tells the page something, with bytes beside it.
pub fn tell(text: &str, bytes: &[u8]) {
    border::tell(text, bytes);
}
