//! What this process has used.

use std::fs;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Processor time of all threads so far, in seconds.
#[must_use]
pub fn cpu_seconds() -> f64 {
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    getrusage(UsageWho::RUSAGE_SELF)
        .map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// Forgets the peak so far, where the system lets a process do so.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that was resident at once, in bytes.
#[must_use]
pub fn peak_rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        peak.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or_else(largest_ever, |kilobytes| kilobytes * 1024)
}

fn largest_ever() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF);
    usage.map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) * 1024)
}
