//! A meeting: from a calendar and a wish to the slot that two people agree on.

use veilset_data::calendar::{Calendar, Dates, Slot, slot_table};
use veilset_data::{DataError, KeySpec, Source};
use veilset_net::{fetch, is_url};
use veilset_protocols::Scheme;
use veilset_session::Detail;

use crate::{Done, Error, Input, Job};

/// What both sides must say alike.
#[derive(Debug, Clone, Copy)]
pub struct Meeting {
    /// The days to look at.
    pub dates: Dates,
    /// Minutes of a slot.
    pub length: u32,
    /// Minutes from one start to the next.
    pub step: u32,
    /// How both sides' preferences become one.
    pub scheme: Scheme,
}

impl Meeting {
    /// `job` as an agreement on this meeting.
    #[must_use]
    pub fn terms_of(&self, job: Job) -> Job {
        let detail = |name: &str, value: String| Detail { name: name.to_owned(), value };
        Job {
            scheme: self.scheme,
            details: vec![
                detail("slot length (--length)", format!("{}m", self.length)),
                detail("dates (--between)", self.dates.to_string()),
                detail("slot grid (--step)", format!("{}m", self.step)),
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
