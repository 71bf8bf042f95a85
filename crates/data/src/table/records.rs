//! The records of a text, one after the other, however much of it is in memory.

use std::ops::Range;

use super::text::{Text, Window};
use crate::DataError;
use crate::scan::{QuoteFaultKind, Scanner, skip_line_ends};

/// A record or a line of so many bytes is refused where the text is not in memory, so that it does not fill that.
pub(super) const LONGEST: usize = 1 << 26;

pub(super) struct Records<'a> {
    window: Window<'a>,
    scanner: Scanner,
    /// Where the next record is looked for.
    at: u64,
    /// Where the text begins that the last record was scanned in.
    base: u64,
    /// Whether a line feed stands before the last record.
    after_line_feed: bool,
}

/// Why there is no further record.
pub(super) enum Broken {
    /// The text cannot be read.
    Store(DataError),
    /// A quoted field, from 0, does not end as it should; `at` is the byte to point at.
    Quote { kind: QuoteFaultKind, at: u64, column: usize },
    /// The record that begins at this byte is longer than [`LONGEST`].
    TooLong(u64),
}

impl<'a> Records<'a> {
    /// Those of `text` after byte order marks (files joined end to end have several) and blank lines.
    pub(super) fn new(text: &'a Text, delimiter: u8) -> Result<Self, DataError> {
        let mut window = text.window();
        let mut at = 0;
        while at < text.len() {
            let (rest, last) = window.from(at, 1)?;
            let skipped = rest.len() - rest.trim_start_matches(['\u{feff}', '\r', '\n']).len();
            at += skipped as u64;
            if last || skipped < rest.len() {
                break;
            }
        }
        let scanner = Scanner::new(delimiter);
        Ok(Self { window, scanner, at, base: at, after_line_feed: false })
    }

    /// Those of `text` that begin at byte `range.start` or behind, which is where a record ends, as if the text ended at `range.end`.
    pub(super) fn between(text: &'a Text, delimiter: u8, range: Range<u64>) -> Self {
        let (window, scanner) = (text.window_to(range.end), Scanner::new(delimiter));
        let at = range.start;
        Self { window, scanner, at, base: at, after_line_feed: false }
    }

    /// Where the next record begins and ends.
    pub(super) fn next(&mut self) -> Result<Option<(u64, u64)>, Broken> {
        let mut least = 1;
        self.after_line_feed = false;
        loop {
            let (text, last) = self.window.from(self.at, least).map_err(Broken::Store)?;
            let start = skip_line_ends(text.as_bytes(), 0);
            self.after_line_feed |= text[..start].contains('\n');
            if start == text.len() && last {
                return Ok(None);
            }
            let scanned = self.scanner.record(text, start);
            match scanned {
                Ok(end) if end < text.len() || last => {
                    self.base = self.at;
                    self.at += end as u64;
                    return Ok(Some((self.base + start as u64, self.at)));
                }
                Err(fault) if last || fault.kind == QuoteFaultKind::TextAfter => {
                    let at = self.at + fault.at as u64;
                    return Err(Broken::Quote { kind: fault.kind, at, column: fault.column });
                }
                Ok(_) | Err(_) if text.len() - start > LONGEST => {
                    return Err(Broken::TooLong(self.at + start as u64));
                }
                // It goes on behind the window.
                Ok(_) | Err(_) => {
                    self.at += start as u64;
                    least = (2 * (text.len() - start).max(1)).min(LONGEST + 1);
                }
            }
        }
    }

    /// Whether a line feed stands before the last record, as it does but for text whose lines end with CR alone.
    pub(super) fn after_line_feed(&self) -> bool {
        self.after_line_feed
    }

    /// How many fields the last record has.
    pub(super) fn width(&self) -> usize {
        self.scanner.width()
    }

    /// The fields of the last record.
    pub(super) fn names(&mut self) -> Result<Vec<String>, DataError> {
        let (text, _) = self.window.from(self.base, 1)?;
        let fields = (0..self.scanner.width()).map(|column| self.scanner.field(text, column));
        Ok(fields.map(str::to_owned).collect())
    }
}
