//! What this process has used.

use std::fs;

/// Processor time of all threads so far, in seconds; 0 where the system does not tell.
#[must_use]
pub fn cpu_seconds() -> f64 {
    used().0
}

/// Forgets the peak so far, where the system lets a process do so.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that was resident at once, in bytes; 0 where the system does not tell.
#[must_use]
pub fn peak_rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        peak.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or_else(|| used().1, |kilobytes| kilobytes * 1024)
}

/// Processor time in seconds, and the most memory in bytes.
#[cfg(unix)]
fn used() -> (f64, u64) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    // What the system counts memory in.
    const UNIT: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    getrusage(UsageWho::RUSAGE_SELF).map_or((0.0, 0), |usage| {
        let most = u64::try_from(usage.max_rss()).unwrap_or(0);
        (seconds(usage.user_time()) + seconds(usage.system_time()), most * UNIT)
    })
}

#[cfg(not(unix))]
fn used() -> (f64, u64) {
    (0.0, 0)
}
