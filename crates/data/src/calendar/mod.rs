//! Calendars: iCalendar files (RFC 5545) to busy times, to free slots, to a list in the order of a user's preferences.
//!
//! [`Calendar`] (read) → [`Calendar::free`] (the slots of a [`Search`] that nothing occupies) → [`Preference::rank`] (the best
//! first) → [`slot_table`] (the list for a run) → [`Slot::write`] (the one that was agreed on, for a calendar program).
//! Between the first two stands a [`Sheet`] where somebody corrects by hand what the calendar says.
//!
//! **Busy** is every event that is neither `TRANSP:TRANSPARENT` nor `STATUS:CANCELLED`, from its start up to its end, with
//! all its recurrences (`RRULE`, `RDATE`, without `EXDATE`), each as its `RECURRENCE-ID` override has it; a whole-day event
//! from midnight to midnight; and the busy periods of a `VFREEBUSY`. Times without a zone are in the zone of the search.
//!
//! **Slots** begin at whole multiples of a step since 1970-01-01T00:00Z, so that two people in different zones mean the same
//! ones, and are compared as instants with their end. A search may have slots of several [`Lengths`]; those that start together stand in
//! the order of these, and a preference keeps them so.

mod busy;
mod dates;
mod event;
mod lengths;
mod lines;
mod prefer;
mod recur;
mod search;
mod sheet;
#[cfg(test)]
mod tests;
mod time;
mod windows;
mod write;

pub use busy::Calendar;
pub use dates::{Dates, Hours, TimeError};
pub use lengths::{Lengths, step};
pub use prefer::Preference;
pub use search::{MAX_SLOTS, Search, Slot, slot_table};
pub use sheet::Sheet;
pub use time::Zone;
