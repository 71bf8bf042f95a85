//! Delimited text, read once and kept as it was.

use std::convert::Infallible;

use crate::error::Place;
use crate::scan::{QuoteFault, QuoteFaultKind, Scanner, is_delimiter, line_at, skip_line_ends};
use crate::{DataError, Source};

mod text;

use text::{other_format, valid_text};

/// Rows of text fields under a header (RFC 4180), each row kept byte for byte.
///
/// Costs the input's size and 8 bytes a row.
pub struct Table {
    name: String,
    text: String,
    /// Where each row begins, then where the text ends.
    starts: Vec<u64>,
    header: Vec<String>,
    header_start: usize,
    header_end: usize,
    delimiter: u8,
}

impl Table {
    /// Reads all of `source`: a header, then rows of the same width. A byte order mark and blank lines are skipped.
    ///
    /// # Errors
    /// When the source cannot be read or is not such a table; the error names the line.
    pub fn read(source: &Source, delimiter: u8) -> Result<Self, DataError> {
        Self::parse(source.name(), source.bytes()?, delimiter)
    }

    /// As [`Table::read`], from bytes in memory that messages call `name`.
    ///
    /// # Errors
    /// When the bytes are not such a table, or `delimiter` is not ASCII, a quote or a line end.
    pub fn parse(name: String, bytes: Vec<u8>, delimiter: u8) -> Result<Self, DataError> {
        if !is_delimiter(delimiter) {
            return Err(DataError::Delimiter);
        }
        if let Some(kind) = other_format(&bytes) {
            return Err(DataError::NotCsv { file: name, kind });
        }
        let (text, fault) = valid_text(bytes);
        let mut table = Self {
            name,
            text,
            starts: Vec::new(),
            header: Vec::new(),
            header_start: 0,
            header_end: 0,
            delimiter,
        };
        if let Some(what) = fault {
            return Err(DataError::NotText { place: table.place_of_end(), what });
        }
        table.index_rows()?;
        table.text.shrink_to_fit();
        table.starts.shrink_to_fit();
        Ok(table)
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns' names.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// How many rows there are below the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Bytes of memory that the table occupies.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (self.text.len() + 8 * self.starts.len()) as u64
    }

    /// The header line as it was, without byte order mark and line end.
    #[must_use]
    pub fn raw_header(&self) -> &[u8] {
        &self.text.as_bytes()[self.header_start..self.header_end]
    }

    /// Row `index` as it was, without its line end.
    #[must_use]
    pub fn raw_row(&self, index: usize) -> &[u8] {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        // Line ends inside a record are quoted, so those at its end are not part of it.
        self.text[range].trim_end_matches(['\r', '\n']).as_bytes()
    }

    /// The line end of the header, which the output uses too.
    #[must_use]
    pub fn line_end(&self) -> &'static [u8] {
        match &self.text.as_bytes()[self.header_end..] {
            [b'\r', b'\n', ..] => b"\r\n",
            [b'\r', ..] => b"\r",
            _ => b"\n",
        }
    }

    /// The line on which row `index` begins, from 1.
    #[must_use]
    pub fn line(&self, index: usize) -> u64 {
        line_at(self.text.as_bytes(), self.starts[index] as usize)
    }

    /// Calls `visit` with each row's number and fields.
    pub fn for_each_row(&self, mut visit: impl FnMut(usize, &Fields<'_>)) {
        let Ok(()) = self.try_for_each_row(|row, fields| {
            visit(row, fields);
            Ok::<_, Infallible>(())
        });
    }

    /// As [`Table::for_each_row`], up to the first error.
    pub(crate) fn try_for_each_row<E>(
        &self,
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scanner = Scanner::new(self.delimiter);
        for (index, start) in self.starts[..self.rows()].iter().enumerate() {
            let scanned = scanner.record(&self.text, *start as usize);
            debug_assert!(scanned.is_ok(), "every row was scanned before");
            visit(index, &Fields { text: &self.text, scanner: &scanner })?;
        }
        Ok(())
    }

    /// Where row `index` is, or the field of it in `column`.
    pub(crate) fn place_of_row(&self, index: usize, column: Option<usize>) -> Place {
        self.place(self.starts[index] as usize, column)
    }

    /// The byte between fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    fn index_rows(&mut self) -> Result<(), DataError> {
        let mut scanner = Scanner::new(self.delimiter);
        let bytes = self.text.as_bytes();
        let mut at = self.first_record();
        if at == bytes.len() {
            return Err(DataError::Empty { file: self.name.clone() });
        }
        let end = scanner.record(&self.text, at).map_err(|fault| self.refuse_quote(fault))?;
        self.header = self.names(&scanner);
        (self.header_start, self.header_end) = (at, end);
        at = skip_line_ends(bytes, end);
        while at < bytes.len() {
            let end = scanner.record(&self.text, at).map_err(|fault| self.refuse_quote(fault))?;
            self.check_width(scanner.width(), at)?;
            self.starts.push(at as u64);
            at = skip_line_ends(bytes, end);
        }
        self.starts.push(at as u64);
        if self.rows() >= u32::MAX as usize {
            return Err(DataError::TooManyRows { file: self.name.clone() });
        }
        Ok(())
    }

    fn check_width(&self, got: usize, at: usize) -> Result<(), DataError> {
        let expected = self.header.len();
        if got == expected {
            return Ok(());
        }
        Err(DataError::Width { place: self.place(at, None), expected, got })
    }

    fn refuse_quote(&self, fault: QuoteFault) -> DataError {
        let place = self.place(fault.at, Some(fault.column));
        match fault.kind {
            QuoteFaultKind::NeverCloses => DataError::OpenQuote { place },
            QuoteFaultKind::TextAfter => DataError::TextAfterQuote { place },
        }
    }

    fn place(&self, at: usize, column: Option<usize>) -> Place {
        let line = line_at(self.text.as_bytes(), at);
        let name = |column: usize| (column, self.header.get(column).cloned());
        Place { file: self.name.clone(), line, column: column.map(name) }
    }

    /// The place behind the last byte, where text that was cut short goes on with a fault.
    fn place_of_end(mut self) -> Place {
        let mut scanner = Scanner::new(self.delimiter);
        let end = self.text.len();
        let mut at = self.first_record();
        while at < end {
            match scanner.record(&self.text, at) {
                Ok(stop) if stop < end => at = skip_line_ends(self.text.as_bytes(), stop),
                Ok(_) => return self.place(end, Some(scanner.width() - 1)),
                Err(QuoteFault { kind: QuoteFaultKind::NeverCloses, column, .. }) => {
                    return self.place(end, Some(column));
                }
                Err(_) => return self.place(end, None),
            }
            if self.header.is_empty() {
                self.header = self.names(&scanner);
            }
        }
        self.place(end, Some(0))
    }

    fn names(&self, scanner: &Scanner) -> Vec<String> {
        (0..scanner.width()).map(|column| scanner.field(&self.text, column).to_owned()).collect()
    }

    /// Past byte order marks (files joined end to end have several) and blank lines.
    fn first_record(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(['\u{feff}', '\r', '\n']).len()
    }
}

/// The fields of one row.
pub struct Fields<'a> {
    text: &'a str,
    scanner: &'a Scanner,
}

impl Fields<'_> {
    /// The text of field `column`, unquoted.
    #[must_use]
    pub fn get(&self, column: usize) -> &str {
        self.scanner.field(self.text, column)
    }
}

#[cfg(test)]
mod tests;
