//! How much memory there is.

use std::path::Path;

use veilset_data::PROGRAM_MEMORY;

/// Bytes that are left of `cap` beside what is `held` and the program; without a cap, what the machine has free.
#[must_use]
pub fn left(cap: Option<u64>, held: u64) -> u64 {
    cap.map_or_else(available, |cap| cap.saturating_sub(PROGRAM_MEMORY.saturating_add(held)))
}

/// What the machine, and the control group that this process is in, have free; without bound where that is not told.
#[must_use]
pub fn available() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| free_of(&text));
    [machine, group()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn free_of(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable:")
}

/// The kilobytes that a file of `/proc` states under a name, in bytes.
#[must_use]
pub fn kilobytes(text: &str, name: &str) -> Option<u64> {
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
