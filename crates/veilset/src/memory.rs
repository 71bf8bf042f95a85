//! The end of a program that takes too much memory to read a list.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use veilset_data::{is_decoding, remove_unfinished};
use veilset_session::memory::{available, kilobytes};

use crate::exit_code;

/// What the process may take while it reads lists; without bound where the user says none, and once somebody else was met.
static ALLOWED: AtomicU64 = AtomicU64::new(UNBOUNDED);

const UNBOUNDED: u64 = u64::MAX;

/// How often the process's memory is looked at while it decodes.
const GLANCE: Duration = Duration::from_millis(20);

/// What a process that keeps to its limit may take beyond it: what the system counts and no list needs.
const LEEWAY: u64 = 64 << 20;

/// Notes what the user allows while lists are read.
pub(crate) fn allow(most: u64) {
    ALLOWED.store(most, Relaxed);
}

/// Lists are read: from here on the end of the program could lose the result of a run, and is left to whoever has it.
pub(crate) fn has_read() {
    ALLOWED.store(UNBOUNDED, Relaxed);
}

/// Has the program end with [`exit_code::POLICY`], after it could `tell` why, when it takes far more memory than the user allows while
/// a library decodes a list: what a file claims is looked at before, but libraries have many ways to be misled. For programs; a library
/// must leave its caller alive. Where the system gives no thread, or does not say what the process takes, nothing is watched.
pub fn end_at_excess(tell: impl Fn(&str) + Send + 'static) {
    let watch = move || {
        let mut before = None;
        loop {
            thread::sleep(GLANCE);
            if !is_decoding() || ALLOWED.load(Relaxed) == UNBOUNDED {
                before = None;
                continue;
            }
            let Some(taken) = used() else { return };
            let before = *before.get_or_insert(taken);
            // Whoever read the last list meanwhile may have a result to lose.
            if is_excess(before, taken) && ALLOWED.load(Relaxed) != UNBOUNDED {
                tell(&excess(taken));
                remove_unfinished();
                process::exit(exit_code::POLICY.into());
            }
        }
    };
    let _ = thread::Builder::new().name("veilset-memory".to_owned()).spawn(watch);
}

/// Whether a process that took `before` when decoding began, and takes `taken` now, takes too much: more than it is allowed, or the
/// last that the machine has.
fn is_excess(before: u64, taken: u64) -> bool {
    let allowed = ALLOWED.load(Relaxed);
    let most = allowed.saturating_add(allowed / 4).max(before).saturating_add(LEEWAY);
    let has_grown = taken > before.saturating_add(LEEWAY);
    taken > most || has_grown && available().saturating_add(free_swap()) < LEEWAY
}

fn excess(taken: u64) -> String {
    format!(
        "the program takes {} MB to read a file, which is more than --max-memory allows or the machine has free: the file is \
         damaged or made to do that, or needs more; nothing was written",
        taken / 1_000_000
    )
}

/// Bytes that the process takes of memory and of swap, where the system tells.
fn used() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(kilobytes(&status, "VmRSS:")?.saturating_add(kilobytes(&status, "VmSwap:").unwrap_or(0)))
}

/// What the machine has of swap that nobody takes.
fn free_swap() -> u64 {
    let free = |text: String| kilobytes(&text, "SwapFree:");
    std::fs::read_to_string("/proc/meminfo").ok().and_then(free).unwrap_or(0)
}
