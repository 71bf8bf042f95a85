//! How long slots may be.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::dates::TimeError;

/// The lengths that a slot may have: `60m`, or several such as `60m,30m`. Of slots that start together, whoever gives them likes
/// the one better whose length comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lengths(Vec<u32>);

/// The most lengths of a search.
const MAX_LENGTHS: usize = 8;

/// Minutes of a day.
const DAY: u32 = 24 * 60;

impl Lengths {
    /// The shortest that a slot can have.
    pub(super) fn shortest() -> Self {
        Self(vec![1])
    }

    /// Minutes, in the order in which they were given.
    pub(super) fn minutes(&self) -> impl Iterator<Item = u32> + Clone {
        self.0.iter().copied()
    }

    /// From the shortest to the longest, as both sides say them alike.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        self
    }
}

impl FromStr for Lengths {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let lengths = text.split(',').map(|length| whole_minutes(length.trim()));
        let lengths = lengths.collect::<Result<Vec<_>, _>>()?;
        if lengths.len() > MAX_LENGTHS {
            return Err(TimeError("at most eight lengths are possible"));
        }
        if lengths.iter().collect::<BTreeSet<_>>().len() < lengths.len() {
            return Err(TimeError("a length comes twice"));
        }
        Ok(Self(lengths))
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<String> = self.minutes().map(|minutes| format!("{minutes}m")).collect();
        f.write_str(&lengths.join(","))
    }
}

/// `45m` or `2h`: whole minutes, up to a day.
///
/// # Errors
/// With what is needed instead.
pub(super) fn whole_minutes(text: &str) -> Result<u32, TimeError> {
    let number = |unit, scale| {
        let number = text.strip_suffix(unit)?;
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
        number.parse::<u32>().ok().filter(|_| is_plain)?.checked_mul(scale)
    };
    let minutes = number('m', 1).or_else(|| number('h', 60));
    let minutes = minutes.filter(|minutes| (1..=DAY).contains(minutes));
    minutes.ok_or(TimeError("whole minutes up to 24h are needed, such as 45m or 2h"))
}

/// Minutes of which a day has a whole number, written as lengths are.
///
/// # Errors
/// With what is needed instead.
pub fn step(text: &str) -> Result<u32, TimeError> {
    let divides = Some(whole_minutes(text)?).filter(|minutes| DAY.is_multiple_of(*minutes));
    divides.ok_or(TimeError("a day must have a whole number of steps, as with 15m, 30m or 1h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_as_people_write_them() {
        assert_eq!(
            ["60m", "2h", "24h", "01m"].map(whole_minutes),
            [Ok(60), Ok(120), Ok(DAY), Ok(1)]
        );
        for bad in ["90s", "0m", "25h", "60", "", "m", "+1m", "1.5h", "99999999999h", "71582789h"] {
            assert!(whole_minutes(bad).is_err(), "{bad}");
        }
        assert_eq!((step("15m"), step("24h")), (Ok(15), Ok(DAY)));
        assert!(step("7m").is_err());
        let lengths: Lengths = "60m, 30m,2h".parse().expect("three");
        assert_eq!(lengths.to_string(), "60m,30m,120m");
        assert_eq!(lengths.sorted().to_string(), "30m,60m,120m");
        for bad in ["", "60m,", "60m,1h", "1m,2m,3m,4m,5m,6m,7m,8m,9m"] {
            assert!(bad.parse::<Lengths>().is_err(), "{bad}");
        }
    }
}
