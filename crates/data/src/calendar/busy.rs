//! Busy times of a calendar.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::event::{Builder, Event, Length, Zones, periods};
use super::lines::{Line, lines};
use super::recur::starts;
use super::time::{Bad, Span, When, Zone};
use crate::error::Place;
use crate::{DataError, Source};

/// A calendar file: its events, before any zone or date is asked for.
pub struct Calendar {
    name: String,
    events: Vec<Event>,
    periods: Vec<(When, Option<Length>)>,
}

/// From an instant up to another.
pub(super) type Busy = (DateTime<Utc>, DateTime<Utc>);

impl Calendar {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no calendar; the error names the line.
    pub fn read(source: &Source) -> Result<Self, DataError> {
        Self::parse(source.name(), source.bytes()?)
    }

    /// Reads what a file called `name` holds.
    ///
    /// # Errors
    /// When it is no calendar; the error names the line.
    pub fn parse(name: String, bytes: Vec<u8>) -> Result<Self, DataError> {
        let bad = |(line, what)| bad(&name, line, what);
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
            bad((line, "bytes that are no UTF-8 text"))
        })?;
        let lines = lines(&text).map_err(bad)?;
        let zones = zones(&lines);
        let mut reader =
            Reader { zones, open: Vec::new(), events: Vec::new(), periods: Vec::new() };
        lines
            .iter()
            .try_for_each(|line| reader.take(line).map_err(|what| bad((line.number, what))))?;
        if let Some((line, _)) = reader.open.last() {
            return Err(bad((*line, "a component that begins here and never ends")));
        }
        if lines.is_empty() {
            return Err(bad((1, "no BEGIN:VCALENDAR")));
        }
        let events = reader.events.into_iter().map(Builder::finish).collect::<Result<_, _>>();
        Ok(Self { events: events.map_err(bad)?, periods: reader.periods, name })
    }

    /// How many events it has, free ones and changed recurrences too.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// What overlaps the time between two instants, for somebody at `home`, in no order.
    pub(super) fn busy(
        &self,
        home: Zone,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
    ) -> Result<Vec<Busy>, DataError> {
        let mut busy = Vec::new();
        let changed = self.changed(home);
        for event in &self.events {
            let occurrences = occurrences(event, &changed, home, to);
            busy.extend(occurrences.map_err(|(line, what)| bad(&self.name, line, what))?);
        }
        for (start, length) in &self.periods {
            let length = length.unwrap_or(Length::For(Span::days(0)));
            busy.push((start.instant(home), end(*start, *start, length, home)));
        }
        busy.retain(|(start, end)| *start < to && *end > from && start < end);
        Ok(busy)
    }

    /// The events that stand for recurrences; of several for one, that of the highest sequence.
    fn changed(&self, home: Zone) -> Changed<'_> {
        let mut changed: Changed<'_> = HashMap::new();
        for event in &self.events {
            let Some(replaces) = event.replaces else { continue };
            let latest = changed.entry((&event.uid, replaces.instant(home))).or_insert(event);
            if event.sequence >= latest.sequence {
                *latest = event;
            }
        }
        changed
    }
}

/// Events that stand for a recurrence, by the event that recurs and the recurrence's start.
type Changed<'a> = HashMap<(&'a str, DateTime<Utc>), &'a Event>;

/// When an event takes place, if it starts before `to`.
fn occurrences(
    event: &Event,
    changed: &Changed<'_>,
    home: Zone,
    to: DateTime<Utc>,
) -> Result<Vec<Busy>, (u64, Bad)> {
    if let Some(replaces) = event.replaces {
        let latest = changed.get(&(event.uid.as_str(), replaces.instant(home)));
        let counts = latest.is_some_and(|latest| latest.line == event.line) && !event.is_free;
        let start = event.start.instant(home);
        return Ok(if counts {
            vec![(start, end(event.start, event.start, event.length, home))]
        } else {
            Vec::new()
        });
    }
    if event.is_free {
        return Ok(Vec::new());
    }
    let rules = starts(event, home, to)?.into_iter().map(|start| (start, None));
    let mut all: Vec<Busy> = Vec::new();
    for (start, own) in rules.chain(event.more.iter().copied()) {
        let begins = start.instant(home);
        let except = event.except.iter().any(|except| names(*except, start, home));
        if !except && !changed.contains_key(&(event.uid.as_str(), begins)) {
            let ends = match own {
                Some(length) => end(start, start, length, home),
                None => end(start, event.start, event.length, home),
            };
            all.push((begins, ends));
        }
    }
    Ok(all)
}

/// Whether an exception names the recurrence that starts then: by its instant, or by its day alone.
fn names(except: When, start: When, home: Zone) -> bool {
    match except {
        When::Day(day) => start.clock().date() == day,
        other => other.instant(home) == start.instant(home),
    }
}

/// The end of what starts at `start`, if the event that starts at `first` has this length. An end is as far from its
/// start in each recurrence: in days where both are dates, else exactly (RFC 5545, section 3.8.5.3).
fn end(start: When, first: When, length: Length, home: Zone) -> DateTime<Utc> {
    let span = match (first, length) {
        (_, Length::For(span)) => span,
        (When::Day(first), Length::Until(When::Day(last))) => {
            Span::days((last - first).num_days().try_into().unwrap_or(0))
        }
        (first, Length::Until(last)) => Span::exact(last.instant(home) - first.instant(home)),
    };
    span.after(start, home)
}

fn bad(name: &str, line: u64, what: Bad) -> DataError {
    DataError::Calendar { place: Place { file: name.to_owned(), line, column: None }, what }
}

/// The zones that a file defines under names of its own, where it says what they are.
fn zones(lines: &[Line]) -> Zones {
    let (mut zones, mut name) = (Zones::new(), None);
    for line in lines {
        match line.name.as_str() {
            "BEGIN" => name = None,
            "TZID" => name = Some(line.value.clone()),
            "X-LIC-LOCATION" => {
                if let (Some(name), Ok(zone)) = (&name, line.value.parse()) {
                    zones.insert(name.clone(), zone);
                }
            }
            _ => {}
        }
    }
    zones
}

/// Goes through the lines of a file.
struct Reader {
    zones: Zones,
    /// Components that are open, with the lines on which they begin.
    open: Vec<(u64, String)>,
    events: Vec<Builder>,
    periods: Vec<(When, Option<Length>)>,
}

impl Reader {
    fn take(&mut self, line: &Line) -> Result<(), Bad> {
        match line.bracket() {
            Some((true, name)) => {
                if self.open.is_empty() && name != "VCALENDAR" {
                    return Err("no BEGIN:VCALENDAR, with which a calendar begins");
                }
                if self.inside("VCALENDAR") && name == "VEVENT" {
                    self.events.push(Builder::new(line.number));
                }
                self.open.push((line.number, name));
            }
            Some((false, name)) => match self.open.pop() {
                Some((_, open)) if open == name => {}
                _ => return Err("an END without its BEGIN"),
            },
            None if self.open.is_empty() => {
                return Err("no BEGIN:VCALENDAR, with which a calendar begins");
            }
            None if self.inside("VEVENT") => {
                if let Some(event) = self.events.last_mut() {
                    event.add(line, &self.zones)?;
                }
            }
            None if self.inside("VFREEBUSY") => self.periods.extend(periods(line, &self.zones)?),
            None => {}
        }
        Ok(())
    }

    /// Whether the innermost open component is this.
    fn inside(&self, name: &str) -> bool {
        self.open.last().is_some_and(|(_, open)| open == name)
    }
}
