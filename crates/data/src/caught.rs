//! Panics that are caught: of libraries that read files, which others made.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What `read` gives, or `None` if it panics on this thread. Whatever it was changing then is not to be used any more.
pub fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    let before = CAUGHT.replace(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    CAUGHT.set(before);
    read.ok()
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
