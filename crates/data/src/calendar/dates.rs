//! Ranges of dates and hours as flags give them.

use std::fmt;
use std::str::FromStr;

use chrono::{NaiveDate, NaiveTime, Timelike};

/// A date, time or zone that cannot be read, with what is needed instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimeError(pub(super) &'static str);

/// Days, both ends included: `2027-03-29..2027-03-30`, or a single day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dates {
    pub(super) first: NaiveDate,
    pub(super) last: NaiveDate,
}

/// The most days of a search.
const MAX_DAYS: i64 = 366;

impl FromStr for Dates {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let day = |text: &str| {
            let shaped = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            let day = text.parse().ok().filter(|_| shaped);
            day.ok_or(TimeError("days are needed, such as 2027-03-29..2027-03-30"))
        };
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let dates = Self { first: day(first)?, last: day(last)? };
        match (dates.last - dates.first).num_days() {
            0..MAX_DAYS => Ok(dates),
            before if before < 0 => Err(TimeError("the last day comes before the first")),
            _ => Err(TimeError("at most 366 days can be searched")),
        }
    }
}

impl fmt::Display for Dates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.last)
    }
}

/// Hours of a day: `09:00-18:00`; the end may be `24:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// Minutes since midnight.
    pub(super) from: u32,
    /// Minutes since midnight, up to 1440.
    pub(super) to: u32,
}

impl FromStr for Hours {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let parts =
            text.split_once('-').and_then(|(from, to)| Some((minutes(from)?, minutes(to)?)));
        let (from, to) = parts.ok_or(TimeError("hours are needed, such as 09:00-18:00"))?;
        if from < to {
            Ok(Self { from, to })
        } else {
            Err(TimeError("the hours end before they begin"))
        }
    }
}

/// `HH:MM` up to `24:00`, as minutes since midnight.
pub(super) fn minutes(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':').filter(|_| text.len() == 5)?;
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u32>().ok())?
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let total = 60 * hour + minute;
    (minute < 60 && total <= 24 * 60).then_some(total)
}

/// Minutes since midnight.
pub(super) fn minute_of(time: NaiveTime) -> u32 {
    60 * time.hour() + time.minute()
}
