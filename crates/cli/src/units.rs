//! Numbers with units, and names, as flags give them.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use veilset::data::PROGRAM_MEMORY;
use veilset::planner::MOST_WORKERS;
pub(crate) use veilset::units::{
    bytes, count, delimiter, duration, reference, show_bytes, show_need, show_wait, threads,
};

use crate::args::{ProtocolArg, StopValues};

/// The bounds of what somebody may wait for a silent peer.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);
const MOST_PATIENCE: Duration = Duration::from_secs(86_400);

/// A duration for which a peer may be silent. It gives a sign of life every few seconds, so less than this would end runs
/// for nothing.
pub(crate) fn patience(text: &str) -> Result<Duration, String> {
    let fits = |patience: &Duration| (LEAST_PATIENCE..=MOST_PATIENCE).contains(patience);
    duration(text)
        .ok()
        .filter(fits)
        .ok_or_else(|| "a duration from 10s to 1d is needed, such as 2m".to_owned())
}

/// A bound on the memory of a run, which the program itself takes a part of.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        bytes if bytes > PROGRAM_MEMORY => Ok(bytes),
        _ => {
            let own = show_bytes(PROGRAM_MEMORY as f64);
            Err(format!("the program itself takes {own}: give more than that"))
        }
    }
}

/// The lines of a file, but for white space around them.
pub(crate) fn stop_values(path: &str) -> Result<StopValues, String> {
    let text = fs::read_to_string(path).map_err(|why| format!("cannot read the file: {why}"))?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(|line| line.trim().to_owned());
    Ok(StopValues(lines.filter(|line| !line.is_empty()).collect()))
}

/// The noon of a day in UTC, or a time of RFC 3339.
pub(crate) fn day(text: &str) -> Result<SystemTime, String> {
    let noon = format!("{text}T12:00:00Z");
    let time = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc3339(&noon));
    let seconds = time.ok().and_then(|time| u64::try_from(time.timestamp()).ok());
    seconds
        .and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)))
        .ok_or_else(|| "a day is needed, such as 2026-11-28".to_owned())
}

/// `500/hour`.
pub(crate) fn per_hour(text: &str) -> Result<u64, String> {
    text.strip_suffix("/hour")
        .and_then(|number| number.parse().ok())
        .filter(|number| *number > 0)
        .ok_or_else(|| "a number of items an hour is needed, such as 500/hour".to_owned())
}

/// A number of workers.
pub(crate) fn workers(text: &str) -> Result<u64, String> {
    count(text)
        .ok()
        .filter(|workers| (1..=MOST_WORKERS).contains(workers))
        .ok_or_else(|| format!("a number from 1 to {MOST_WORKERS} is needed"))
}

/// An amount of money, without its currency.
pub(crate) fn amount(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|amount| (0.0..=1e6).contains(amount))
        .ok_or_else(|| "an amount is needed, such as 0.40".to_owned())
}

/// `auto` or a protocol's id.
pub(crate) fn protocol(text: &str) -> Result<ProtocolArg, String> {
    if text == "auto" { Ok(ProtocolArg(None)) } else { id(text).map(|id| ProtocolArg(Some(id))) }
}

/// A protocol's id.
pub(crate) fn id(text: &str) -> Result<&'static str, String> {
    veilset::units::protocol(text).map_err(|ids| format!("protocols: {ids}"))
}

/// A bandwidth for a reader.
pub(crate) fn show_bits(bits_per_second: f64) -> String {
    match bits_per_second {
        slow if slow < 1e9 => format!("{:.0} Mbit/s", slow / 1e6),
        fast => format!("{:.1} Gbit/s", fast / 1e9),
    }
}

/// A duration for a reader.
pub(crate) fn show_duration(duration: Duration) -> String {
    match duration.as_secs_f64() {
        short if short < 1.0 => format!("{:.0} ms", short * 1e3),
        seconds if seconds < 120.0 => format!("{seconds:.1} s"),
        minutes if minutes < 7200.0 => format!("{:.1} min", minutes / 60.0),
        hours => format!("{:.1} h", hours / 3600.0),
    }
}

/// How long somebody waits from now on, and until when: the time of day in UTC, since the two sides' clocks may be in
/// different zones.
pub(crate) fn until(longest: Duration) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    until_from(longest, now.as_secs())
}

fn until_from(longest: Duration, now: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let shown = show_wait(longest);
    if longest.as_secs() >= DAY {
        return format!("for {shown} at most");
    }
    let minute = (now + longest.as_secs()) % DAY / 60;
    format!("for {shown} at most (until {:02}:{:02} UTC)", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_read_as_people_write_them() {
        let day = Duration::from_secs(86_400);
        assert_eq!(until_from(day / 24, 86_399), "for 1 h at most (until 00:59 UTC)");
        assert_eq!(until_from(day / 144, 0), "for 10 min at most (until 00:10 UTC)");
        assert_eq!(until_from(day, 0), "for 24 h at most");
        assert_eq!(patience("2m"), Ok(Duration::from_secs(120)));
        assert!(["9s", "25h", "1", "0s"].iter().all(|text| patience(text).is_err()));
        assert_eq!(memory("17MB"), Ok(17_000_000));
        assert!(["100", "16MiB", "8MB"].iter().all(|text| memory(text).is_err()));
        assert_eq!((workers("2^12"), amount("0.40"), amount("0")), (Ok(4096), Ok(0.4), Ok(0.0)));
        assert!(["0", "2^13", "-1"].iter().all(|text| workers(text).is_err()));
        assert!(["-1", "nan", "inf", "1 EUR", ""].iter().all(|text| amount(text).is_err()));
    }
}
