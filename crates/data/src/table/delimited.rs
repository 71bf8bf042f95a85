//! Delimited text (RFC 4180), kept as it was.

use super::fields::{Fields, Row};
use super::index::{Fault, Shape, index};
use super::records::{Broken, Records};
use super::store::Store;
use super::text::{Text, Window, other_format};
use crate::DataError;
use crate::error::{Place, Spot};
use crate::scan::{QuoteFaultKind, Scanner, is_delimiter};

/// Rows of text fields under a header, each row kept byte for byte.
///
/// Costs 8 bytes a row, and the input's size where it stays in memory.
pub(crate) struct Delimited {
    name: String,
    text: Text,
    /// Where each row begins, then where the text ends.
    starts: Vec<u64>,
    header: Vec<String>,
    raw_header: String,
    line_end: &'static str,
    delimiter: u8,
}

impl Delimited {
    /// Reads a header, then rows of the same width. Byte order marks and blank lines are skipped.
    pub(super) fn parse(name: String, store: Store, delimiter: u8) -> Result<Self, DataError> {
        if !is_delimiter(delimiter) {
            return Err(DataError::Delimiter);
        }
        if let Some((kind, advice)) = other_format(&store.beginning()?) {
            return Err(DataError::NotCsv { file: name, kind, advice });
        }
        let (text, fault) = Text::of(store)?;
        let mut table = Self {
            name,
            text,
            starts: Vec::new(),
            header: Vec::new(),
            raw_header: String::new(),
            line_end: "\n",
            delimiter,
        };
        if let Some(what) = fault {
            return Err(DataError::NotText { place: table.place_of_end()?, what });
        }
        table.index_rows()?;
        table.text.shrink_to_fit();
        table.starts.shrink_to_fit();
        Ok(table)
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The length of its text.
    pub(super) fn bytes(&self) -> u64 {
        self.text.len()
    }

    pub(crate) fn memory(&self) -> usize {
        self.text.memory() + 8 * self.starts.len()
    }

    /// The header line as it was, without byte order mark and line end.
    pub(crate) fn raw_header(&self) -> &str {
        &self.raw_header
    }

    /// For reading rows as they were.
    pub(super) fn window(&self) -> Window<'_> {
        self.text.window()
    }

    /// Row `index` as it was, without its line end.
    pub(super) fn raw_row<'a>(
        &self,
        index: usize,
        window: &'a mut Window<'_>,
    ) -> Result<&'a str, DataError> {
        let row = window.get(self.starts[index]..self.starts[index + 1])?;
        // Line ends inside a record are quoted, so those at its end are not part of it.
        Ok(row.trim_end_matches(['\r', '\n']))
    }

    /// The line end of the header, which the output uses too.
    pub(crate) fn line_end(&self) -> &'static str {
        self.line_end
    }

    /// The byte between fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Calls `visit` with the numbers of the given rows and their fields in `columns`, up to the first error.
    pub(super) fn visit<E: From<DataError>>(
        &self,
        rows: impl Iterator<Item = usize>,
        columns: &[usize],
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scanner = Scanner::new(self.delimiter);
        let mut window = self.text.window();
        for row in rows {
            let text = window.get(self.starts[row]..self.starts[row + 1])?;
            let scanned = scanner.record(text, 0);
            debug_assert!(scanned.is_ok(), "every row was scanned before");
            visit(row, &Fields(Row::Delimited { text, scanner: &scanner, columns }))?;
        }
        Ok(())
    }

    pub(super) fn place_of_row(&self, index: usize) -> Place {
        self.place(self.starts[index], None)
    }

    fn index_rows(&mut self) -> Result<(), DataError> {
        let mut records = Records::new(&self.text, self.delimiter)?;
        let refuse = |fault| self.refuse(&[], Fault::Record(fault));
        let Some((start, end)) = records.next().map_err(refuse)? else {
            return Err(DataError::Empty { file: self.name.clone() });
        };
        let header = records.names()?;
        let mut window = self.text.window();
        let raw_header = window.get(start..end)?.to_owned();
        let behind = window.get(end..self.text.len().min(end + 2))?;
        let line_end = match behind.as_bytes() {
            [b'\r', b'\n', ..] => "\r\n",
            [b'\r', ..] => "\r",
            _ => "\n",
        };
        let shape = Shape {
            delimiter: self.delimiter,
            width: header.len(),
            has_line_feeds: line_end != "\r",
        };
        let starts = index(&self.text, end, shape);
        self.starts = starts.map_err(|fault| self.refuse(&header, fault))?;
        (self.header, self.raw_header, self.line_end) = (header, raw_header, line_end);
        Ok(())
    }

    fn refuse(&self, header: &[String], fault: Fault) -> DataError {
        let place = |at| self.place(at, None);
        let (kind, at, column) = match fault {
            Fault::Record(Broken::Store(error)) => return error,
            Fault::Record(Broken::Quote { kind, at, column }) => (kind, at, column),
            Fault::Record(Broken::TooLong(at)) => return DataError::TooLong { place: place(at) },
            Fault::LoneReturn(at) => return DataError::LoneReturn { place: place(at) },
            Fault::Width { at, got } => {
                return DataError::Width { place: place(at), expected: header.len(), got };
            }
        };
        let place = self.place(at, Some((column, header.get(column).cloned())));
        match kind {
            QuoteFaultKind::NeverCloses => DataError::OpenQuote { place },
            QuoteFaultKind::TextAfter => DataError::TextAfterQuote { place },
        }
    }

    fn place(&self, at: u64, column: Option<(usize, Option<String>)>) -> Place {
        Place { file: self.name.clone(), spot: Spot::Line(self.text.line_at(at)), column }
    }

    /// The place behind the last byte, where text that was cut short goes on with a fault.
    fn place_of_end(&self) -> Result<Place, DataError> {
        let end = self.text.len();
        let mut header = Vec::new();
        let mut records = Records::new(&self.text, self.delimiter)?;
        let column = loop {
            match records.next() {
                Ok(Some((_, stop))) if stop < end => {}
                Ok(Some(_)) => break Some(records.width() - 1),
                Ok(None) => break Some(0),
                Err(Broken::Quote { kind: QuoteFaultKind::NeverCloses, column, .. }) => {
                    break Some(column);
                }
                Err(Broken::Quote { .. } | Broken::TooLong(_)) => break None,
                Err(Broken::Store(error)) => return Err(error),
            }
            if header.is_empty() {
                header = records.names()?;
            }
        };
        let named = |column: usize| (column, header.get(column).cloned());
        Ok(self.place(end, column.map(named)))
    }
}
