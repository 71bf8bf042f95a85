//! Dates, times, zones and durations as RFC 5545 writes them (sections 3.3.4 to 3.3.6 and 3.3.9).

use std::str::FromStr;

use chrono::{
    DateTime, Days, Duration, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone, Utc,
};
use chrono_tz::Tz;

use super::dates::TimeError;

/// What is wrong with a line.
pub(super) type Bad = &'static str;

/// A time zone of the IANA database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(pub(super) Tz);

impl FromStr for Zone {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        text.parse().map(Self).map_err(|_| {
            TimeError("a time zone of the IANA database is needed, such as Europe/Berlin or UTC")
        })
    }
}

impl Zone {
    /// The instant at which clocks show `local`. What they show twice is the first time; what they skip counts from the
    /// offset before the gap (RFC 5545, section 3.3.5).
    pub(super) fn instant(self, local: NaiveDateTime) -> DateTime<Utc> {
        if let Some(instant) = self.0.from_local_datetime(&local).earliest() {
            return instant.to_utc();
        }
        // No gap is longer than the day that Samoa left out.
        let before = (1..=25).find_map(|hours| {
            let earlier = local - Duration::hours(hours);
            self.0.offset_from_local_datetime(&earlier).earliest()
        });
        let offset = before.map_or(0, |offset| offset.fix().local_minus_utc());
        (local - Duration::seconds(offset.into())).and_utc()
    }

    /// What clocks show at an instant.
    pub(super) fn local(self, instant: DateTime<Utc>) -> NaiveDateTime {
        instant.with_timezone(&self.0).naive_local()
    }
}

/// The value of a property such as `DTSTART`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// A whole day.
    Day(NaiveDate),
    /// What clocks show, in a zone or in that of the search.
    Clock(NaiveDateTime, Option<Zone>),
    /// An instant.
    Instant(DateTime<Utc>),
}

impl When {
    /// `20270329`, `20270329T090000` or `20270329T080000Z`.
    pub(super) fn parse(text: &str, zone: Option<Zone>) -> Result<Self, Bad> {
        const FORM: Bad =
            "no date such as 20270329, and no time such as 20270329T090000 or 20270329T080000Z";
        let Some((day, time)) = text.split_once('T') else {
            return date(text).map(Self::Day).ok_or(FORM);
        };
        let (time, is_utc) = time.strip_suffix('Z').map_or((time, false), |time| (time, true));
        let clock = date(day).zip(clock(time)).map(|(day, time)| day.and_time(time)).ok_or(FORM)?;
        Ok(if is_utc { Self::Instant(clock.and_utc()) } else { Self::Clock(clock, zone) })
    }

    /// What clocks show then, in the zone that it is written in.
    pub(super) fn clock(self) -> NaiveDateTime {
        match self {
            Self::Day(day) => day.and_time(NaiveTime::MIN),
            Self::Clock(clock, _) => clock,
            Self::Instant(instant) => instant.naive_utc(),
        }
    }

    /// The same form with what clocks show at another time.
    pub(super) fn at(self, clock: NaiveDateTime) -> Self {
        match self {
            Self::Day(_) => Self::Day(clock.date()),
            Self::Clock(_, zone) => Self::Clock(clock, zone),
            Self::Instant(_) => Self::Instant(clock.and_utc()),
        }
    }

    /// The instant, if what has no zone is in `home`.
    pub(super) fn instant(self, home: Zone) -> DateTime<Utc> {
        match self {
            Self::Day(_) => home.instant(self.clock()),
            Self::Clock(clock, zone) => zone.unwrap_or(home).instant(clock),
            Self::Instant(instant) => instant,
        }
    }

    /// The zone in which it is written.
    pub(super) fn zone(self, home: Zone) -> Zone {
        match self {
            Self::Day(_) => home,
            Self::Clock(_, zone) => zone.unwrap_or(home),
            Self::Instant(_) => Zone(Tz::UTC),
        }
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn date(text: &str) -> Option<NaiveDate> {
    let (year, month, day) = (text.get(0..4)?, text.get(4..6)?, text.get(6..)?);
    let day = (day.len() == 2).then(|| number(day))??;
    NaiveDate::from_ymd_opt(number(year)?, number(month)?, day)
}

fn clock(text: &str) -> Option<NaiveTime> {
    let (hour, minute, second) = (text.get(0..2)?, text.get(2..4)?, text.get(4..)?);
    let second: u32 = (second.len() == 2).then(|| number(second))??;
    // A leap second is the one before.
    NaiveTime::from_hms_opt(number(hour)?, number(minute)?, if second == 60 { 59 } else { second })
}

/// The most days of a duration, the years that a date can name: whatever lasts longer lasts as long as anybody asks.
const LONGEST: u64 = 10_000 * 366;

/// A duration: days are as long as clocks make them, the rest is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    days: u64,
    rest: Duration,
}

impl Span {
    /// Whole days.
    pub(super) fn days(days: u64) -> Self {
        Self { days, rest: Duration::zero() }
    }

    /// Exactly so long.
    pub(super) fn exact(rest: Duration) -> Self {
        Self { days: 0, rest }
    }

    /// `P2D`, `PT1H30M`, `P1W`, and so on.
    pub(super) fn parse(text: &str) -> Result<Self, Bad> {
        const FORM: Bad = "no duration such as PT1H30M or P2D";
        let text = text.strip_prefix('+').unwrap_or(text).strip_prefix('P').ok_or(FORM)?;
        let (days, time) = text.split_once('T').unwrap_or((text, ""));
        if text.is_empty() || text.ends_with('T') {
            return Err(FORM);
        }
        let mut whole: u64 = 0;
        for (amount, unit) in amounts(days).ok_or(FORM)? {
            match unit {
                'W' => whole = whole.saturating_add(7 * amount),
                'D' => whole = whole.saturating_add(amount),
                _ => return Err(FORM),
            }
        }
        let mut seconds: u64 = 0;
        for (amount, unit) in amounts(time).ok_or(FORM)? {
            let unit = match unit {
                'H' => 3600,
                'M' => 60,
                'S' => 1,
                _ => return Err(FORM),
            };
            seconds = seconds.saturating_add(unit * amount);
        }
        let seconds = seconds.min(LONGEST * 24 * 3600);
        Ok(Self { days: whole.min(LONGEST), rest: Duration::seconds(seconds as i64) })
    }

    /// The end of what begins at `start`.
    pub(super) fn after(self, start: When, home: Zone) -> DateTime<Utc> {
        let begins = start.clock();
        let later = begins.checked_add_days(Days::new(self.days)).unwrap_or(begins);
        // Clocks may be changed on the way, but only days go by the clock.
        let moved = if self.days == 0 { start } else { start.at(later) };
        moved.instant(home) + self.rest
    }
}

/// `1H30M` as amounts of at most six digits with their units.
fn amounts(mut text: &str) -> Option<Vec<(u64, char)>> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let end = text.find(|c: char| !c.is_ascii_digit()).filter(|end| (1..=6).contains(end))?;
        let unit = text[end..].chars().next()?;
        found.push((text[..end].parse().ok()?, unit));
        text = &text[end + unit.len_utf8()..];
    }
    Some(found)
}
