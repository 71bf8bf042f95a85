//! Panics that are caught: of libraries that read files, which others made.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use arrow_schema::ArrowError;

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// How many calls of such libraries run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// What `read` gives, or `None` if it panics on this thread. Whatever it was changing then is not to be used any more.
pub fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    RUNNING.fetch_add(1, Relaxed);
    let read = caught_writing(read);
    RUNNING.fetch_sub(1, Relaxed);
    read
}

/// As [`caught`], for what writes a file of this program's own: nobody decides how much memory that takes.
pub(crate) fn caught_writing<T>(write: impl FnOnce() -> T) -> Option<T> {
    let before = CAUGHT.replace(true);
    let written = catch_unwind(AssertUnwindSafe(write));
    CAUGHT.set(before);
    written.ok()
}

/// What a panic is to those who take what is decoded.
pub(crate) fn panicked() -> ArrowError {
    ArrowError::ParseError("the decoder panicked".to_owned())
}

/// Whether such a library runs on any thread: only then may a file that somebody made decide how much memory is taken.
#[must_use]
pub fn is_decoding() -> bool {
    RUNNING.load(Relaxed) > 0
}

/// Whether a panic of this thread would be caught here, and told as an error: no bug that ends a program.
#[must_use]
pub fn is_caught() -> bool {
    CAUGHT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_once() {
        assert_eq!(caught(is_caught), Some(true));
        assert_eq!(caught(|| -> u8 { panic!("a damaged file") }), None);
        assert_eq!(
            caught(|| (caught(|| -> u8 { panic!("within") }), is_caught())),
            Some((None, true))
        );
        assert!(!is_caught(), "the next panic of this thread is a bug");
    }
}
