//! A user's preferences: the order of slots.

use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDateTime, Timelike, Utc, Weekday};

use super::dates::minutes;
use super::lengths::whole_minutes;
use super::search::Slot;
use super::time::{Bad, Zone};
use crate::error::{Place, Spot};
use crate::{DataError, Source};

/// Which slots somebody likes better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preference {
    /// Those that start before noon first, and each half from the earliest.
    Mornings,
    /// Those that start at noon or later first, and each half from the earliest.
    Afternoons,
    /// From the earliest to the latest.
    Early,
    /// From the latest to the earliest.
    Late,
    /// As a file says.
    Rules(Rules),
}

/// The rules of a file, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    like: Vec<Rule>,
    never: Vec<Rule>,
}

/// Which slots a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    start: Start,
    /// Those of so many minutes, or of any.
    minutes: Option<u32>,
}

/// When a slot starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Then.
    At(DateTime<Utc>),
    /// On these days, from a minute of the day up to another.
    Within { days: [bool; 7], from: u32, to: u32 },
}

impl Preference {
    /// Reads the rules of a file.
    ///
    /// # Errors
    /// When it cannot be read, or a line is no rule; the error names the line.
    pub fn read(source: &Source) -> Result<Self, DataError> {
        let (file, bytes) = (source.name(), source.bytes()?);
        Self::parse(&file, &String::from_utf8_lossy(&bytes))
    }

    /// Reads rules, one a line, the best first: `2027-03-29T10:00:00+02:00`, or days, hours or both, such as `mon-thu
    /// 09:00-12:00`, `fri`, `weekends` or `14:00`; before these, or alone, a length such as `60m`. `not` before it all: such
    /// slots are not offered. Empty lines and what follows `#` say nothing.
    ///
    /// # Errors
    /// When a line is no rule; the error names it and `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self, DataError> {
        let mut rules = Rules { like: Vec::new(), never: Vec::new() };
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start_matches('\u{feff}').split('#').next().unwrap_or_default();
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                continue;
            }
            let (list, line) = match line.strip_prefix("not ") {
                Some(rest) => (&mut rules.never, rest.trim()),
                None => (&mut rules.like, line.as_str()),
            };
            let place = || Place { file: file.to_owned(), spot: Spot::Line(number), column: None };
            list.push(rule(line).map_err(|what| DataError::Preference { place: place(), what })?);
        }
        Ok(Self::Rules(rules))
    }

    /// The slots in this order, as somebody in `zone` sees them, without those that are never offered. Slots that are liked
    /// alike, or of which no rule speaks, come from the earliest; the latter after all others. Those that start together stay in
    /// their order where no rule tells them apart.
    #[must_use]
    pub fn rank(&self, mut slots: Vec<Slot>, zone: Zone) -> Vec<Slot> {
        let local = |slot: &Slot| zone.local(slot.start);
        let is_morning = |slot: &Slot| local(slot).hour() < 12;
        match self {
            Self::Early => slots.sort_by_key(|slot| slot.start),
            Self::Late => slots.sort_by_key(|slot| std::cmp::Reverse(slot.start)),
            Self::Mornings => slots.sort_by_key(|slot| (!is_morning(slot), slot.start)),
            Self::Afternoons => slots.sort_by_key(|slot| (is_morning(slot), slot.start)),
            Self::Rules(rules) => {
                let about = |rules: &[Rule], slot: &Slot| {
                    rules.iter().position(|rule| rule.is_about(slot, local(slot)))
                };
                slots.retain(|slot| about(&rules.never, slot).is_none());
                let place = |slot: &Slot| about(&rules.like, slot).unwrap_or(rules.like.len());
                slots.sort_by_key(|slot| (place(slot), slot.start));
            }
        }
        slots
    }
}

impl FromStr for Preference {
    type Err = DataError;

    /// One of the four words, or the name of a file of rules.
    fn from_str(text: &str) -> Result<Self, DataError> {
        match text {
            "mornings" => Ok(Self::Mornings),
            "afternoons" => Ok(Self::Afternoons),
            "early" => Ok(Self::Early),
            "late" => Ok(Self::Late),
            file => Self::read(&Source::new(file)),
        }
    }
}

impl Rule {
    fn is_about(self, slot: &Slot, local: NaiveDateTime) -> bool {
        let is_long = |minutes: u32| slot.minutes() == i64::from(minutes);
        self.minutes.is_none_or(is_long) && self.start.is_of(slot, local)
    }
}

impl Start {
    /// At any time of any day.
    const ANY: Self = Self::Within { days: [true; 7], from: 0, to: 24 * 60 };

    fn is_of(self, slot: &Slot, local: NaiveDateTime) -> bool {
        match self {
            Self::At(start) => slot.start == start,
            Self::Within { days, from, to } => {
                let minute = 60 * local.hour() + local.minute();
                days[local.weekday().num_days_from_monday() as usize]
                    && (from..to).contains(&minute)
            }
        }
    }
}

fn rule(line: &str) -> Result<Rule, Bad> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match (whole_minutes(word), rest.trim()) {
        (Ok(minutes), "") => Ok(Rule { start: Start::ANY, minutes: Some(minutes) }),
        (Ok(minutes), rest) => Ok(Rule { start: start(rest)?, minutes: Some(minutes) }),
        (Err(_), _) => Ok(Rule { start: start(line)?, minutes: None }),
    }
}

fn start(text: &str) -> Result<Start, Bad> {
    if let Ok(start) = DateTime::parse_from_rfc3339(&text.to_ascii_uppercase()) {
        return Ok(Start::At(start.to_utc()));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let both = match words.as_slice() {
        [days, hours] => days_of(days).zip(hours_of(hours)),
        [one] => match (days_of(one), hours_of(one)) {
            (Some(days), _) => Some((days, (0, 24 * 60))),
            (None, hours) => hours.map(|hours| ([true; 7], hours)),
        },
        _ => None,
    };
    let (days, (from, to)) = both.ok_or(
        "neither a start such as 2027-03-29T10:00:00+02:00 nor days and hours such as mon-thu 09:00-12:00, nor a length such as 60m",
    )?;
    Ok(Start::Within { days, from, to })
}

/// `mon`, `mon-thu`, `fri-mon`, `weekdays` or `weekends`, from Monday on.
fn days_of(text: &str) -> Option<[bool; 7]> {
    match text {
        "weekdays" => return days_of("mon-fri"),
        "weekends" => return days_of("sat-sun"),
        _ => {}
    }
    let day = |text: &str| {
        let day: Weekday = text.parse().ok()?;
        Some(day.num_days_from_monday() as usize)
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (day(first)?, day(last)?);
    let count = (last + 7 - first) % 7;
    Some(std::array::from_fn(|day| (day + 7 - first) % 7 <= count))
}

/// `09:00-12:00`, up to its end, or a single minute.
fn hours_of(text: &str) -> Option<(u32, u32)> {
    match text.split_once('-') {
        Some((from, to)) => {
            let (from, to) = (minutes(from)?, minutes(to)?);
            (from < to).then_some((from, to))
        }
        None => minutes(text).map(|minute| (minute, minute + 1)),
    }
}
