//! Free time and its order, for the page and for a run.

use std::collections::HashMap;

use serde_json::{Value, json};
use veilset::data::calendar::{Calendar, Sheet, Slot};

use crate::error::Refusal;
use crate::request::Times;

/// The most cells that the page draws: eleven weeks of seven days of 24 hours, every quarter of an hour.
const MOST_CELLS: usize = 7392;

/// What the page draws: each cell with what the calendar says and what holds, and the free slots, the best first.
pub(crate) fn shown(calendar: Option<&Calendar>, times: &Times) -> Result<Value, Refusal> {
    let zone = times.zone()?;
    let said = Sheet::new(calendar, &times.search()?)?;
    let count = said.cells().len();
    if count > MOST_CELLS {
        return Err(Refusal::new(
            "dates",
            format!(
                "{count} steps of time are more than the page draws ({MOST_CELLS}): take fewer days or hours, or a longer step"
            ),
        ));
    }
    let before = said.is_free();
    let sheet = said.corrected(&times.corrections);
    let slots = times.preference()?.rank(sheet.slots()?, zone);
    let cells = sheet.cells().iter().zip(before).zip(sheet.is_free());
    let cell = |((cell, before), free): ((&Slot, bool), bool)| {
        let [clock, _] = cell.clock(zone);
        json!({ "start": cell.start(), "clock": clock, "calendar": before, "free": free })
    };
    let slot = |slot: &Slot| json!({ "name": slot.to_string(), "clock": slot.clock(zone) });
    Ok(json!({
        "cells": cells.map(cell).collect::<Vec<_>>(),
        "slots": slots.iter().map(slot).collect::<Vec<_>>(),
    }))
}

/// The free slots in the order of these names.
pub(crate) fn ordered(
    calendar: Option<&Calendar>,
    times: &Times,
    order: &[String],
) -> Result<Vec<Slot>, Refusal> {
    let sheet = Sheet::new(calendar, &times.search()?)?.corrected(&times.corrections);
    let free = times.preference()?.rank(sheet.slots()?, times.zone()?);
    let mut by_name: HashMap<String, Slot> =
        free.into_iter().map(|slot| (slot.to_string(), slot)).collect();
    let stale = || {
        Refusal::new("order", "the list is not that of your free time any more: reload the page")
    };
    let slots = order.iter().map(|name| by_name.remove(name).ok_or_else(stale));
    let slots = slots.collect::<Result<Vec<_>, _>>()?;
    if by_name.is_empty() { Ok(slots) } else { Err(stale()) }
}
