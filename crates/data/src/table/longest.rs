//! How many rows of a Parquet file are decoded at once: so many that all fit beside a page of each column if each has the longest
//! values that there are.
//!
//! A page may say any number of times that a value is that one of its dictionary.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::PageReader;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::claims::{Unfit, fits};
use super::delta::{self, values};
use super::pages::{Pages, Room};
use super::store::Blocks;

/// Rows that are decoded at once where they fit.
const ROWS: u64 = 1 << 13;

/// What a number takes, or the place of a text.
const NUMBER: u64 = 16;

/// The most bytes of a column that are decoded at once: the library counts them in 31 bits.
const A_COLUMN: u64 = i32::MAX as u64;

/// What a column takes while rows are decoded, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// Its page and its dictionary, which stay until their last row is read.
    pub(super) held: u64,
    /// A row, at most.
    pub(super) row: u64,
}

impl Cost {
    pub(super) fn max(self, other: Self) -> Self {
        Self { held: self.held.max(other.held), row: self.row.max(other.row) }
    }
}

/// How many rows of these columns fit `most` bytes; refuses where one does not.
pub(super) fn rows_at_once(columns: &[Cost], most: u64) -> Result<usize, Unfit> {
    let sum = |part: fn(&Cost) -> u64| columns.iter().map(part).fold(0, u64::saturating_add);
    let (held, row) = (sum(|column| column.held), sum(|column| column.row));
    let widest = columns.iter().map(|column| column.row).max().unwrap_or(0);
    let taken = |rows: u64| row.saturating_mul(rows).saturating_add(held);
    let is_fit =
        |rows: u64| widest.saturating_mul(rows) <= A_COLUMN && fits(taken(rows), most).is_ok();
    let mut rows = ROWS;
    while rows > 1 && !is_fit(rows) {
        rows /= 2;
    }
    fits(taken(rows), most)?;
    Ok(rows as usize)
}

/// What a value of a column with these pages takes at most, and the pages, all in `room`.
pub(super) fn cost(
    blocks: &Blocks,
    (column, rows): (&ColumnChunkMetaData, usize),
    pages: &Pages,
    room: Room,
) -> Result<Cost, Unfit> {
    let has_texts = column.column_type() == Type::BYTE_ARRAY;
    let is_short = pages.largest().saturating_mul(ROWS) <= room.rows.min(A_COLUMN);
    let texts = if pages.has_differences || has_texts && !is_short {
        texts(blocks, column, rows, room.page)?
    } else {
        // Longer than its page no text is: good enough.
        Texts { longest: pages.largest(), lengths: 0 }
    };
    let width = match column.column_type() {
        Type::BYTE_ARRAY => texts.longest,
        Type::FIXED_LEN_BYTE_ARRAY => {
            column.column_descr().type_length().try_into().map_err(|_| Unfit::Damaged)?
        }
        _ => 0,
    };
    let held = pages.data.saturating_add(pages.dictionary).saturating_add(texts.lengths);
    Ok(Cost { held, row: width.saturating_add(NUMBER) })
}

/// What a column's texts take, in bytes.
#[derive(Default)]
struct Texts {
    /// The longest, at most.
    longest: u64,
    /// The lengths of a page's texts, where the library has them beside it.
    lengths: u64,
}

/// Looks at all texts of a column; refuses lengths that take more than `most` bytes.
fn texts(
    blocks: &Blocks,
    column: &ColumnChunkMetaData,
    rows: usize,
    most: u64,
) -> Result<Texts, Unfit> {
    let reader = SerializedPageReader::new(Arc::new(blocks.clone()), column, rows, None);
    let mut reader = reader.map_err(|_| Unfit::Damaged)?;
    let mut texts = Texts::default();
    while let Some(page) = reader.get_next_page().map_err(|_| Unfit::Damaged)? {
        let (longest, lengths) = match page.encoding() {
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if page.is_data_page() => (0, 0),
            Encoding::PLAIN | Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                (longest_plain(&values(page, column).ok_or(Unfit::Damaged)?), 0)
            }
            Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY => {
                let lengths = delta::lengths(page, column, most)?;
                (lengths.longest, lengths.bytes)
            }
            _ => (page.buffer().len() as u64, 0),
        };
        texts.longest = texts.longest.max(longest);
        texts.lengths = texts.lengths.max(lengths);
    }
    Ok(texts)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::ParquetMetaDataReader;
    use parquet::file::properties::WriterProperties;

    use super::*;

    /// Lengths that rise and fall, no two of which follow one another evenly.
    fn lengths() -> impl Iterator<Item = usize> {
        (0..5_000_usize).map(|row| row.pow(3) % 997)
    }

    #[test]
    fn texts_are_as_long_as_their_lengths_say() {
        let longest = lengths().max().expect("some") as u64;
        let rows = lengths().map(|length| (length % 11 > 0).then(|| "k".repeat(length)));
        let batch: ArrayRef = Arc::new(StringArray::from_iter(rows));
        let batch = RecordBatch::try_from_iter([("k", batch)]).expect("a column");
        // The longest text of a page, and at most what one has of that before it beside it.
        for (encoding, most) in [
            (Encoding::PLAIN, longest),
            (Encoding::DELTA_LENGTH_BYTE_ARRAY, longest),
            (Encoding::DELTA_BYTE_ARRAY, 2 * longest),
        ] {
            let properties = WriterProperties::builder()
                .set_dictionary_enabled(false)
                .set_encoding(encoding)
                .set_compression(parquet::basic::Compression::SNAPPY)
                .build();
            let mut file = Vec::new();
            let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
            let mut writer = writer.expect("text");
            writer.write(&batch).expect("to memory");
            writer.close().expect("to memory");
            let blocks = Blocks::Memory(file.into());
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&blocks).expect("a file");
            let found = texts(&blocks, metadata.row_group(0).column(0), 5_000, u64::MAX);
            let found = found.expect("texts").longest;
            assert!((longest..=most).contains(&found), "{encoding}: {found}");
        }
    }
}
