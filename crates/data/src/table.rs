//! Delimited text, read once and kept as it was.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::DataError;

/// Where rows come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input, written `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// `-` is standard input, anything else a path.
    #[must_use]
    pub fn new(text: &str) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Self::Stdin => io::stdin().lock().read_to_end(&mut bytes)?,
            Self::File(path) => File::open(path)?.read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }
}

/// Rows of text fields under a header (RFC 4180), each row kept byte for byte.
///
/// Costs the input's size and 8 bytes a row.
pub struct Table {
    name: String,
    bytes: Vec<u8>,
    /// Where each row begins, then where the last one ends.
    starts: Vec<u64>,
    header: Vec<String>,
    header_end: usize,
    delimiter: u8,
}

impl Table {
    /// Reads all of `source`: a header, then rows of the same width. A byte order mark and blank lines are skipped.
    ///
    /// # Errors
    /// When the source cannot be read or is not such a table; the error names the line.
    pub fn read(source: &Source, delimiter: u8) -> Result<Self, DataError> {
        let file = source.name();
        let bytes = source.bytes().map_err(|why| DataError::Read { file: file.clone(), why })?;
        Self::parse(file, bytes, delimiter)
    }

    /// As [`Table::read`], from bytes in memory that messages call `name`.
    ///
    /// # Errors
    /// When the bytes are not such a table.
    pub fn parse(name: String, bytes: Vec<u8>, delimiter: u8) -> Result<Self, DataError> {
        let mut table =
            Self { name, bytes, starts: Vec::new(), header: Vec::new(), header_end: 0, delimiter };
        table.refuse_other_formats()?;
        table.index_rows()?;
        table.bytes.shrink_to_fit();
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
        (self.bytes.len() + 8 * self.starts.len()) as u64
    }

    /// The header line as it was, without its line end.
    #[must_use]
    pub fn raw_header(&self) -> &[u8] {
        trim_line_ends(&self.bytes[bom(&self.bytes)..self.header_end])
    }

    /// Row `index` as it was, without its line end.
    #[must_use]
    pub fn raw_row(&self, index: usize) -> &[u8] {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        trim_line_ends(&self.bytes[range])
    }

    /// The line end of the header, which the output uses too.
    #[must_use]
    pub fn line_end(&self) -> &'static [u8] {
        if self.bytes[..self.header_end].ends_with(b"\r") { b"\r\n" } else { b"\n" }
    }

    /// The line on which row `index` begins, from 1.
    #[must_use]
    pub fn line(&self, index: usize) -> u64 {
        let start = self.starts[index] as usize;
        let blank = self.bytes[start..].iter().take_while(|byte| is_line_end(**byte)).count();
        line_at(&self.bytes, start + blank)
    }

    /// Calls `visit` with each row's number and fields.
    pub fn for_each_row(&self, mut visit: impl FnMut(usize, &Fields<'_>)) {
        let mut scanner = Scanner::new(self.delimiter);
        for index in 0..self.rows() {
            scanner.row(self.raw_row(index));
            visit(index, &Fields { scanner: &scanner });
        }
    }

    fn refuse_other_formats(&self) -> Result<(), DataError> {
        let kind = match self.bytes.as_slice() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16 text",
            [b'P', b'K', 3, 4, ..] => "a spreadsheet or zip archive",
            [b'P', b'A', b'R', b'1', ..] => "Parquet",
            [0xd0, 0xcf, 0x11, 0xe0, ..] => "an old spreadsheet",
            [0x1f, 0x8b, ..] => "compressed (gzip)",
            _ => return self.refuse_other_text(),
        };
        Err(DataError::NotCsv { file: self.name.clone(), kind })
    }

    fn refuse_other_text(&self) -> Result<(), DataError> {
        let file = || self.name.clone();
        let text = std::str::from_utf8(&self.bytes).map_err(|error| DataError::NotUtf8 {
            file: file(),
            line: line_at(&self.bytes, error.valid_up_to()),
        })?;
        if text.contains('\0') {
            return Err(DataError::NotCsv { file: file(), kind: "binary (it holds zero bytes)" });
        }
        Ok(())
    }

    fn index_rows(&mut self) -> Result<(), DataError> {
        let mut scanner = Scanner::new(self.delimiter);
        let mut at = bom(&self.bytes);
        let Some(end) = scanner.record(&self.bytes, at).map_err(|()| self.open_quote(at))? else {
            return Err(DataError::Empty { file: self.name.clone() });
        };
        self.header = (0..scanner.width()).map(|column| scanner.field(column).to_owned()).collect();
        self.header_end = end;
        at = end;
        self.starts.push(at as u64);
        while let Some(end) = scanner.record(&self.bytes, at).map_err(|()| self.open_quote(at))? {
            self.check_width(&scanner, at)?;
            self.starts.push(end as u64);
            at = end;
        }
        if self.rows() >= u32::MAX as usize {
            return Err(DataError::TooManyRows { file: self.name.clone() });
        }
        Ok(())
    }

    fn open_quote(&self, at: usize) -> DataError {
        DataError::OpenQuote { file: self.name.clone(), line: self.line_of_record(at) }
    }

    fn check_width(&self, scanner: &Scanner, at: usize) -> Result<(), DataError> {
        let (expected, got) = (self.header.len(), scanner.width());
        if expected == got {
            return Ok(());
        }
        let line = self.line_of_record(at);
        Err(DataError::Width { file: self.name.clone(), line, expected, got })
    }

    fn line_of_record(&self, at: usize) -> u64 {
        let blank = self.bytes[at..].iter().take_while(|byte| is_line_end(**byte)).count();
        line_at(&self.bytes, at + blank)
    }
}

/// The fields of one row.
pub struct Fields<'a> {
    scanner: &'a Scanner,
}

impl Fields<'_> {
    /// The text of field `column`, unquoted.
    #[must_use]
    pub fn get(&self, column: usize) -> &str {
        self.scanner.field(column)
    }
}

/// One record at a time: where it ends, and its unquoted fields.
struct Scanner {
    reader: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    width: usize,
}

impl Scanner {
    fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Self { reader, text: vec![0; 4096], ends: vec![0; 64], width: 0 }
    }

    /// Scans the record at `start`; returns where it ends, `None` where there is none. Errs on an open quote.
    fn record(&mut self, bytes: &[u8], start: usize) -> Result<Option<usize>, ()> {
        let (mut at, mut text, mut fields) = (start, 0, 0);
        let mut closed = false;
        self.reader.reset();
        loop {
            // Past the end a line end is fed: it ends any record but one with an open quote.
            let input = if at < bytes.len() { &bytes[at..] } else { b"\n".as_slice() };
            let (result, read, wrote, ended) =
                self.reader.read_record(input, &mut self.text[text..], &mut self.ends[fields..]);
            (text, fields) = (text + wrote, fields + ended);
            let past_end = at >= bytes.len();
            if !past_end {
                at += read;
            }
            match result {
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    self.width = fields;
                    return Ok(Some(at));
                }
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty if !past_end => {}
                ReadRecordResult::InputEmpty if closed || text + fields == 0 => {
                    return if text + fields == 0 { Ok(None) } else { Err(()) };
                }
                ReadRecordResult::InputEmpty => closed = true,
            }
        }
    }

    /// Scans a row that is known to be one whole record.
    fn row(&mut self, raw: &[u8]) {
        let found = self.record(raw, 0);
        debug_assert!(found.is_ok_and(|end| end.is_some()));
    }

    fn width(&self) -> usize {
        self.width
    }

    fn field(&self, column: usize) -> &str {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        // The whole input was checked to be UTF-8, and fields are cut at ASCII bytes.
        std::str::from_utf8(&self.text[start..self.ends[column]]).unwrap_or_default()
    }
}

fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Line ends before and after a record are never part of it: inside, they are quoted.
fn trim_line_ends(mut raw: &[u8]) -> &[u8] {
    while let [b'\r' | b'\n', rest @ ..] | [rest @ .., b'\r' | b'\n'] = raw {
        raw = rest;
    }
    raw
}

/// The line of byte `at`, from 1.
fn line_at(bytes: &[u8], at: usize) -> u64 {
    let before = &bytes[..at.min(bytes.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests;
