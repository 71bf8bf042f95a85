//! The pages of a Parquet file: what their headers say of their sizes.
//!
//! The library that decodes them reserves what a header says, and holds a page whole.

use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::Length;

use super::claims::{Ratio, Unfit, fits};
use super::expand::stays_within;
use super::header::{Page, header};
use super::longest::{Cost, cost, rows_at_once};
use super::store::Blocks;

/// The most bytes that may be taken when a file is decoded.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// By a page.
    pub(super) page: u64,
    /// By the rows that are decoded at once.
    pub(super) rows: u64,
}

/// Refuses a file with a page or a row that cannot be, or takes more room when it is decoded. Says how many rows can be decoded
/// at once.
pub(super) fn check(
    blocks: &Blocks,
    metadata: &ParquetMetaData,
    room: Room,
) -> Result<usize, Unfit> {
    let mut left = metadata.file_metadata().num_rows();
    let mut costs = vec![Cost::default(); metadata.file_metadata().schema_descr().num_columns()];
    for group in metadata.row_groups() {
        left = left.saturating_sub(group.num_rows());
        let rows = u64::try_from(group.num_rows()).map_err(|_| Unfit::Damaged)?;
        let room = Room { rows: room.rows / group.columns().len() as u64, ..room };
        for (cost, column) in costs.iter_mut().zip(group.columns()) {
            *cost = cost_of(blocks, (column, rows), room)?.max(*cost);
        }
    }
    if left > 0 { Err(Unfit::Damaged) } else { rows_at_once(&costs, room.rows) }
}

/// What a column with so many rows of a group takes, of which `room` is the column's share.
fn cost_of(
    blocks: &Blocks,
    (column, rows): (&ColumnChunkMetaData, u64),
    room: Room,
) -> Result<Cost, Unfit> {
    let pages = check_column(blocks, column, room.page)?;
    // Of lists, rows have none or several.
    let has_lists = column.column_descr().max_rep_level() > 0;
    if !has_lists && pages.values < rows {
        return Err(Unfit::Damaged);
    }
    let values = if has_lists { pages.values.div_ceil(rows.max(1)) } else { 1 };
    let rows = usize::try_from(rows).map_err(|_| Unfit::Damaged)?;
    let cost = cost(blocks, (column, rows), &pages, room)?;
    Ok(Cost { row: cost.row.saturating_mul(values), ..cost })
}

/// What the pages of a column have.
#[derive(Default)]
pub(super) struct Pages {
    /// Values, nulls too.
    values: u64,
    /// Bytes of the largest page of data when it is decoded, and of a dictionary.
    pub(super) data: u64,
    pub(super) dictionary: u64,
    /// Whether one has texts with their lengths as differences.
    pub(super) has_differences: bool,
}

impl Pages {
    /// Bytes that no page has more of.
    pub(super) fn largest(&self) -> u64 {
        self.data.max(self.dictionary)
    }
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
        at += page.compressed;
        pages.values += page.values;
        if page.is_dictionary {
            pages.dictionary = pages.dictionary.max(values);
        } else {
            pages.data = pages.data.max(page.decoded);
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
    // Its values take as much again, each of a dictionary at least what tells where it is.
    let values = page.decoded.max(page.dictionary.saturating_mul(PLACE));
    fits(page.decoded.saturating_add(values).max(page.compressed), most)?;
    let levels = |size: u64| size.checked_sub(page.levels).ok_or(Unfit::Damaged);
    let (length, decoded) = (levels(page.compressed)?, levels(page.decoded)?);
    // Where nothing is to come, the library does not look.
    if !page.is_compressed || decoded == 0 {
        return Ok(values);
    }
    stays_within(blocks, (at + page.levels, length), codec, decoded)?;
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
