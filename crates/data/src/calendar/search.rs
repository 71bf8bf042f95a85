//! Free slots.

use std::fmt;

use chrono::{DateTime, Datelike, Duration, SecondsFormat, Utc, Weekday};

use super::busy::{Busy, Calendar};
use super::dates::{Dates, Hours, minute_of};
use super::lengths::Lengths;
use super::time::Zone;
use crate::{DataError, Table};

/// Where slots are looked for.
#[derive(Debug, Clone)]
pub struct Search {
    /// The days, in `zone`.
    pub dates: Dates,
    /// The hours of each day, in `zone`; a slot is within them as clocks show them.
    pub hours: Hours,
    /// The zone of whoever looks.
    pub zone: Zone,
    /// Whether Saturdays and Sundays count.
    pub weekends: bool,
    /// How long a slot may be.
    pub lengths: Lengths,
    /// Minutes from one start to the next, a divisor of a day.
    pub step: u32,
}

/// Time for a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    pub(super) start: DateTime<Utc>,
    pub(super) end: DateTime<Utc>,
}

/// The most slots that a list may have.
pub const MAX_SLOTS: usize = 4096;

impl Slot {
    /// The start in UTC, as RFC 3339 has it.
    #[must_use]
    pub fn start(&self) -> String {
        self.start.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// How long it is.
    pub(super) fn minutes(&self) -> i64 {
        (self.end - self.start).num_minutes()
    }

    /// The end in UTC, as RFC 3339 has it.
    #[must_use]
    pub fn end(&self) -> String {
        self.end.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// What clocks in `zone` show at its start and its end, such as `2027-03-29T09:00`.
    #[must_use]
    pub fn clock(&self, zone: Zone) -> [String; 2] {
        [self.start, self.end].map(|at| zone.local(at).format("%Y-%m-%dT%H:%M").to_string())
    }

    /// As clocks in `zone` show it.
    #[must_use]
    pub fn in_zone(&self, zone: Zone) -> String {
        let (start, end) = (zone.local(self.start), zone.local(self.end));
        let day = if start.date() == end.date() { "" } else { "%Y-%m-%d " };
        format!("{}–{}", start.format("%a %Y-%m-%d %H:%M"), end.format(&format!("{day}%H:%M")))
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.start(), self.end())
    }
}

impl Search {
    /// All slots, free or not, the first first, and those that start together in the order of their lengths.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let (from, to) = self.bounds();
        let step = i64::from(self.step.max(1)) * 60;
        let (first, last) = (from.timestamp().div_euclid(step), to.timestamp().div_euclid(step));
        let starts =
            (first..=last).filter_map(move |count| DateTime::from_timestamp(count * step, 0));
        let slots = |start: DateTime<Utc>| {
            let end = move |minutes: u32| start + Duration::minutes(minutes.into());
            self.lengths.minutes().map(move |minutes| Slot { start, end: end(minutes) })
        };
        starts.flat_map(slots).filter(|slot| self.takes(slot))
    }

    /// From the first midnight to the last.
    fn bounds(&self) -> Busy {
        let midnight = |day: chrono::NaiveDate| self.zone.instant(day.and_time(Default::default()));
        (
            midnight(self.dates.first),
            midnight(self.dates.last.succ_opt().unwrap_or(self.dates.last)),
        )
    }

    /// Whether a slot is within the days and their hours.
    fn takes(&self, slot: &Slot) -> bool {
        let (start, end) = (self.zone.local(slot.start), self.zone.local(slot.end));
        let day = start.date();
        let days = (end.date() - day).num_days();
        let ends = minute_of(end.time()) + if days == 1 { 24 * 60 } else { 0 };
        (self.dates.first..=self.dates.last).contains(&day)
            && (0..=1).contains(&days)
            && (self.weekends || !matches!(day.weekday(), Weekday::Sat | Weekday::Sun))
            && minute_of(start.time()) >= self.hours.from
            && ends <= self.hours.to
    }
}

impl Calendar {
    /// The slots that nothing in this calendar overlaps, the first first, and those that start together in the order of their
    /// lengths.
    ///
    /// # Errors
    /// When a recurrence cannot be read or has no bounds, or there are more than [`MAX_SLOTS`] slots.
    pub fn free(&self, search: &Search) -> Result<Vec<Slot>, DataError> {
        unoccupied(search, self.occupied(search)?)
    }

    /// What overlaps the days of a search, in no order.
    pub(super) fn occupied(&self, search: &Search) -> Result<Vec<Busy>, DataError> {
        let (from, to) = search.bounds();
        self.busy(search.zone, from, to + Duration::days(1))
    }
}

/// The slots that nothing of `busy` overlaps, the first first.
pub(super) fn unoccupied(search: &Search, mut busy: Vec<Busy>) -> Result<Vec<Slot>, DataError> {
    busy.sort_unstable();
    // The latest end of all that starts no later.
    let mut latest = DateTime::<Utc>::MIN_UTC;
    for (_, end) in &mut busy {
        latest = latest.max(*end);
        *end = latest;
    }
    let is_free = |slot: &Slot| {
        let before = busy.partition_point(|(start, _)| *start < slot.end);
        before == 0 || busy[before - 1].1 <= slot.start
    };
    let free: Vec<Slot> = search.slots().filter(is_free).collect();
    if free.len() > MAX_SLOTS {
        return Err(DataError::TooManySlots { count: free.len(), most: MAX_SLOTS });
    }
    Ok(free)
}

/// The slots as a table of `start` and `end`, in this order.
///
/// # Errors
/// When they are too many for a table.
pub fn slot_table(name: String, slots: &[Slot]) -> Result<Table, DataError> {
    let rows: String =
        slots.iter().map(|slot| format!("{},{}\n", slot.start(), slot.end())).collect();
    Table::parse(name, format!("start,end\n{rows}").into_bytes(), b',')
}
