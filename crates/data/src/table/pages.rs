//! The pages of a Parquet file: what their headers say of their sizes.
//!
//! The library that decodes them reserves what a header says, and holds a page whole.

use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::Length;

use super::claims::{Ratio, Unfit, fits};
use super::delta;
use super::expand::stays_within;
use super::header::{Page, header};
use super::longest::{rows_at_once, value};
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
    let most = room.page;
    let mut left = metadata.file_metadata().num_rows();
    let mut longest = vec![0; metadata.file_metadata().schema_descr().num_columns()];
    for group in metadata.row_groups() {
        left = left.saturating_sub(group.num_rows());
        let rows = u64::try_from(group.num_rows()).map_err(|_| Unfit::Damaged)?;
        for (longest, column) in longest.iter_mut().zip(group.columns()) {
            let pages = check_column(blocks, column, most)?;
            // Of lists, rows have none or several.
            if column.column_descr().max_rep_level() == 0 && pages.values < rows {
                return Err(Unfit::Damaged);
            }
            let values = if column.column_descr().max_rep_level() == 0 {
                1
            } else {
                pages.values.div_ceil(rows.max(1))
            };
            let rows = usize::try_from(rows).map_err(|_| Unfit::Damaged)?;
            let share = room.rows / group.columns().len() as u64;
            let length = value(blocks, (column, rows), pages.largest, share)?;
            *longest = length.saturating_mul(values).max(*longest);
            if pages.has_differences {
                delta::check(blocks, column, rows, most)?;
            }
        }
    }
    if left > 0 { Err(Unfit::Damaged) } else { rows_at_once(&longest, room.rows) }
}

/// What the pages of a column have.
#[derive(Default)]
struct Pages {
    /// Values, nulls too.
    values: u64,
    /// Bytes of the largest when it is decoded.
    largest: u64,
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
        check_page(blocks, at, &page, column, most)?;
        at += page.compressed;
        pages.values += page.values;
        pages.largest = pages.largest.max(page.decoded);
        pages.has_differences |= DIFFERENCES.contains(&page.encoding);
    }
    Ok(pages)
}

/// Refuses a page, whose bytes begin at `at`, that cannot be, or takes more than `most` bytes.
fn check_page(
    blocks: &Blocks,
    at: u64,
    page: &Page,
    column: &ColumnChunkMetaData,
    most: u64,
) -> Result<(), Unfit> {
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
        return Ok(());
    }
    stays_within(blocks, (at + page.levels, length), codec, decoded)
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
