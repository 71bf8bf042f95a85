//! What it takes to decode rows of a Parquet file, and how many are therefore decoded at once: so many that all fit beside a page
//! of each column if each has the longest values that there are.

use super::claims::{Unfit, fits};

/// Rows that are decoded at once where they fit.
pub(super) const ROWS: u64 = 1 << 13;

/// The most bytes of a column that are decoded at once: the library counts them in 31 bits.
pub(super) const A_COLUMN: u64 = i32::MAX as u64;

/// The most threads that decode one file, as a power of two.
const MOST_DECODERS: u32 = 8;

/// What a column takes, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// What is there as long as rows are read: its page, and its dictionary.
    pub(super) held: u64,
    /// A row, at most.
    pub(super) row: u64,
    /// The pages that rows keep, where they do.
    pub(super) kept: Kept,
}

/// The pages that rows keep beyond the one that is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kept {
    /// A page with its dictionary, at most.
    pub(super) page: u64,
    /// All pages.
    pub(super) all: u64,
    /// Values of a page, at least.
    pub(super) values: u64,
}

impl Kept {
    fn and(self, more: Self) -> Self {
        let values = match (self.values, more.values) {
            (0, values) | (values, 0) => values,
            (one, other) => one.min(other),
        };
        Self { page: self.page.max(more.page), all: self.all.saturating_add(more.all), values }
    }

    /// What so many rows keep that follow one another, or that lie anywhere.
    fn by(self, rows: u64, follow: bool) -> u64 {
        // The first row may be the last of its page.
        let others = rows.saturating_sub(1).div_ceil(self.values.max(1));
        let pages = if follow { others.saturating_add(1) } else { rows };
        pages.saturating_mul(self.page).min(self.all)
    }
}

/// What all columns of a file take.
#[derive(Debug, Default)]
pub(super) struct Costs {
    /// What is held of a group of rows, at most.
    held: u64,
    /// A row of each column, at most, and the pages that rows keep.
    columns: Vec<(u64, Kept)>,
}

impl Costs {
    /// Adds the columns of a group.
    pub(super) fn add(&mut self, group: &[Cost]) {
        let held = group.iter().fold(0_u64, |sum, column| sum.saturating_add(column.held));
        self.held = self.held.max(held);
        self.columns.resize(self.columns.len().max(group.len()), (0, Kept::default()));
        for ((row, kept), column) in self.columns.iter_mut().zip(group) {
            (*row, *kept) = (column.row.max(*row), kept.and(column.kept));
        }
    }

    /// How many rows fit `most` bytes that follow one another, or that lie anywhere; refuses where one does not.
    pub(super) fn rows_at_once(&self, most: u64, follow: bool) -> Result<usize, Unfit> {
        let widest = self.columns.iter().map(|(row, _)| *row).max().unwrap_or(0);
        let is_fit = |rows: u64| {
            widest.saturating_mul(rows) <= A_COLUMN && fits(self.taken(rows, follow), most).is_ok()
        };
        let mut rows = ROWS;
        while rows > 1 && !is_fit(rows) {
            rows /= 2;
        }
        fits(self.taken(rows, follow), most)?;
        Ok(rows as usize)
    }

    /// How many threads may decode so many rows at once that follow one another, so that all they take fits `most` bytes: a power of two.
    pub(super) fn decoders(&self, rows: u64, most: u64) -> usize {
        let one = self.taken(rows, true);
        let fit = |threads: &u64| fits(one.saturating_mul(*threads), most).is_ok();
        (0..=MOST_DECODERS).rev().map(|log| 1_u64 << log).find(fit).unwrap_or(1) as usize
    }

    /// Bytes that so many rows take at most that follow one another, or that lie anywhere.
    fn taken(&self, rows: u64, follow: bool) -> u64 {
        let of_column = |(row, kept): &(u64, Kept)| {
            row.saturating_mul(rows).saturating_add(kept.by(rows, follow))
        };
        self.columns.iter().map(of_column).fold(self.held, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_pages_that_they_are_in() {
        let group =
            |values| Cost { row: 10, kept: Kept { page: 100, all: 1_000, values }, held: 5 };
        let mut costs = Costs::default();
        costs.add(&[group(8_000), Cost { held: 20, row: 1, ..Cost::default() }]);
        costs.add(&[group(4_000), Cost::default()]);
        // Two of the smallest pages and parts of two more, or all that there are.
        let follow = |most| costs.rows_at_once(most, true).ok();
        let anywhere = |most| costs.rows_at_once(most, false).ok();
        assert_eq!(follow(8_192 * 11 + 25 + 400), Some(8_192));
        assert_eq!(anywhere(8_192 * 11 + 25 + 2_000), Some(8_192));
        assert_eq!(anywhere(8_192 * 11 + 25 + 1_999), Some(4_096));
        assert_eq!((follow(11 + 25 + 100), follow(11 + 25 + 99)), (Some(1), None));
        assert_eq!(anywhere(2 * 11 + 25 + 200), Some(2));
        let one = 8_192 * 11 + 25 + 400;
        assert_eq!([1, 2, 7].map(|times| costs.decoders(8_192, times * one)), [1, 2, 4]);
    }
}
