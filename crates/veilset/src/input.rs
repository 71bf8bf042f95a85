//! A party's list, ready for a run.

use veilset_data::{DataError, Destination, KeySet, KeySpec, Source, Table};

/// A table with its keys.
pub struct Input {
    pub(crate) table: Table,
    pub(crate) keys: KeySet,
    pub(crate) presets: String,
}

impl Input {
    /// Reads `source` and makes its keys.
    ///
    /// # Errors
    /// When the source is no table or lacks a column of `spec`.
    pub fn read(source: &Source, delimiter: u8, spec: &KeySpec) -> Result<Self, DataError> {
        Self::of(Table::read(source, delimiter)?, spec)
    }

    /// Makes the keys of a table that was read before.
    ///
    /// # Errors
    /// When the table lacks a column of `spec`.
    pub fn of(table: Table, spec: &KeySpec) -> Result<Self, DataError> {
        let keys = KeySet::build(&table, spec)?;
        Ok(Self { table, keys, presets: spec.canonical() })
    }

    /// Writes the given rows under the header, byte for byte as they were.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write(
        &self,
        rows: impl Iterator<Item = usize>,
        destination: &Destination,
    ) -> Result<(), DataError> {
        destination.write_rows(&self.table, rows)
    }

    /// Rows below the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.keys.rows()
    }

    /// Distinct keys.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.keys.len()
    }

    /// Bytes of memory that the table and its keys occupy.
    pub(crate) fn memory(&self) -> u64 {
        self.table.memory() + self.keys.memory()
    }

    /// Rows without a key: an empty key column, or one that its preset cannot read.
    #[must_use]
    pub fn skipped(&self) -> (usize, usize) {
        (self.keys.null_rows(), self.keys.invalid_rows())
    }
}
