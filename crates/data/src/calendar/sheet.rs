//! Free time by cells of a step: what a calendar says, and what its owner corrected by hand.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};

use super::busy::{Busy, Calendar};
use super::lengths::Lengths;
use super::search::{Search, Slot, unoccupied};
use crate::DataError;

/// Somebody's time within a search, cut at every start of a slot. Whatever a cell is corrected to counts for all of it;
/// elsewhere the calendar counts exactly, so that without corrections the free slots are those of [`Calendar::free`].
pub struct Sheet {
    search: Search,
    cells: Vec<Slot>,
    /// Sorted by start.
    busy: Vec<Busy>,
}

impl Sheet {
    /// What a calendar says; without one, all time is busy.
    ///
    /// # Errors
    /// When a recurrence cannot be read or has no bounds.
    pub fn new(calendar: Option<&Calendar>, search: &Search) -> Result<Self, DataError> {
        let cells: Vec<Slot> = search.cells().collect();
        let mut busy = match calendar {
            Some(calendar) => calendar.occupied(search)?,
            None => cells.iter().map(|cell| (cell.start, cell.end)).collect(),
        };
        busy.sort_unstable();
        Ok(Self { search: search.clone(), cells, busy })
    }

    /// The cells, the first first: each begins where a slot could, within the days and hours of the search.
    #[must_use]
    pub fn cells(&self) -> &[Slot] {
        &self.cells
    }

    /// For each cell, whether nothing occupies any of it.
    #[must_use]
    pub fn is_free(&self) -> Vec<bool> {
        let mut free = vec![true; self.cells.len()];
        for (start, end) in &self.busy {
            let first = self.cells.partition_point(|cell| cell.end <= *start);
            let last = self.cells.partition_point(|cell| cell.start < *end);
            free[first..last.max(first)].fill(false);
        }
        free
    }

    /// Says of cells, by their start as [`Slot::start`] writes it, whether they are free. What is no cell's start says nothing.
    #[must_use]
    pub fn corrected(mut self, cells: &BTreeMap<String, bool>) -> Self {
        let said = |cell: &Slot| cells.get(&cell.start()).map(|free| (*cell, *free));
        for (cell, free) in self.cells.iter().filter_map(said) {
            self.busy = self.busy.into_iter().flat_map(|busy| without(busy, &cell)).collect();
            if !free {
                self.busy.push((cell.start, cell.end));
            }
        }
        self.busy.sort_unstable();
        self
    }

    /// The slots that nothing occupies, the first first.
    ///
    /// # Errors
    /// When there are more than [`MAX_SLOTS`](super::MAX_SLOTS).
    pub fn slots(&self) -> Result<Vec<Slot>, DataError> {
        unoccupied(&self.search, self.busy.clone())
    }
}

/// What a cell leaves of a busy time: up to its start, and from its end.
fn without(busy: Busy, cell: &Slot) -> impl Iterator<Item = Busy> + use<> {
    let (start, end) = busy;
    let apart = end <= cell.start || cell.end <= start;
    let whole = apart.then_some((start, end));
    let before = (!apart && start < cell.start).then_some((start, cell.start));
    let after = (!apart && cell.end < end).then_some((cell.end, end));
    [whole, before, after].into_iter().flatten()
}

impl Search {
    /// The time between one start of a slot and the next, wherever a slot could start.
    fn cells(&self) -> impl Iterator<Item = Slot> + use<> {
        let step = Duration::minutes(self.step.into());
        let instants = Self { lengths: Lengths::shortest(), ..self.clone() };
        let starts: Vec<DateTime<Utc>> = instants.slots().map(|slot| slot.start).collect();
        starts.into_iter().map(move |start| Slot { start, end: start + step })
    }
}
