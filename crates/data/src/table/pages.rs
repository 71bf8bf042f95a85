//! The pages of a Parquet file: what their headers say of their sizes.
//!
//! The library that decodes them reserves what a header says, and holds a page whole.

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::Length;

use super::claims::{Ratio, Unfit, fits};
use super::cost::{A_COLUMN, Cost, Costs, Kept, ROWS};
use super::expand::stays_within;
use super::header::{Page, header};
use super::leaves::Leaf;
use super::longest::{Texts, texts};
use super::store::Blocks;

/// The most bytes that may be taken when a file is decoded.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// By a page.
    pub(super) page: u64,
    /// By the rows that are decoded at once.
    pub(super) rows: u64,
}

/// Refuses a file with a page that cannot be, or takes more room when it is decoded. Says what its columns take.
pub(super) fn check(
    blocks: &Blocks,
    metadata: &ArrowReaderMetadata,
    room: Room,
) -> Result<Costs, Unfit> {
    let leaves = Leaf::all(metadata.schema().fields());
    let metadata = metadata.metadata();
    let described = metadata.file_metadata().schema_descr();
    if leaves.len() != described.num_columns() {
        return Err(Unfit::Damaged);
    }
    check_places(blocks, metadata)?;
    let mut left = metadata.file_metadata().num_rows();
    let mut costs = Costs::default();
    for group in metadata.row_groups() {
        left = left.checked_sub(group.num_rows()).ok_or(Unfit::Damaged)?;
        let rows = u64::try_from(group.num_rows()).map_err(|_| Unfit::Damaged)?;
        let room = Room { rows: room.rows / group.columns().len().max(1) as u64, ..room };
        let columns = group.columns().iter().zip(&leaves);
        let columns =
            columns.map(|(chunk, leaf)| Column { blocks, chunk, rows, leaf, room }.cost());
        costs.add(&columns.collect::<Result<Vec<_>, _>>()?);
    }
    if left == 0 { Ok(costs) } else { Err(Unfit::Damaged) }
}

/// Refuses a file whose columns share bytes, which could then be looked at any number of times.
fn check_places(blocks: &Blocks, metadata: &ParquetMetaData) -> Result<(), Unfit> {
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    let taken = chunks.fold(0_u64, |sum, chunk| sum.saturating_add(chunk.byte_range().1));
    if taken <= blocks.len() { Ok(()) } else { Err(Unfit::Damaged) }
}

/// A column of a group of so many rows, and its share of the room.
struct Column<'a> {
    blocks: &'a Blocks,
    chunk: &'a ColumnChunkMetaData,
    rows: u64,
    leaf: &'a Leaf,
    room: Room,
}

impl Column<'_> {
    fn cost(&self) -> Result<Cost, Unfit> {
        let pages = check_column(self.blocks, self.chunk, self.room.page)?;
        // Of lists, rows have none or several.
        let has_lists = self.chunk.column_descr().max_rep_level() > 0;
        if !has_lists && pages.values != self.rows {
            return Err(Unfit::Damaged);
        }
        let texts = self.texts(&pages, has_lists)?;
        let width = match self.chunk.column_type() {
            Type::BYTE_ARRAY if has_lists => 0,
            Type::BYTE_ARRAY => texts.longest,
            Type::FIXED_LEN_BYTE_ARRAY => width(self.chunk),
            _ => 0,
        };
        let value = width.saturating_add(NUMBER);
        let held = pages.data.saturating_add(pages.dictionary);
        let row = if has_lists { self.row_of_lists(&pages, value) } else { value };
        let row = row.max(value.saturating_mul(self.leaf.row));
        // The library has a block for the texts of each run of rows that it joins of two parts.
        let blocks = if pages.has_differences { BLOCK } else { 0 };
        if !self.leaf.keeps_pages {
            return Ok(Cost {
                held: held.saturating_add(texts.lengths),
                row,
                kept: Kept::default(),
            });
        }
        let kept = Kept {
            page: held,
            all: pages.all.saturating_add(pages.dictionary),
            values: (pages.fewest / pages.values.div_ceil(self.rows.max(1)).max(1)).max(1),
        };
        Ok(Cost { held: texts.lengths, row: row.saturating_add(blocks), kept })
    }

    /// What a row of lists takes, of values of which each takes `value` beside its text: as much as on average.
    fn row_of_lists(&self, pages: &Pages, value: u64) -> u64 {
        let in_dictionary = pages.dictionary / pages.distinct.max(1);
        let texts = in_dictionary.saturating_mul(pages.values).saturating_add(pages.all);
        let texts = if self.chunk.column_type() == Type::BYTE_ARRAY { texts } else { 0 };
        value.saturating_mul(pages.values).saturating_add(texts).div_ceil(self.rows.max(1))
    }

    /// What the texts take. Where pages are short, no look at them is needed: no text is longer than its page.
    fn texts(&self, pages: &Pages, has_lists: bool) -> Result<Texts, Unfit> {
        let largest = pages.data.max(pages.dictionary);
        let is_short = largest.saturating_mul(ROWS) <= self.room.rows.min(A_COLUMN);
        let has_texts = self.chunk.column_type() == Type::BYTE_ARRAY;
        if pages.has_differences || has_texts && !has_lists && !is_short {
            let rows = usize::try_from(self.rows).map_err(|_| Unfit::Damaged)?;
            texts(self.blocks, self.chunk, rows, self.room.page)
        } else {
            Ok(Texts { longest: largest, lengths: 0 })
        }
    }
}

/// What a number takes, or the place of a text.
const NUMBER: u64 = 16;

/// What a block of joined texts takes, and what tells of it.
const BLOCK: u64 = 4096 + 128;

/// What the pages of a column have.
#[derive(Default)]
struct Pages {
    /// Values, nulls too.
    values: u64,
    /// The fewest of a page that has any.
    fewest: u64,
    /// Bytes of the largest page of data when it is decoded, of all of them, and of a dictionary.
    data: u64,
    all: u64,
    dictionary: u64,
    /// Values of a dictionary.
    distinct: u64,
    /// Whether one has texts with their lengths as differences.
    has_differences: bool,
}

fn check_column(blocks: &Blocks, column: &ColumnChunkMetaData, most: u64) -> Result<Pages, Unfit> {
    let mut pages = Pages::default();
    let (mut at, length) = column.byte_range();
    let end = at.checked_add(length).filter(|end| *end <= blocks.len()).ok_or(Unfit::Damaged)?;
    while at < end {
        let (header, page) = header(blocks, at, end)?;
        at += header;
        if page.compressed > end - at {
            return Err(Unfit::Damaged);
        }
        let values = check_page(blocks, at, &page, column, most)?;
        let is_flat = column.column_descr().max_rep_level() == 0;
        if is_flat && page.rows.is_some_and(|rows| rows != page.values) {
            return Err(Unfit::Damaged);
        }
        at += page.compressed;
        pages.values += page.values;
        if page.is_dictionary {
            pages.dictionary = pages.dictionary.max(values);
            pages.distinct = pages.distinct.max(page.dictionary);
        } else {
            pages.data = pages.data.max(page.decoded);
            pages.all = pages.all.saturating_add(page.decoded);
        }
        if page.values > 0 {
            let before = if pages.fewest > 0 { pages.fewest } else { u64::MAX };
            pages.fewest = page.values.min(before);
        }
        pages.has_differences |= DIFFERENCES.contains(&page.encoding);
    }
    Ok(pages)
}

/// Refuses a page, whose bytes begin at `at`, that cannot be, or takes more than `most` bytes. Says how many its values take.
fn check_page(
    blocks: &Blocks,
    at: u64,
    page: &Page,
    column: &ColumnChunkMetaData,
    most: u64,
) -> Result<u64, Unfit> {
    let codec = column.compression();
    let can_be = match ratio(codec) {
        Some(ratio) if page.is_compressed => ratio.allows(page.compressed, page.decoded),
        _ => page.compressed == page.decoded,
    };
    if !can_be || page.dictionary.saturating_mul(width(column)) > page.decoded {
        return Err(Unfit::Damaged);
    }
    // Its values take as much again, each text of a dictionary at least what tells where it is.
    let place = if column.column_type() == Type::BYTE_ARRAY { PLACE } else { width(column) };
    let values = page.decoded.max(page.dictionary.saturating_mul(place));
    fits(page.decoded.saturating_add(values).max(page.compressed), most)?;
    let levels = |size: u64| size.checked_sub(page.levels).ok_or(Unfit::Damaged);
    let (length, decoded) = (levels(page.compressed)?, levels(page.decoded)?);
    // Where nothing is to come, the library does not look.
    if !page.is_compressed || decoded == 0 {
        return Ok(values);
    }
    stays_within(blocks, at + page.levels, length, codec, decoded)?;
    Ok(values)
}

/// What a text takes in memory beside its bytes, at most.
const PLACE: u64 = 20;

/// The least bytes of a value in a dictionary.
fn width(column: &ColumnChunkMetaData) -> u64 {
    match column.column_type() {
        Type::BOOLEAN => 1,
        // A text has its length in front.
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => {
            column.column_descr().type_length().try_into().map_or(1, |width: u64| width.max(1))
        }
    }
}

/// DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY, as headers have them.
const DIFFERENCES: [u64; 2] = [6, 7];

fn ratio(codec: Compression) -> Option<Ratio> {
    match codec {
        Compression::UNCOMPRESSED => None,
        Compression::SNAPPY => Some(Ratio::Snappy),
        Compression::GZIP(_) => Some(Ratio::Gzip),
        Compression::LZ4 | Compression::LZ4_RAW => Some(Ratio::Lz4),
        Compression::ZSTD(_) => Some(Ratio::Zstd),
        Compression::BROTLI(_) | Compression::LZO => Some(Ratio::Brotli),
    }
}
