//! Two calendars, one slot.

use std::time::SystemTime;

use pyo3::prelude::*;
use veilset::data::Source;
use veilset::data::calendar::{Preference, Search, step};
use veilset::json;
use veilset::meeting::{self, Meeting};

use crate::attend::{Caller, attend};
use crate::error::Failure;
use crate::order::Order;
use crate::party::Party;
use crate::peer::{Others, Way};
use crate::run::take_part;
use crate::stop::Stop;

/// The attributes of a wish to meet.
#[derive(FromPyObject)]
pub(crate) struct Wish {
    calendar: String,
    between: String,
    length: String,
    step: String,
    hours: String,
    zone: String,
    weekends: bool,
    prefer: String,
}

/// The run as `veilset agree --json` prints it, and the slot as a calendar of one event, if there is one.
type Agreement = (String, Option<String>);

/// Ranks the free slots, meets the peer, and agrees on the slot that both prefer most.
#[pyfunction]
pub(crate) fn agree(
    py: Python<'_>,
    party: &Bound<'_, Party>,
    way: Way,
    order: Order,
    wish: Wish,
    caller: Caller,
    stop: &Bound<'_, Stop>,
) -> PyResult<Agreement> {
    let (party, stop) = (party.get(), stop.get());
    attend(py, &caller, stop, |reporter| {
        let search = wish.search()?;
        let Search { dates, lengths, step, .. } = search.clone();
        let scheme = order.job(way.names()?)?.choices.scheme.unwrap_or_default();
        let terms = Meeting { dates, lengths, step, scheme };
        let destination = order.place(&Source::new(&wish.calendar))?;
        let others = Others::find(party, &way, stop)?;
        let preference: Preference = wish.prefer.parse()?;
        let free = meeting::calendar(&wish.calendar)?.free(&search)?;
        let slots = preference.rank(free, search.zone);
        let input = meeting::input("slots".to_owned(), &slots)?;

        let job = terms.terms_of(order.governed(party, &others)?);
        job.check_list(&input)?;
        let done = take_part(&order, job, others.meet(reporter)?, &input, None, reporter)?;
        let agreed = meeting::agreed(&done, &input, &slots).map(|(_, slot)| slot);
        let now = SystemTime::now();
        if let (Some(slot), Some(destination)) = (agreed, &destination) {
            order.deliver(destination, &|to| slot.write(to, now))?;
        }
        let report = json::of_meeting(&done, &input, agreed).to_string();
        Ok((report, agreed.map(|slot| slot.calendar(now))))
    })
}

impl Wish {
    fn search(&self) -> Result<Search, Failure> {
        fn read<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<T, Failure> {
            text.parse().map_err(|error: T::Err| Failure::Argument(error.to_string()))
        }
        Ok(Search {
            dates: read(&self.between)?,
            hours: read(&self.hours)?,
            zone: read(&self.zone)?,
            weekends: self.weekends,
            lengths: read(&self.length)?,
            step: step(&self.step).map_err(|error| Failure::Argument(error.to_string()))?,
        })
    }
}
