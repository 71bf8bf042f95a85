//! Rows of text as they were.

use super::Table;
use super::text::Window;
use crate::DataError;

/// Reads rows as they were; fastest in the table's order.
pub struct RawRows<'a> {
    table: &'a Table,
    /// Of each part that was read.
    windows: Vec<Option<Window<'a>>>,
}

impl<'a> RawRows<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        Self { table, windows: table.parts.iter().map(|part| part.body.window()).collect() }
    }

    /// Row `row` without its line end; none where it is no text.
    ///
    /// # Errors
    /// When the temporary file that holds it cannot be read.
    ///
    /// # Panics
    /// When `row` is not below [`Table::rows`].
    pub fn get(&mut self, row: usize) -> Result<Option<&str>, DataError> {
        let parts = &self.table.parts;
        let place = parts.partition_point(|part| part.first_row <= row) - 1;
        let part = &parts[place];
        let window = self.windows[place].as_mut();
        window.and_then(|window| part.body.raw_row(row - part.first_row, window)).transpose()
    }
}
