//! How much memory a run may take.

use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use veilset_data::{PROGRAM_MEMORY, is_decoding, remove_unfinished};

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

/// Bytes that are left of `cap` beside what is `held` and the program; without a cap, what the machine has free.
pub(crate) fn left(cap: Option<u64>, held: u64) -> u64 {
    cap.map_or_else(available, |cap| cap.saturating_sub(PROGRAM_MEMORY.saturating_add(held)))
}

/// What the machine, and the control group that this process is in, have free; without bound where that is not told.
fn available() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| free_of(&text));
    [machine, group()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn free_of(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable:")
}

/// The kilobytes that the system states under a name, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The least that any control group (version 2) from this process's own up to the root leaves.
fn group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let mounted = root.join(own);
    mounted.ancestors().take_while(|path| path.starts_with(root)).filter_map(left_in).min()
}

fn left_in(group: &Path) -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(group.join(file)).ok();
    let number = |file: &str| -> Option<u64> { read(file)?.trim().parse().ok() };
    let taken = number("memory.current")?.saturating_sub(cache(&read("memory.stat")?));
    Some(number("memory.max")?.saturating_sub(taken))
}

/// What a control group's `memory.stat` counts of files that can be read again, which the system gives up first.
fn cache(stat: &str) -> u64 {
    let lines = stat.lines().filter_map(|line| line.split_once(' '));
    let of_files = lines.filter(|(name, _)| ["active_file", "inactive_file"].contains(name));
    of_files.filter_map(|(_, bytes)| bytes.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_counts_what_is_held_and_no_cap_asks_the_machine() {
        assert_eq!([left(Some(PROGRAM_MEMORY + 10), 3), left(Some(10), 11)], [7, 0]);
        let meminfo = "MemTotal:       24 kB\nMemAvailable:     16 kB\nBuffers: 1 kB\n";
        assert_eq!(free_of(meminfo), Some(16 * 1024));
        assert_eq!(free_of("MemTotal: 24 kB\n"), None);
        assert_eq!(cache("anon 7\ninactive_file 30\nactive_file 12\nfile_dirty 5\n"), 42);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells() {
        assert!((1 << 20..1 << 50).contains(&available()));
    }
}
