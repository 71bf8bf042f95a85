//! What a program says beside its result, and how it ends at a bug of its own.
//!
//! Standard error may be gone: its reader has ended, or its disk is full. That is no reason to end a run of two parties, or a
//! service, so everything that is said goes through here. It may also be stalled, which a service does not wait for.

mod log;
mod queue;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Display;
use std::io::{self, IsTerminal, Stderr, Write};
use std::panic::{PanicHookInfo, set_hook};
use std::process;

use veilset_data::{is_caught, remove_unfinished};

pub use self::log::{Format, log, log_run};
use self::queue::Queue;
use crate::exit_code;

/// Takes what is said while that is done aside.
static QUEUE: Queue = Queue::new();

/// Says a line.
pub fn say(line: impl Display) {
    tell(log::line(line.to_string()));
}

/// Says what ends in the middle of a line: a question.
pub fn ask(question: impl Display) {
    tell(question.to_string());
}

/// Whether a person may be looking: standard error is a terminal, and no [`log`](log()).
#[must_use]
pub fn is_seen() -> bool {
    !log::is_kept() && is_terminal()
}

/// Whether standard error is a terminal, whatever is written there.
#[must_use]
pub fn is_terminal() -> bool {
    stderr().is_terminal()
}

/// Has everything said on a thread of its own from now on, so that nobody waits for standard error. What it does not take in
/// time is dropped, and `dropped` makes a line of how many that were.
///
/// # Errors
/// When the system gives no thread.
pub fn speak_aside(dropped: fn(u64) -> String) -> io::Result<()> {
    QUEUE.open(put, dropped)
}

/// To be called before a program ends: waits a while until all is said, if that is done aside. What comes then is said at once
/// again, unless standard error still takes nothing.
pub fn settle() {
    QUEUE.close();
}

/// Has the program end with [`exit_code::BUG`] when a thread of it panics, whoever would catch that: what a thread was to do
/// is not done, and others may wait for it for ever. For programs; a library must leave its caller alive.
pub fn end_at_panics(program: &'static str) {
    set_hook(Box::new(move |panic| {
        if is_caught() {
            return;
        }
        say(told(program, panic));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            say(trace);
        }
        remove_unfinished();
        settle();
        process::exit(exit_code::BUG.into());
    }));
}

fn told(program: &str, panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
    // Only what stands in the source: a text that is made while the program runs may hold a value of somebody's data.
    let what = panic.payload().downcast_ref::<&'static str>().map(|what| format!(" ({what})"));
    format!(
        "error: {program} {} broke{}{}; this is a bug, please report this line",
        env!("CARGO_PKG_VERSION"),
        place.unwrap_or_default(),
        what.unwrap_or_default(),
    )
}

/// Aside, or at once.
fn tell(text: String) {
    if let Some(text) = QUEUE.take(text) {
        put(&text);
    }
}

/// At once, so that lines of several programs do not mix; and formatted before, so that nothing runs while the stream is held.
fn put(text: &str) {
    // There is nobody to tell.
    let _ = stderr().write_all(text.as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "the one place that may")]
fn stderr() -> Stderr {
    std::io::stderr()
}
