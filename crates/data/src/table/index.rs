//! Where the rows of delimited text begin, found on all threads.
//!
//! Whether a line end ends a row depends on the quotes before it. So the text is cut at line ends as if these ended rows, and the pieces
//! are read at once. Then they are gone through in order. Where the rows before a piece end at its cut, all that was read of it is true,
//! for a row depends on nothing before it; only a quote that is open at the piece's end may close behind it. Else the cut was within
//! quotes, and rows are read from the last true one on up to the piece's end.

use std::ops::Range;

use super::records::{Broken, Records};
use super::text::Text;
use crate::DataError;
use crate::rounds::{in_rounds, threads};
use crate::scan::{QuoteFaultKind, is_line_end, skip_line_ends};

/// Bytes of a piece, or some more: what a thread reads in some milliseconds.
const PIECE: u64 = 1 << 22;

/// What all rows have in common.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) delimiter: u8,
    /// Fields of a row.
    pub(super) width: usize,
    /// Whether LF or CRLF ends the header, so that a CR alone ends no row.
    pub(super) has_line_feeds: bool,
}

/// Why a text has no further row.
pub(super) enum Fault {
    Record(Broken),
    /// The row that ends at this byte ends with a CR alone.
    LoneReturn(u64),
    /// The row that begins at this byte has so many fields.
    Width {
        at: u64,
        got: usize,
    },
}

/// Where each row of `text` begins behind byte `from`, where the header ends, and then where the text ends; or the first fault.
pub(super) fn index(text: &Text, from: u64, shape: Shape) -> Result<Vec<u64>, Fault> {
    in_pieces(text, from, shape, PIECE)
}

fn in_pieces(text: &Text, from: u64, shape: Shape, size: u64) -> Result<Vec<u64>, Fault> {
    let pieces = cut(text, from, size).map_err(|error| Fault::Record(Broken::Store(error)))?;
    let mut rows = Rows { text, shape, end: from, starts: Vec::new() };
    let read = |range: Range<u64>| {
        let mut piece = Rows { text, shape, end: range.start, starts: Vec::new() };
        let read = piece.read(range.end, range.end);
        Piece { range, starts: piece.starts, read }
    };
    in_rounds(pieces.into_iter(), 2 * threads(), read, |round| {
        round.into_iter().try_for_each(|piece| rows.take(piece))
    })?;
    rows.starts.push(text.len());
    Ok(rows.starts)
}

/// Cuts `text` from byte `from` on into pieces of so many bytes or more, at line ends.
fn cut(text: &Text, from: u64, size: u64) -> Result<Vec<Range<u64>>, DataError> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (from, from.saturating_add(size));
    while at < text.len() {
        // With the byte before, which may be the first of several line ends.
        if let Some(place) = line_end(&text.some_bytes(at - 1)?) {
            let end = at - 1 + place as u64;
            pieces.push(start..end);
            (start, at) = (end, end);
        }
        at = at.saturating_add(size);
    }
    pieces.extend((start < text.len()).then_some(start..text.len()));
    Ok(pieces)
}

/// The first line end behind the first byte that is not one of several in a row.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let line = skip_line_ends(bytes, 0).max(1);
    Some(line + bytes.get(line..)?.iter().position(|byte| is_line_end(*byte))?)
}

/// What was read of a part of the text, as if a row ended where it begins.
struct Piece {
    range: Range<u64>,
    starts: Vec<u64>,
    read: Result<(), Fault>,
}

/// The rows up to a byte.
struct Rows<'a> {
    text: &'a Text,
    shape: Shape,
    /// Where the last row ends.
    end: u64,
    /// Where each begins.
    starts: Vec<u64>,
}

impl Rows<'_> {
    /// Goes on to the end of a piece that the rows so far have reached, or are behind.
    fn take(&mut self, piece: Piece) -> Result<(), Fault> {
        const OPEN: QuoteFaultKind = QuoteFaultKind::NeverCloses;
        if piece.range.start == self.end {
            match piece.read {
                Ok(()) => {
                    self.starts.extend_from_slice(&piece.starts);
                    self.end = piece.range.end;
                    return Ok(());
                }
                Err(Fault::Record(Broken::Quote { kind: OPEN, .. })) => {}
                Err(fault) => return Err(fault),
            }
        }
        self.read(piece.range.end, self.text.len())
    }

    /// Reads rows until one ends at byte `least` or behind, as if the text ended at byte `end`.
    fn read(&mut self, least: u64, end: u64) -> Result<(), Fault> {
        let range = self.end..end.max(self.end);
        let mut records = Records::between(self.text, self.shape.delimiter, range);
        while self.end < least {
            let Some((start, stop)) = records.next().map_err(Fault::Record)? else {
                self.end = end;
                return Ok(());
            };
            if self.shape.has_line_feeds && !records.after_line_feed() {
                return Err(Fault::LoneReturn(self.end));
            }
            if records.width() != self.shape.width {
                return Err(Fault::Width { at: start, got: records.width() });
            }
            self.starts.push(start);
            self.end = stop;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a fault is, and at which byte.
    fn shown(fault: Fault) -> (String, u64) {
        match fault {
            Fault::Record(Broken::Quote { kind, at, column }) => (format!("{kind:?} {column}"), at),
            Fault::Record(Broken::TooLong(at)) => ("too long".to_owned(), at),
            Fault::Record(Broken::Store(error)) => (error.to_string(), 0),
            Fault::LoneReturn(at) => ("lone return".to_owned(), at),
            Fault::Width { at, got } => (format!("{got} fields"), at),
        }
    }

    #[test]
    fn a_cut_is_where_a_line_ends() {
        for (bytes, place) in [
            ("\nab\ncd", Some(3)),
            ("xab\r\ncd", Some(3)),
            ("\r\n\nab\n", Some(5)),
            ("x\n", Some(1)),
            ("xab", None),
            ("\n\n", None),
            ("", None),
        ] {
            assert_eq!(line_end(bytes.as_bytes()), place, "{bytes:?}");
        }
    }

    proptest::proptest! {
        /// Whatever is cut within quotes, the rows are those of one pass, and so is the first fault.
        #[test]
        fn pieces_have_the_rows_of_the_whole(
            rows in proptest::collection::vec("[a\"]{0,2}|\"(a|\"\"|,|\n|\r|é){0,6}\"", 0..24),
            ends in proptest::collection::vec("\n|\r\n|\n\n|\r|,", 24),
            size in 1_u64..12,
            has_line_feeds in proptest::bool::ANY,
        ) {
            let text: String = rows.iter().zip(&ends).flat_map(|(row, end)| [row, &**end]).collect();
            let text = Text::Memory(format!("h\n{text}"));
            let shape = Shape { delimiter: b',', width: 1, has_line_feeds };
            let whole = in_pieces(&text, 1, shape, u64::MAX).map_err(shown);
            proptest::prop_assert_eq!(in_pieces(&text, 1, shape, size).map_err(shown), whole);
        }
    }
}
