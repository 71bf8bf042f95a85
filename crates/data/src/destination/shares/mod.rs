//! One party's shares of a result, for a later computation between the same parties.

use std::borrow::Cow;
use std::io::{self, Write};

use super::share_batches;
use super::sizes::{Rows, Width, size_of_names};
use crate::json::write_member;
use crate::quote::write_record;
use crate::{DataError, Destination, Format};

/// The columns that are there beside the values.
pub(super) const POSITION: &str = "position";
pub(super) const INDICATOR: &str = "indicator";
pub(super) const SOURCE_ROW: &str = "source_row";

/// How a value is split in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareEncoding {
    /// The value is the exclusive or of the two words.
    Xor,
    /// The value is the sum of the two words modulo 2^128.
    Additive,
}

impl ShareEncoding {
    /// A word as text.
    fn text(self, word: u128) -> String {
        match self {
            Self::Xor => format!("{word:032x}"),
            Self::Additive => word.to_string(),
        }
    }
}

/// A shared value column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareColumn {
    /// Its name.
    pub name: String,
    /// How many decimal places its units have, where known.
    pub scale: Option<u32>,
}

/// One party's shares: both parties have as many rows, and the rows at the same position belong together.
///
/// A shared value is 128 bits: the indicator 0 or 1, or a signed number of units in two's complement.
#[derive(Clone, PartialEq, Eq)]
pub struct ShareTable<'a> {
    /// The value columns.
    pub columns: Vec<ShareColumn>,
    /// For each row the share of the indicator, then that of each value column.
    pub words: Cow<'a, [u128]>,
    /// How the words are to be put together.
    pub encoding: ShareEncoding,
    /// For each row the number of one's own first row that is behind it, from 1, and none where none is; the party that knows them has
    /// them.
    pub source_row: Option<Vec<Option<u64>>>,
}

impl ShareTable<'_> {
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.words.len() / self.width()
    }

    /// Words a row.
    pub(super) fn width(&self) -> usize {
        1 + self.columns.len()
    }

    /// Finds out before a run whether value columns of these names can stand in a file of shares.
    ///
    /// # Errors
    /// When a name occurs twice or is that of one of the file's own columns.
    pub fn check_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<(), DataError> {
        let mut taken = vec![POSITION, INDICATOR, SOURCE_ROW];
        for name in names {
            if taken.contains(&name) {
                return Err(DataError::NameTaken {
                    what: "the list of value columns".to_owned(),
                    column: name.to_owned(),
                    why: "the file of shares has another of that name",
                });
            }
            taken.push(name);
        }
        Ok(())
    }

    fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let values = self.columns.iter().map(|column| column.name.as_str());
        let source_row = self.source_row.is_some().then_some(SOURCE_ROW);
        write_record(out, [POSITION, INDICATOR].into_iter().chain(values).chain(source_row), b',')?;
        writeln!(out)?;
        for (row, words) in self.words.chunks_exact(self.width()).enumerate() {
            write!(out, "{row}")?;
            for word in words {
                write!(out, ",{}", self.encoding.text(*word))?;
            }
            if let Some(source_row) = &self.source_row {
                let source = source_row[row].map_or_else(String::new, |source| source.to_string());
                write!(out, ",{source}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Words are strings: a number of 128 bits is more than most readers of JSON take for one.
    fn write_ndjson(&self, out: &mut impl Write) -> io::Result<()> {
        let values = self.columns.iter().map(|column| column.name.as_str());
        let names: Vec<&str> = [INDICATOR].into_iter().chain(values).collect();
        for (row, words) in self.words.chunks_exact(self.width()).enumerate() {
            write!(out, "{{\"{POSITION}\":{row}")?;
            for (name, word) in names.iter().zip(words) {
                write_member(out, true, name, Some(&self.encoding.text(*word)), false)?;
            }
            if let Some(source_row) = &self.source_row {
                let source = source_row[row].map_or("null".to_owned(), |source| source.to_string());
                write!(out, ",\"{SOURCE_ROW}\":{source}")?;
            }
            writeln!(out, "}}")?;
        }
        Ok(())
    }
}

impl Destination {
    /// Holds room for so many rows of shares of value columns of these names.
    ///
    /// # Errors
    /// When there is too little.
    pub fn prepare_shares<'a>(
        &self,
        columns: impl IntoIterator<Item = &'a str>,
        count: u64,
    ) -> Result<(), DataError> {
        const WORD: u64 = 39;
        const NUMBER: u64 = 20;
        let names: Vec<&str> =
            [POSITION, INDICATOR, SOURCE_ROW].into_iter().chain(columns).collect();
        let text = 2 * NUMBER + WORD * (names.len() as u64 - 2);
        let rows = Rows { count, text, names: &names };
        self.hold(size_of_names(&names) + rows.size(self.format(), Width::text(names.len())))
    }

    /// Writes `shares`: the columns `position` (from 0), `indicator`, the values', and `source_row` if it is known. Words
    /// are unsigned decimal numbers (additive) or 32 hexadecimal digits, highest first (exclusive or), as CSV and, in
    /// strings, as NDJSON; 16 bytes, lowest first, as Parquet and Arrow.
    ///
    /// # Errors
    /// As [`ShareTable::check_names`], and when writing fails; a file is then as it was before.
    ///
    /// # Panics
    /// When the lengths of `words` and `source_row` are not those of one number of rows.
    pub fn write_shares(&self, shares: &ShareTable<'_>) -> Result<(), DataError> {
        ShareTable::check_names(shares.columns.iter().map(|column| column.name.as_str()))?;
        assert_eq!(shares.words.len(), shares.rows() * shares.width(), "whole rows");
        let source_rows = shares.source_row.as_ref().map(Vec::len);
        assert_eq!(source_rows.unwrap_or(shares.rows()), shares.rows(), "one for each row");
        self.write(|out| match self.format() {
            Format::Csv => shares.write_csv(out),
            Format::Ndjson => shares.write_ndjson(out),
            format => share_batches::write(out, format, shares),
        })
    }
}

#[cfg(test)]
mod tests;
