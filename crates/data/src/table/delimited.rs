//! Delimited text (RFC 4180), kept as it was.

use super::fields::{Fields, Row};
use super::text::{other_format, valid_text};
use crate::DataError;
use crate::error::{Place, Spot};
use crate::scan::{QuoteFault, QuoteFaultKind, Scanner, is_delimiter, line_at, skip_line_ends};

/// Rows of text fields under a header, each row kept byte for byte.
///
/// Costs the input's size and 8 bytes a row.
pub(crate) struct Delimited {
    name: String,
    text: String,
    /// Where each row begins, then where the text ends.
    starts: Vec<u64>,
    header: Vec<String>,
    header_start: usize,
    header_end: usize,
    delimiter: u8,
}

impl Delimited {
    /// Reads a header, then rows of the same width. Byte order marks and blank lines are skipped.
    pub(crate) fn parse(name: String, bytes: Vec<u8>, delimiter: u8) -> Result<Self, DataError> {
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

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn memory(&self) -> usize {
        self.text.len() + 8 * self.starts.len()
    }

    /// The header line as it was, without byte order mark and line end.
    pub(crate) fn raw_header(&self) -> &str {
        &self.text[self.header_start..self.header_end]
    }

    /// Row `index` as it was, without its line end.
    pub(crate) fn raw_row(&self, index: usize) -> &str {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        // Line ends inside a record are quoted, so those at its end are not part of it.
        self.text[range].trim_end_matches(['\r', '\n'])
    }

    /// The line end of the header, which the output uses too.
    pub(crate) fn line_end(&self) -> &'static str {
        match &self.text.as_bytes()[self.header_end..] {
            [b'\r', b'\n', ..] => "\r\n",
            [b'\r', ..] => "\r",
            _ => "\n",
        }
    }

    /// The byte between fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Calls `visit` with the numbers of the given rows and their fields in `columns`, up to the first error.
    pub(super) fn visit<E>(
        &self,
        rows: impl Iterator<Item = usize>,
        columns: &[usize],
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scanner = Scanner::new(self.delimiter);
        for row in rows {
            let scanned = scanner.record(&self.text, self.starts[row] as usize);
            debug_assert!(scanned.is_ok(), "every row was scanned before");
            let text = &self.text;
            visit(row, &Fields(Row::Delimited { text, scanner: &scanner, columns }))?;
        }
        Ok(())
    }

    pub(super) fn place_of_row(&self, index: usize) -> Place {
        self.place(self.starts[index] as usize, None)
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
        let spot = Spot::Line(line_at(self.text.as_bytes(), at));
        let name = |column: usize| (column, self.header.get(column).cloned());
        Place { file: self.name.clone(), spot, column: column.map(name) }
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
