//! Numbers as people write and read them, for programs on this library.

use std::time::Duration;

use veilset_data::DiskNeed;

/// A day in minutes.
const DAY: u32 = 24 * 60;

/// `90s`, `10m`, `2h` or `500ms`: the unit is not optional.
///
/// # Errors
/// With what is needed instead.
pub fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
    scaled(text, &UNITS)
        .map(Duration::from_millis)
        .ok_or_else(|| "a duration with its unit is needed, such as 90s or 10m".to_owned())
}

/// `500MB`, `2GiB`, or bytes.
///
/// # Errors
/// With what is needed instead.
pub fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 8] = [
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("b", 1),
    ];
    scaled(text, &UNITS)
        .or_else(|| text.parse().ok())
        .ok_or_else(|| "a size such as 500MB or 2GiB is needed".to_owned())
}

/// A number before one of these units, in the smallest of them; the first unit that fits counts.
#[must_use]
pub fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((lower.strip_suffix(unit)?, *scale)))?;
    number.trim().parse::<u64>().ok()?.checked_mul(scale)
}

/// A duration of whole minutes, up to a day.
///
/// # Errors
/// With what is needed instead.
pub fn minutes(text: &str) -> Result<u32, String> {
    let seconds = duration(text)?.as_secs_f64();
    let minutes = seconds / 60.0;
    let whole = minutes.fract() == 0.0 && (1.0..=f64::from(DAY)).contains(&minutes);
    if whole { Ok(minutes as u32) } else { Err("whole minutes up to 24h are needed".to_owned()) }
}

/// A duration of minutes of which a day has a whole number.
///
/// # Errors
/// With what is needed instead.
pub fn step(text: &str) -> Result<u32, String> {
    match minutes(text)? {
        minutes if DAY.is_multiple_of(minutes) => Ok(minutes),
        _ => Err("a day must have a whole number of steps, as with 15m, 30m or 1h".to_owned()),
    }
}

/// A number of threads, from 1 to 1024.
///
/// # Errors
/// With what is needed instead.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number from 1 to 1024 is needed".to_owned()),
    }
}

/// What stands between fields: one ASCII character, or `tab`.
///
/// # Errors
/// With what is needed instead.
pub fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\r' | b'\n'] => Err("a quote or line end cannot part fields".to_owned()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one ASCII character is needed, or tab".to_owned()),
    }
}

/// Bytes for a reader.
#[must_use]
pub fn show_bytes(bytes: f64) -> String {
    match bytes {
        small if small < 1e3 => format!("{small:.0} B"),
        kilo if kilo < 1e6 => format!("{:.1} kB", kilo / 1e3),
        mega if mega < 1e9 => format!("{:.1} MB", mega / 1e6),
        giga => format!("{:.2} GB", giga / 1e9),
    }
}

/// What a list takes of the disk, for a reader.
#[must_use]
pub fn show_need(need: &DiskNeed) -> String {
    let [bytes, free] = [need.bytes, need.free].map(|bytes| show_bytes(bytes as f64));
    format!("needs {bytes} of disk in {}, {free} free", need.folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(["90", "", "s", "1d"].iter().all(|text| duration(text).is_err()));
        assert_eq!((minutes("60m"), minutes("2h"), minutes("60s")), (Ok(60), Ok(120), Ok(1)));
        assert!(["90s", "0m", "25h", "60"].iter().all(|text| minutes(text).is_err()));
        assert_eq!((step("15m"), step("24h")), (Ok(15), Ok(DAY)));
        assert!(step("7m").is_err());
        assert_eq!(
            (bytes("500MB"), bytes("2GiB"), bytes("7")),
            (Ok(500_000_000), Ok(2 << 30), Ok(7))
        );
        assert!(bytes("2 apples").is_err() && bytes("99999999999TB").is_err());
        assert_eq!((delimiter(";"), delimiter("tab")), (Ok(b';'), Ok(b'\t')));
        assert!(delimiter("\"").is_err() && delimiter("ab").is_err() && delimiter("é").is_err());
        assert!(threads("0").is_err() && threads("1").is_ok());
        assert_eq!([show_bytes(999.0), show_bytes(1_500.0)], ["999 B", "1.5 kB"]);
    }
}
