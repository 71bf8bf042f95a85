//! The border between this program and the scripts of a page.
//!
//! One script, the desk, has an event loop: it alone talks to the network, to the browser's store and to whoever looks at the page, and
//! it never waits. All else are workers that run this module on the same memory, and may wait. The desk calls the exported functions
//! here; workers call the imported ones, each of which leaves a message for the desk and returns.

use std::time::Duration;

mod border;
mod calls;
mod socket;
pub mod store;

pub use calls::{Call, next_call, tell};
pub use socket::{Closed, Socket};

/// Time since 1970, as the page has it.
pub(crate) fn wall_clock() -> Duration {
    milliseconds(border::wall_clock())
}

/// Time since some moment before the module was loaded, the same for all workers.
pub(crate) fn steady_clock() -> Duration {
    milliseconds(border::steady_clock())
}

fn milliseconds(time: f64) -> Duration {
    Duration::try_from_secs_f64(time / 1e3).unwrap_or_default()
}

pub(crate) use border::spawn;
pub use border::{begin, log, threads};
