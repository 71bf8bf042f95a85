//! A meeting: from a calendar and a wish to the slot that two people agree on.

use veilset_data::calendar::{Calendar, Dates, Lengths, Slot, slot_table};
use veilset_data::{DataError, KeySpec, Source};
use veilset_names::names;
use veilset_protocols::{Choices, Scheme};
use veilset_session::{Detail, Mismatch, SessionError};
use veilset_sources::{fetch, is_url};

use crate::{Done, Error, Input, Job};

/// What both sides must say alike.
#[derive(Debug, Clone)]
pub struct Meeting {
    /// The days to look at.
    pub dates: Dates,
    /// How long a slot may be; in which order one likes them is one's own.
    pub lengths: Lengths,
    /// Minutes from one start to the next.
    pub step: u32,
    /// How both sides' preferences become one.
    pub scheme: Scheme,
}

names! {
    "what both sides say";
    /// What both sides say of a meeting, by the names under which the terms have it.
    pub enum Said {
        /// How long it is.
        Length = "slot length (--length)",
        /// The days.
        Dates = "dates (--between)",
        /// From one start to the next.
        Step = "slot grid (--step)",
        /// How preferences become one.
        Scheme = "scheme",
    }
}

/// Something that the two sides do not say alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it is, if it is of the meeting.
    pub said: Option<Said>,
    /// What it is called, without the flag for it.
    pub name: String,
    /// This side's value.
    pub mine: String,
    /// The other side's, escaped.
    pub theirs: String,
}

/// What the two sides do not say alike, if that is why a run failed.
#[must_use]
pub fn differences(error: &Error) -> Vec<Difference> {
    let difference = |Mismatch { field, mine, theirs }: &Mismatch| Difference {
        said: field.parse().ok(),
        name: field.split(" (").next().unwrap_or_default().to_owned(),
        mine: mine.clone(),
        theirs: theirs.clone(),
    };
    match error {
        Error::Session(SessionError::Terms(mismatches)) => {
            mismatches.iter().map(difference).collect()
        }
        _ => Vec::new(),
    }
}

impl Meeting {
    /// `job` as an agreement on this meeting.
    #[must_use]
    pub fn terms_of(&self, job: Job) -> Job {
        let detail = |said: Said, value: String| Detail { name: said.name().to_owned(), value };
        Job {
            choices: Choices { scheme: Some(self.scheme), ..job.choices },
            details: vec![
                detail(Said::Length, self.lengths.clone().sorted().to_string()),
                detail(Said::Dates, self.dates.to_string()),
                detail(Said::Step, format!("{}m", self.step)),
            ],
            ..job
        }
    }
}

/// Reads the calendar in a file, at an `https://` or `http://` address, or on standard input (`-`).
///
/// # Errors
/// When it cannot be read or fetched, or is no calendar. Of an address, errors show the host alone.
pub fn calendar(place: &str) -> Result<Calendar, Error> {
    if !is_url(place) {
        return Ok(Calendar::read(&Source::new(place))?);
    }
    let (host, bytes) = fetch(place)?;
    Ok(Calendar::parse(host, bytes)?)
}

/// The free slots, the best first, as a list for a run; `name` is what messages call it.
///
/// # Errors
/// When they are too many for a table.
pub fn input(name: String, slots: &[Slot]) -> Result<Input, Error> {
    Ok(Input::of(slot_table(name, slots)?, &key()?)?)
}

fn key() -> Result<KeySpec, DataError> {
    "start,end".parse()
}

/// The slot that both sides agree on, with its place from 0 in this side's list; `None` if no slot is in both lists.
#[must_use]
pub fn agreed<'a>(done: &Done, input: &Input, slots: &'a [Slot]) -> Option<(usize, &'a Slot)> {
    let place = done.agreed(input).flatten()?;
    Some((place, slots.get(place)?))
}
