//! Rows of text as they were.

use super::Table;
use super::text::Window;
use crate::DataError;

/// Reads rows as they were; fastest in the table's order.
pub struct RawRows<'a> {
    table: &'a Table,
    /// Of each segment that was read.
    windows: Vec<Option<Window<'a>>>,
}

impl<'a> RawRows<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        Self {
            table,
            windows: table.segments.iter().map(|segment| segment.body.window()).collect(),
        }
    }

    /// Row `row` without its line end; none where it is no text.
    ///
    /// # Errors
    /// When the temporary file that holds it cannot be read.
    ///
    /// # Panics
    /// When `row` is not below [`Table::rows`].
    pub fn get(&mut self, row: usize) -> Result<Option<&str>, DataError> {
        let segments = &self.table.segments;
        let place = segments.partition_point(|segment| segment.first_row <= row) - 1;
        let segment = &segments[place];
        let window = self.windows[place].as_mut();
        window.and_then(|window| segment.body.raw_row(row - segment.first_row, window)).transpose()
    }
}
