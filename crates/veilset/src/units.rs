//! Numbers as people write and read them, for programs on this library.

use std::time::Duration;

use veilset_data::DiskNeed;
pub use veilset_data::show_bytes;
pub use veilset_host::time::show_wait;
use veilset_protocols::{MULTIPARTY, Operation, PROTOCOLS, Security, candidates};
use veilset_session::MAX_NAME;

/// `90s`, `10m`, `1.5h`, `1d` or `500ms`: the unit is not optional.
///
/// # Errors
/// With what is needed instead.
pub fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 5] =
        [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
    scaled(text, &UNITS)
        .map(Duration::from_millis)
        .ok_or_else(|| "a duration with its unit is needed, such as 90s or 10m".to_owned())
}

/// The reference of an agreement.
///
/// # Errors
/// With what is needed instead.
pub fn reference(text: &str) -> Result<String, String> {
    let fits = (1..=MAX_NAME).contains(&text.len()) && !text.contains(char::is_control);
    let wanted = || format!("a text of 1 to {MAX_NAME} bytes without line breaks is needed");
    fits.then(|| text.to_owned()).ok_or_else(wanted)
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

/// `2^12`, or `2^20x2^10` for the sender's number of elements and the receiver's.
///
/// # Errors
/// With what is needed instead.
pub fn sizes(text: &str) -> Result<[usize; 2], String> {
    let size = |text: &str| {
        let size = usize::try_from(count(text)?).unwrap_or(usize::MAX);
        let fits = (1..=1 << 31).contains(&size);
        fits.then_some(size).ok_or_else(|| "sizes go from 1 to 2^31".to_owned())
    };
    let (sender, receiver) = text.split_once('x').unwrap_or((text, text));
    Ok([size(sender)?, size(receiver)?])
}

/// A number before one of these units, in the smallest of them, to which it may be rounded; the first unit that fits counts.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((lower.strip_suffix(unit)?, *scale)))?;
    decimal(number.trim(), scale)
}

/// `number`, such as 12 or 1.5, times `scale`, rounded to a whole.
fn decimal(number: &str, scale: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits =
        |text: &str| (1..=19).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let places = 10_u128.pow(u32::try_from(part.len()).ok()?);
    let part: u128 = part.parse().ok()?;
    let part = u64::try_from((part * u128::from(scale) + places / 2) / places).ok()?;
    whole.parse::<u64>().ok()?.checked_mul(scale)?.checked_add(part)
}

/// `100000`, `1_000_000`, `2^20`, `1e6`, `1.5M` (k, M and G are thousands, millions and thousands of millions).
///
/// # Errors
/// With what is needed instead.
pub fn count(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 3] = [("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];
    let plain = text.replace('_', "").to_ascii_lowercase();
    let number = match (plain.split_once('^'), plain.split_once('e')) {
        (Some((base, exponent)), _) => power(base, exponent),
        (None, Some((number, exponent))) => {
            power("10", exponent).and_then(|scale| exact(number, scale))
        }
        (None, None) => plain.parse().ok().or_else(|| scaled_exactly(&plain, &UNITS)),
    };
    number.ok_or_else(|| "a number such as 100000, 2^20, 1e6 or 1M is needed".to_owned())
}

fn power(base: &str, exponent: &str) -> Option<u64> {
    base.parse::<u64>().ok()?.checked_pow(exponent.parse().ok()?)
}

fn scaled_exactly(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)))?;
    exact(number, scale)
}

/// As [`decimal`], of what comes out whole.
fn exact(number: &str, scale: u64) -> Option<u64> {
    let places = number.split_once('.').map_or(0, |(_, part)| part.trim_end_matches('0').len());
    let divides = 10_u64.checked_pow(u32::try_from(places).ok()?)?;
    scale.is_multiple_of(divides).then(|| decimal(number, scale))?
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

/// The id of a protocol, between two parties or more.
///
/// # Errors
/// With all ids.
pub fn protocol(text: &str) -> Result<&'static str, String> {
    let of_two = PROTOCOLS.iter().map(|protocol| protocol.spec().id);
    let ids: Vec<_> = of_two.chain(MULTIPARTY.iter().map(|protocol| protocol.spec().id)).collect();
    let found = ids.iter().copied().find(|id| *id == text);
    found.ok_or_else(|| ids.join(", "))
}

/// `auto`, which is none, or the id of a protocol of this operation.
///
/// # Errors
/// With what is needed instead.
pub fn protocol_of(operation: Operation, text: &str) -> Result<Option<&'static str>, String> {
    let of = || candidates(operation, Security::SemiHonest).map(|protocol| protocol.spec().id);
    match of().find(|id| *id == text) {
        None if text != "auto" => {
            Err(format!("auto, or one of: {}", of().collect::<Vec<_>>().join(", ")))
        }
        found => Ok(found),
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
    fn sizes_are_of_both_or_of_each() {
        assert_eq!(sizes("2^12"), Ok([4096; 2]));
        assert_eq!(sizes("2^20x100"), Ok([1 << 20, 100]));
        assert!(["0", "2^32", "2^4x", "x", "2x2x2"].iter().all(|text| sizes(text).is_err()));
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1d"), Ok(Duration::from_secs(86_400)));
        assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5_400)));
        assert_eq!(duration("0.0015s"), Ok(Duration::from_millis(2)));
        assert!(
            ["90", "", "s", "1w", "-1s", "1.s", ".5s", "1.5.5s", "1e3s", "999999999999999d"]
                .iter()
                .all(|text| duration(text).is_err())
        );
        assert_eq!(bytes("1.5GB"), Ok(1_500_000_000));
        assert_eq!((count("2^20"), count("1_000"), count("0")), (Ok(1 << 20), Ok(1000), Ok(0)));
        let million = ["1e6", "1M", "1m", "1000k", "0.001G", "10e5", "1.0e6", "1.000000M"];
        assert!(million.iter().all(|text| count(text) == Ok(1_000_000)));
        assert_eq!(count("1.5k"), Ok(1_500));
        let wrong = ["2^64", "-1", "many", "1.5", "1e20", "1.0001k", "1e-1", "e6", "k", "1T", ""];
        assert!(wrong.iter().all(|text| count(text).is_err()));
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
