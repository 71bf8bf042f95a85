//! How many rows of a Parquet file are decoded at once: so many that all fit if each has the longest values that there are.
//!
//! A page may say any number of times that a value is that one of its dictionary.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::PageReader;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::claims::{Unfit, fits};
use super::delta::values;
use super::store::Blocks;

/// Rows that are decoded at once where they fit.
const ROWS: u64 = 1 << 13;

/// What a number takes, or the place of a text.
const NUMBER: u64 = 16;

/// The most bytes of a column that are decoded at once: the library counts them in 31 bits.
const A_COLUMN: u64 = i32::MAX as u64;

/// How many rows fit `most` bytes, with these bytes in each column; refuses where one does not.
pub(super) fn rows_at_once(longest: &[u64], most: u64) -> Result<usize, Unfit> {
    let row = longest.iter().fold(0_u64, |sum, length| sum.saturating_add(*length));
    let widest = longest.iter().copied().max().unwrap_or(0);
    let is_fit = |rows: u64| {
        widest.saturating_mul(rows) <= A_COLUMN && fits(row.saturating_mul(rows), most).is_ok()
    };
    let mut rows = ROWS;
    while rows > 1 && !is_fit(rows) {
        rows /= 2;
    }
    fits(row.saturating_mul(rows), most)?;
    Ok(rows as usize)
}

/// Bytes that any value of a column takes at most, of which the largest page has `page` bytes; a column may take `most`.
pub(super) fn value(
    blocks: &Blocks,
    (column, rows): (&ColumnChunkMetaData, usize),
    page: u64,
    most: u64,
) -> Result<u64, Unfit> {
    let is_short = page.saturating_mul(ROWS) <= most.min(A_COLUMN);
    let width = match column.column_type() {
        // Longer than its page no text is: good enough.
        Type::BYTE_ARRAY if is_short => page,
        Type::BYTE_ARRAY => longest_text(blocks, column, rows)?,
        Type::FIXED_LEN_BYTE_ARRAY => {
            column.column_descr().type_length().try_into().map_err(|_| Unfit::Damaged)?
        }
        _ => 0,
    };
    Ok(width.saturating_add(NUMBER))
}

/// The length of a column's longest text, or of a page where it would have to be decoded for that.
fn longest_text(blocks: &Blocks, column: &ColumnChunkMetaData, rows: usize) -> Result<u64, Unfit> {
    let reader = SerializedPageReader::new(Arc::new(blocks.clone()), column, rows, None);
    let mut reader = reader.map_err(|_| Unfit::Damaged)?;
    let mut longest = 0;
    while let Some(page) = reader.get_next_page().map_err(|_| Unfit::Damaged)? {
        let length = match page.encoding() {
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if page.is_data_page() => 0,
            Encoding::PLAIN | Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                longest_plain(&values(page, column).ok_or(Unfit::Damaged)?)
            }
            _ => page.buffer().len() as u64,
        };
        longest = length.max(longest);
    }
    Ok(longest)
}

/// The length of the longest of texts that each have their length in front.
fn longest_plain(texts: &Bytes) -> u64 {
    let (mut rest, mut longest) = (&texts[..], 0);
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length);
        // The library ends there, too.
        let Some(next) = behind.get(length as usize..) else { break };
        longest = longest.max(length.into());
        rest = next;
    }
    longest
}
