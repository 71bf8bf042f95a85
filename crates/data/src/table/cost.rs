//! What it takes to decode rows of a Parquet file, and how many are therefore decoded at once: so many that all fit beside a page
//! of each column if each has the longest values that there are.

use super::claims::{Unfit, fits};

/// Rows that are decoded at once where they fit.
pub(super) const ROWS: u64 = 1 << 13;

/// The most bytes of a column that are decoded at once: the library counts them in 31 bits.
pub(super) const A_COLUMN: u64 = i32::MAX as u64;

/// What a column of a group of rows takes, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// What is there as long as rows are read: its page, and its dictionary.
    pub(super) held: u64,
    /// A row, at most.
    pub(super) row: u64,
}

/// What all columns of a file take.
#[derive(Debug, Default)]
pub(super) struct Costs {
    /// What is held of a group of rows, at most.
    held: u64,
    /// A row of each column, at most.
    rows: Vec<u64>,
}

impl Costs {
    /// Adds the columns of a group.
    pub(super) fn add(&mut self, columns: &[Cost]) {
        let held = columns.iter().fold(0_u64, |sum, column| sum.saturating_add(column.held));
        self.held = self.held.max(held);
        self.rows.resize(self.rows.len().max(columns.len()), 0);
        let rows = self.rows.iter_mut().zip(columns);
        rows.for_each(|(row, column)| *row = column.row.max(*row));
    }

    /// How many rows fit `most` bytes; refuses where one does not.
    pub(super) fn rows_at_once(&self, most: u64) -> Result<usize, Unfit> {
        let row = self.rows.iter().fold(0_u64, |sum, row| sum.saturating_add(*row));
        let widest = self.rows.iter().copied().max().unwrap_or(0);
        let taken = |rows: u64| row.saturating_mul(rows).saturating_add(self.held);
        let is_fit =
            |rows: u64| widest.saturating_mul(rows) <= A_COLUMN && fits(taken(rows), most).is_ok();
        let mut rows = ROWS;
        while rows > 1 && !is_fit(rows) {
            rows /= 2;
        }
        fits(taken(rows), most)?;
        Ok(rows as usize)
    }
}
