//! Timers: those of the runtime, or of a page.

#[cfg(not(target_family = "wasm"))]
pub(crate) use tokio::time::{Instant, sleep, sleep_until, timeout};
#[cfg(target_family = "wasm")]
pub(crate) use veilset_host::{
    task::{sleep, sleep_until, timeout},
    time::Instant,
};
