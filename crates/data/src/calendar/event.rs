//! Components of a calendar: `VEVENT` and `VFREEBUSY` (RFC 5545, sections 3.6.1 and 3.6.4).

use std::collections::{HashMap, HashSet};

use super::lines::Line;
use super::time::{Bad, Span, When, Zone};
use super::windows;

/// An event that occupies time, or says which recurrence of another does not.
#[derive(Clone)]
pub(super) struct Event {
    /// The line of its `BEGIN`.
    pub(super) line: u64,
    pub(super) uid: String,
    pub(super) start: When,
    pub(super) length: Length,
    /// Rules with their lines.
    pub(super) rules: Vec<(u64, String)>,
    /// Further starts, with ends where they have their own.
    pub(super) more: Vec<(When, Option<Length>)>,
    pub(super) except: Vec<When>,
    /// The start of the recurrence that this event stands for.
    pub(super) replaces: Option<When>,
    pub(super) sequence: u64,
    pub(super) is_free: bool,
}

/// When an event ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Length {
    /// At this time; each recurrence lasts as long.
    Until(When),
    /// So long after its start.
    For(Span),
}

/// What a file says of the zones that it names.
#[derive(Default)]
pub(super) struct Zones {
    /// Where it says that they are (`X-LIC-LOCATION`).
    pub(super) places: HashMap<String, Zone>,
    /// Those for which it has daylight saving.
    pub(super) with_daylight: HashSet<String>,
}

/// Names of the IANA database for zones without daylight saving, which programs also give to zones that have it.
const WITHOUT_DAYLIGHT: [&str; 3] = ["EST", "MST", "HST"];

/// The longest name of a zone.
const LONGEST_NAME: usize = 64;

impl Zones {
    /// The zone that the file calls `name`: one that it defines with `X-LIC-LOCATION`, one of the IANA database, also at the
    /// end of a longer name, or one of Windows.
    fn zone(&self, name: &str) -> Result<Zone, Bad> {
        if WITHOUT_DAYLIGHT.contains(&name) && self.with_daylight.contains(name) {
            return Err(
                "a time zone by an ambiguous name; a name such as America/New_York is clear",
            );
        }
        let zone = self.places.get(name).copied().or_else(|| of_database(name));
        zone.or_else(|| windows::zone(name))
            .ok_or("a time zone that is neither in the IANA database nor one of Windows")
    }
}

/// Names of the IANA database that are but one part, and mean one thing at the end of any longer name.
const UNIVERSAL: [&str; 6] = ["UTC", "GMT", "UCT", "Zulu", "Universal", "Greenwich"];

/// Names at the end of a longer one have two or three parts, such as `America/Indiana/Knox`, or are of [`UNIVERSAL`].
fn of_database(name: &str) -> Option<Zone> {
    let parts = name.rmatch_indices('/').take(3).map(|(place, _)| &name[place + 1..]);
    let parts = parts.filter(|part| part.contains('/') || UNIVERSAL.contains(part));
    let names = std::iter::once(name).chain(parts);
    names.filter(|name| name.len() <= LONGEST_NAME).find_map(|name| name.parse().ok())
}

/// A property's values: dates or times, parted by commas.
fn whens(line: &Line, zones: &Zones) -> Result<Vec<(When, Option<Length>)>, Bad> {
    let zone = line.parameter("TZID").map(|name| zones.zone(name)).transpose()?;
    line.value.split(',').map(|text| when(text.trim(), zone)).collect()
}

/// A time, or a period: a time with its end.
fn when(text: &str, zone: Option<Zone>) -> Result<(When, Option<Length>), Bad> {
    let Some((start, end)) = text.split_once('/') else {
        return Ok((When::parse(text, zone)?, None));
    };
    let length = if end.starts_with(['P', '+']) {
        Length::For(Span::parse(end)?)
    } else {
        Length::Until(When::parse(end, zone)?)
    };
    Ok((When::parse(start, zone)?, Some(length)))
}

fn one(line: &Line, zones: &Zones) -> Result<When, Bad> {
    match whens(line, zones)?.as_slice() {
        [(when, None)] => Ok(*when),
        _ => Err("more than one time"),
    }
}

/// What a `VEVENT` says, line by line.
#[derive(Default)]
pub(super) struct Builder {
    line: u64,
    uid: String,
    start: Option<When>,
    end: Option<Length>,
    rules: Vec<(u64, String)>,
    more: Vec<(When, Option<Length>)>,
    except: Vec<When>,
    replaces: Option<When>,
    sequence: u64,
    is_free: bool,
}

impl Builder {
    /// Of the component that begins on `line`.
    pub(super) fn new(line: u64) -> Self {
        Self { line, ..Self::default() }
    }

    /// Takes a line of the component itself.
    pub(super) fn add(&mut self, line: &Line, zones: &Zones) -> Result<(), Bad> {
        let is = |text: &str| line.value.trim().eq_ignore_ascii_case(text);
        match line.name.as_str() {
            "UID" => self.uid.clone_from(&line.value),
            "DTSTART" => self.start = Some(one(line, zones)?),
            "DTEND" => self.end = Some(Length::Until(one(line, zones)?)),
            "DURATION" => self.end = Some(Length::For(Span::parse(line.value.trim())?)),
            "RRULE" => self.rules.push((line.number, line.value.trim().to_owned())),
            "RDATE" => self.more.extend(whens(line, zones)?),
            "EXDATE" => self.except.extend(whens(line, zones)?.into_iter().map(|(when, _)| when)),
            "EXRULE" => {
                return Err("EXRULE, which RFC 5545 no longer has; list the dates in EXDATE");
            }
            "RECURRENCE-ID" if line.parameter("RANGE").is_some() => {
                return Err("a change of all following recurrences; split the event in two");
            }
            "RECURRENCE-ID" => self.replaces = Some(one(line, zones)?),
            "SEQUENCE" => self.sequence = line.value.trim().parse().map_err(|_| "no number")?,
            "TRANSP" => self.is_free |= is("TRANSPARENT"),
            "STATUS" => self.is_free |= is("CANCELLED"),
            _ => {}
        }
        Ok(())
    }

    /// The event; without an end, a date lasts its day and a time no time at all.
    pub(super) fn finish(self) -> Result<Event, (u64, Bad)> {
        let start = self.start.ok_or((self.line, "an event without DTSTART"))?;
        let default = match start {
            When::Day(_) => Span::days(1),
            When::Clock(..) | When::Instant(_) => Span::days(0),
        };
        Ok(Event {
            line: self.line,
            uid: self.uid,
            start,
            length: self.end.unwrap_or(Length::For(default)),
            rules: self.rules,
            more: self.more,
            except: self.except,
            replaces: self.replaces,
            sequence: self.sequence,
            is_free: self.is_free,
        })
    }
}

/// The busy periods of a line of a `VFREEBUSY`; none if it is another line, or tells when one is free.
pub(super) fn periods(line: &Line, zones: &Zones) -> Result<Vec<(When, Option<Length>)>, Bad> {
    let is_free = line.parameter("FBTYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("FREE"));
    if line.name == "FREEBUSY" && !is_free { whens(line, zones) } else { Ok(Vec::new()) }
}
