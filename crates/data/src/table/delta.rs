//! Pages of Parquet whose texts have their lengths as differences: how many lengths there are, and how long a text is.
//!
//! The library reserves room for that number before it reads any, whatever the page's header says.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::file::metadata::ColumnChunkMetaData;

use super::claims::{Unfit, fits};
use super::thrift::Compact;

/// Bytes that the library reserves for a length.
const LENGTH: u64 = 4;

/// What such a page says of its texts' lengths.
pub(super) struct Lengths {
    /// What they take: those of texts, or of what each has of the one before it and of what it has of its own.
    pub(super) bytes: u64,
    /// The longest text, at most.
    pub(super) longest: u64,
}

/// What a data page of a column says; refuses one with more lengths than values, or lengths that take more than `room` bytes.
pub(super) fn lengths(
    page: Page,
    column: &ColumnChunkMetaData,
    room: u64,
) -> Result<Lengths, Unfit> {
    let lists = if page.encoding() == Encoding::DELTA_BYTE_ARRAY { 2 } else { 1 };
    let most = u64::from(page.num_values());
    let mut values = Compact(values(page, column).ok_or(Unfit::Damaged)?);
    let mut lengths = Lengths { bytes: 0, longest: 0 };
    // A page of nulls alone may have nothing.
    if values.0.is_empty() {
        return Ok(lengths);
    }
    for _ in 0..lists {
        let packed = values.packed().filter(|packed| packed.count <= most).ok_or(Unfit::Damaged)?;
        lengths.bytes += packed.count * LENGTH;
        fits(lengths.bytes, room)?;
        lengths.longest += values.longest(&packed).ok_or(Unfit::Damaged)?;
    }
    Ok(lengths)
}

/// What stands behind a data page's levels, or in a dictionary.
pub(super) fn values(page: Page, column: &ColumnChunkMetaData) -> Option<Bytes> {
    let described = column.column_descr();
    match page {
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let mut rest = Compact(buf);
            rest.pass(u64::from(def_levels_byte_len) + u64::from(rep_levels_byte_len))?;
            Some(rest.0)
        }
        Page::DataPage { buf, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let levels = [
                (described.max_rep_level(), rep_level_encoding),
                (described.max_def_level(), def_level_encoding),
            ];
            let mut rest = Compact(buf);
            for (most, encoding) in levels.into_iter().filter(|(most, _)| *most > 0) {
                let length = if encoding == Encoding::RLE {
                    let length = rest.0.get(..4)?.try_into().ok()?;
                    rest.pass(4)?;
                    u64::from(u32::from_le_bytes(length))
                } else {
                    let bits = u64::from(16 - most.leading_zeros());
                    (u64::from(num_values) * bits).div_ceil(8)
                };
                rest.pass(length)?;
            }
            Some(rest.0)
        }
        Page::DictionaryPage { buf, .. } => Some(buf),
    }
}

/// The header of numbers in DELTA_BINARY_PACKED: values of a block, its parts, and all values, of which this is the first.
struct Packed {
    block: u64,
    parts: u64,
    count: u64,
    first: i64,
}

impl Compact {
    fn packed(&mut self) -> Option<Packed> {
        let (block, parts, count) = (self.varint()?, self.varint()?, self.varint()?);
        let first = self.number()?;
        (1..=block).contains(&parts).then_some(Packed { block, parts, count, first })
    }

    /// The largest of the numbers behind their header, in blocks of packed differences; none where one is below zero.
    fn longest(&mut self, packed: &Packed) -> Option<u64> {
        let Packed { block, parts, count, first: mut length } = *packed;
        let mut longest = if count > 0 { u64::from(u32::try_from(length).ok()?) } else { 0 };
        let part = block / parts;
        let mut left = count.saturating_sub(1);
        while left > 0 {
            // The smallest difference, then the bits of one in each part.
            let smallest = self.number()?;
            let widths = self.0.clone();
            self.pass(parts)?;
            for width in widths.iter().take(usize::try_from(parts).ok()?) {
                if left == 0 {
                    break;
                }
                let differences = self.0.clone();
                let (width, count) = (u64::from(*width), part.min(left));
                self.pass(part.checked_mul(width)? / 8)?;
                let mut add = |difference: i64| {
                    length = length.checked_add(smallest)?.checked_add(difference)?;
                    longest = longest.max(u64::from(u32::try_from(length).ok()?));
                    Some(())
                };
                if width == 0 {
                    // They rise or fall evenly, however many there are said to be.
                    let count = i64::try_from(count).ok()?;
                    add(smallest.checked_mul(count - 1)?)?;
                } else {
                    (0..count).try_for_each(|at| add(bits(&differences, at * width, width)?))?;
                }
                left = left.saturating_sub(part);
            }
        }
        Some(longest)
    }
}

/// The number of `width` bits from bit `start` on, the lowest first; none has more bits than a length.
fn bits(packed: &[u8], start: u64, width: u64) -> Option<i64> {
    let there = packed.get(usize::try_from(start / 8).ok()?..)?;
    let mut bytes = [0; 8];
    let count = there.len().min(5);
    bytes[..count].copy_from_slice(&there[..count]);
    let number = u64::from_le_bytes(bytes) >> (start % 8);
    (width <= 32).then(|| (number & ((1 << width) - 1)) as i64)
}
