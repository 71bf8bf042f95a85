//! From bytes to text, before any row is looked for.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::store::Store;
use crate::scan::line_at;
use crate::spill::Spill;
use crate::{DataError, Format};

/// What `bytes` begin like, where it is a known format that is not read as text, and what to do.
pub(super) fn other_format(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const AS_TEXT: &str = "save it as CSV (UTF-8)";
    const AS_SHEET: &str = "save it as .xlsx without a password, or as CSV (UTF-8)";
    const AS_TABLE: &str = "write it as Parquet, Arrow or CSV";
    const UNPACKED: &str = "unpack it, or compress it with gzip or zstd";
    let starts: [(&[u8], &str, &str); 16] = [
        (b"\xff\xfe", "UTF-16 text", AS_TEXT),
        (b"\xfe\xff", "UTF-16 text", AS_TEXT),
        (b"PK\x03\x04", "a spreadsheet or zip archive", AS_TEXT),
        (b"PAR1", "Parquet", AS_TEXT),
        (b"\xd0\xcf\x11\xe0", "an old or a locked spreadsheet", AS_SHEET),
        (b"\x1f\x8b", "compressed (gzip)", UNPACKED),
        (b"\x28\xb5\x2f\xfd", "compressed (zstd)", UNPACKED),
        (b"BZh", "compressed (bzip2)", UNPACKED),
        (b"\xfd7zXZ\0", "compressed (xz)", UNPACKED),
        (b"\x04\x22\x4d\x18", "compressed (lz4)", UNPACKED),
        (b"7z\xbc\xaf\x27\x1c", "an archive (7z)", UNPACKED),
        (b"ORC", "ORC", AS_TABLE),
        (b"Obj\x01", "Avro", AS_TABLE),
        (b"SQLite format 3\0", "a database of SQLite", AS_TABLE),
        (b"%PDF-", "PDF", AS_TEXT),
        (b"\x89HDF\r\n", "HDF5", AS_TABLE),
    ];
    if let [0x80, 2..=5, ..] = bytes {
        return Some(("a pickle of Python", AS_TABLE));
    }
    let (start, kind, advice) = starts.into_iter().find(|(start, ..)| bytes.starts_with(start))?;
    // A header may begin with the same letters.
    let is_header = matches!(start, b"ORC" | b"BZh") && is_text(bytes);
    (!is_header).then_some((kind, advice))
}

/// Whether the beginning of a file is text, whose last character may be cut.
fn is_text(bytes: &[u8]) -> bool {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    valid + 4 > bytes.len() && !bytes.contains(&0)
}

/// What is wrong with JSON that has not one object a line, as far as its beginning tells.
pub(super) fn not_lines(bytes: &[u8], named: Option<Format>) -> Option<&'static str> {
    let rest = bytes.trim_ascii_start().strip_prefix(b"[")?.trim_ascii_start();
    let is_array = match named {
        None | Some(Format::Csv | Format::Ndjson) => matches!(rest, [b'{', ..]),
        Some(_) => false,
    };
    is_array.then_some("one JSON array")
}

/// What is wrong with bytes that are to be text.
type Fault = &'static str;

/// A file's text, in memory or in a temporary file.
pub(super) enum Text {
    Memory(String),
    Spilled { spill: Arc<Spill>, length: u64 },
}

impl Text {
    /// The bytes of `store` as text, in memory without a copy; cut short before the first fault, with what that is.
    pub(super) fn of(store: Store) -> Result<(Self, Option<Fault>), DataError> {
        match store {
            Store::Memory(bytes) => {
                let (text, fault) = valid_text(bytes);
                Ok((Self::Memory(text), fault))
            }
            Store::Spilled(spill) => {
                let mut text = Self::Spilled { length: spill.len(), spill };
                let fault = text.cut()?;
                Ok((text, fault))
            }
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Memory(text) => text.len() as u64,
            Self::Spilled { length, .. } => *length,
        }
    }

    /// Bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Memory(text) => text.len(),
            Self::Spilled { .. } => 0,
        }
    }

    pub(super) fn shrink_to_fit(&mut self) {
        if let Self::Memory(text) = self {
            text.shrink_to_fit();
        }
    }

    pub(super) fn window(&self) -> Window<'_> {
        self.window_to(self.len())
    }

    /// A window on the text up to byte `end`, where a character begins, as if that was all.
    pub(super) fn window_to(&self, end: u64) -> Window<'_> {
        Window { text: self, end, start: 0, read: String::new() }
    }

    /// Some bytes from byte `at` on, which may stand within a character.
    pub(super) fn some_bytes(&self, at: u64) -> Result<Cow<'_, [u8]>, DataError> {
        let size = (self.len() - at).min(WINDOW as u64) as usize;
        match self {
            Self::Memory(text) => Ok(Cow::Borrowed(&text.as_bytes()[at as usize..][..size])),
            Self::Spilled { spill, .. } => {
                let mut bytes = vec![0; size];
                spill.read(at, &mut bytes).map_err(|why| spill.failure(why))?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// The line of byte `at`, from 1, where LF, CRLF and a lone CR each end a line. Where the temporary file cannot be
    /// read, the last line that could be.
    pub(super) fn line_at(&self, at: u64) -> u64 {
        self.line(at, |bytes, end| line_at(bytes, end) - 1)
    }

    /// As [`Text::line_at`], where LF alone ends a line.
    pub(super) fn lines_at(&self, at: u64) -> u64 {
        self.line(at, |bytes, end| {
            bytes[..end].iter().filter(|byte| **byte == b'\n').count() as u64
        })
    }

    /// One and what `ends` counts before byte `at`: line ends of the bytes before a place, which may depend on the next.
    fn line(&self, at: u64, ends: impl Fn(&[u8], usize) -> u64) -> u64 {
        let (spill, length) = match self {
            Self::Memory(text) => return 1 + ends(text.as_bytes(), at as usize),
            Self::Spilled { spill, length } => (spill, *length),
        };
        let mut line = 1;
        let mut start = 0;
        while start < at {
            let end = at.min(start + WINDOW as u64);
            let mut bytes = vec![0; (length.min(end + 1) - start) as usize];
            if spill.read(start, &mut bytes).is_err() {
                break;
            }
            line += ends(&bytes, (end - start) as usize);
            start = end;
        }
        line
    }

    /// Cuts a spilled text short before its first fault.
    fn cut(&mut self) -> Result<Option<Fault>, DataError> {
        let mut at = 0;
        while at < self.len() {
            let (read, zero) = {
                let mut window = self.window();
                let (text, _) = window.from(at, 1)?;
                (text.len(), text.find('\0'))
            };
            let fault = match zero {
                Some(zero) => Some((zero, ZERO)),
                None if read == 0 => Some((0, NOT_UTF8)),
                None => None,
            };
            if let (Some((place, what)), Self::Spilled { length, .. }) = (fault, &mut *self) {
                *length = at + place as u64;
                return Ok(Some(what));
            }
            at += read as u64;
        }
        Ok(None)
    }
}

const NOT_UTF8: Fault = "bytes that are not UTF-8";
const ZERO: Fault = "a zero byte, as in UTF-16 or binary files";

/// Bytes that are read at once.
const WINDOW: usize = 1 << 16;

/// A stretch of a text that was read last, for passes that go on from there.
pub(super) struct Window<'a> {
    text: &'a Text,
    /// Where it ends.
    end: u64,
    /// Where what was read last begins.
    start: u64,
    read: String,
}

impl Window<'_> {
    /// The text in `range`, which begins and ends between characters.
    pub(super) fn get(&mut self, range: Range<u64>) -> Result<&str, DataError> {
        let length = (range.end - range.start) as usize;
        let (text, _) = self.from(range.start, length)?;
        Ok(text.get(..length).unwrap_or(text))
    }

    /// The text from byte `at` on: `least` bytes and more, up to its end or less, and whether that is its end. Only in a text
    /// that is no UTF-8 is it less than `least` bytes.
    pub(super) fn from(&mut self, at: u64, least: usize) -> Result<(&str, bool), DataError> {
        let spill = match self.text {
            Text::Memory(text) => return Ok((&text[at as usize..self.end as usize], true)),
            Text::Spilled { spill, .. } => spill,
        };
        let left = self.end - at;
        let wanted = left.min(least as u64);
        let end = self.start + self.read.len() as u64;
        if at < self.start || at + wanted > end || (at == end && left > 0) {
            // Four more, for a character that is cut at the end is left out.
            let size = left.min((least + 4).max(WINDOW) as u64) as usize;
            let mut bytes = std::mem::take(&mut self.read).into_bytes();
            bytes.resize(size, 0);
            spill.read(at, &mut bytes).map_err(|why| spill.failure(why))?;
            (self.start, self.read) = (at, valid_start(bytes));
        }
        let text = &self.read[(at - self.start) as usize..];
        Ok((text, at + text.len() as u64 == self.end))
    }
}

/// `bytes` as text up to the first that is none.
fn valid_start(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        bytes.truncate(valid);
        String::from_utf8(bytes).unwrap_or_default()
    })
}

fn valid_text(bytes: Vec<u8>) -> (String, Option<Fault>) {
    let length = bytes.len();
    let mut text = valid_start(bytes);
    let mut fault = (text.len() < length).then_some(NOT_UTF8);
    if let Some(zero) = text.find('\0') {
        text.truncate(zero);
        fault = Some(ZERO);
    }
    (text, fault)
}
