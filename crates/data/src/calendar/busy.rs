//! Busy times of a calendar.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, NaiveDate, Utc};

use super::event::{Builder, Event, Length, Zones, periods};
use super::lines::{Line, lines};
use super::recur::{Budget, starts};
use super::time::{Bad, Span, When, Zone};
use crate::error::{Place, Spot};
use crate::{DataError, Source};

/// A calendar file: its events, before any zone or date is asked for.
pub struct Calendar {
    name: String,
    events: Vec<Event>,
    /// With their lines.
    periods: Vec<(u64, When, Option<Length>)>,
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

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
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
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<Busy>, DataError> {
        let overlaps = |(start, end): &Busy| *start < to && *end > from && start < end;
        let (mut busy, mut budget) = (Vec::new(), Budget::new());
        let changed = self.changed(home);
        for event in &self.events {
            let found = occurrences(event, &changed, home, to, &mut budget);
            let found = found.map_err(|(line, what)| bad(&self.name, line, what))?;
            busy.extend(found.into_iter().filter(overlaps));
        }
        for (line, start, length) in &self.periods {
            let length = length.unwrap_or(Length::For(Span::days(0)));
            let end = end(*start, *start, length, home);
            let end = end.map_err(|what| bad(&self.name, *line, what))?;
            busy.extend(Some((start.instant(home), end)).filter(overlaps));
        }
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
    budget: &mut Budget,
) -> Result<Vec<Busy>, (u64, Bad)> {
    let bad = |what| (event.line, what);
    if let Some(replaces) = event.replaces {
        let latest = changed.get(&(event.uid.as_str(), replaces.instant(home)));
        let counts = latest.is_some_and(|latest| latest.line == event.line) && !event.is_free;
        let ends = end(event.start, event.start, event.length, home).map_err(bad)?;
        return Ok(counts.then(|| (event.start.instant(home), ends)).into_iter().collect());
    }
    if event.is_free {
        return Ok(Vec::new());
    }
    let except = Exceptions::new(&event.except, home);
    let rules = starts(event, home, to, budget)?.into_iter().map(|start| (start, None));
    let mut all: Vec<Busy> = Vec::new();
    for (start, own) in rules.chain(event.more.iter().copied()) {
        let begins = start.instant(home);
        if except.name(start, begins) || changed.contains_key(&(event.uid.as_str(), begins)) {
            continue;
        }
        let ends = match own {
            Some(length) => end(start, start, length, home),
            None => end(start, event.start, event.length, home),
        };
        all.push((begins, ends.map_err(bad)?));
    }
    Ok(all)
}

/// Recurrences that do not take place, named by their instants or by their days alone.
struct Exceptions {
    days: HashSet<NaiveDate>,
    instants: HashSet<DateTime<Utc>>,
}

impl Exceptions {
    fn new(except: &[When], home: Zone) -> Self {
        let mut named = Self { days: HashSet::new(), instants: HashSet::new() };
        for except in except {
            match except {
                When::Day(day) => named.days.insert(*day),
                other => named.instants.insert(other.instant(home)),
            };
        }
        named
    }

    fn name(&self, start: When, begins: DateTime<Utc>) -> bool {
        self.instants.contains(&begins) || self.days.contains(&start.clock().date())
    }
}

/// The end of what starts at `start`, if the event that starts at `first` has this length. An end is as far from its
/// start in each recurrence: in days where both are dates, else exactly (RFC 5545, section 3.8.5.3).
fn end(start: When, first: When, length: Length, home: Zone) -> Result<DateTime<Utc>, Bad> {
    const BEFORE: Bad = "an event that ends before it begins";
    let span = match (first, length) {
        (_, Length::For(span)) => span,
        (When::Day(first), Length::Until(When::Day(last))) => {
            Span::days((last - first).num_days().try_into().map_err(|_| BEFORE)?)
        }
        (first, Length::Until(last)) => {
            let exact = last.instant(home) - first.instant(home);
            if exact < Duration::zero() {
                return Err(BEFORE);
            }
            Span::exact(exact)
        }
    };
    Ok(span.after(start, home))
}

fn bad(name: &str, line: u64, what: Bad) -> DataError {
    DataError::Calendar {
        place: Place { file: name.to_owned(), spot: Spot::Line(line), column: None },
        what,
    }
}

/// What a file says of zones under names of its own.
fn zones(lines: &[Line]) -> Zones {
    let (mut zones, mut name) = (Zones::default(), None);
    for line in lines {
        match (line.name.as_str(), &name) {
            ("BEGIN", Some(name)) if line.value.trim().eq_ignore_ascii_case("DAYLIGHT") => {
                zones.with_daylight.insert(String::clone(name));
            }
            ("BEGIN", _) if line.value.trim().eq_ignore_ascii_case("VTIMEZONE") => name = None,
            ("TZID", _) => name = Some(line.value.clone()),
            ("X-LIC-LOCATION", Some(name)) => {
                if let Ok(zone) = line.value.parse() {
                    zones.places.insert(name.clone(), zone);
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
    periods: Vec<(u64, When, Option<Length>)>,
}

impl Reader {
    fn take(&mut self, line: &Line) -> Result<(), Bad> {
        match line.bracket() {
            Some((true, name)) => {
                if self.open.is_empty() && name != "VCALENDAR" {
                    return Err("no BEGIN:VCALENDAR, with which a calendar begins");
                }
                if name == "VEVENT" && !self.inside("VCALENDAR") {
                    return Err("an event that is not directly in a calendar");
                }
                if name == "VEVENT" {
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
            None if self.inside("VFREEBUSY") => {
                let periods = periods(line, &self.zones)?.into_iter();
                self.periods.extend(periods.map(|(start, length)| (line.number, start, length)));
            }
            None => {}
        }
        Ok(())
    }

    /// Whether the innermost open component is this.
    fn inside(&self, name: &str) -> bool {
        self.open.last().is_some_and(|(_, open)| open == name)
    }
}
