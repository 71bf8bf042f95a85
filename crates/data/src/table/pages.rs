//! The pages of a Parquet file: what their headers say of their sizes.
//!
//! The library that decodes them reserves what a header says, and holds a page whole. Headers are in the compact protocol of
//! Thrift; only sizes are looked at here.

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::claims::{Ratio, Unfit, fits};
use super::delta;
use super::store::Blocks;

/// Refuses a file with a page that cannot be, or takes more than `most` bytes when it is decoded.
pub(super) fn check(blocks: &Blocks, metadata: &ParquetMetaData, most: u64) -> Result<(), Unfit> {
    let mut left = metadata.file_metadata().num_rows();
    for group in metadata.row_groups() {
        left = left.saturating_sub(group.num_rows());
        let rows = u64::try_from(group.num_rows()).map_err(|_| Unfit::Damaged)?;
        for column in group.columns() {
            let pages = check_column(blocks, column, most)?;
            // Of lists, rows have none or several.
            if column.column_descr().max_rep_level() == 0 && pages.values < rows {
                return Err(Unfit::Damaged);
            }
            if pages.has_differences {
                let rows = usize::try_from(rows).map_err(|_| Unfit::Damaged)?;
                delta::check(blocks, column, rows)?;
            }
        }
    }
    if left > 0 { Err(Unfit::Damaged) } else { Ok(()) }
}

/// What the pages of a column have.
#[derive(Default)]
struct Pages {
    /// Values, nulls too.
    values: u64,
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
        at += page.compressed;
        // What is not compressed is not copied.
        if let Some(ratio) = ratio(column.compression()) {
            if !ratio.allows(page.compressed, page.decoded) {
                return Err(Unfit::Damaged);
            }
            // Its values take as much again.
            fits(page.decoded.saturating_mul(2), most)?;
        }
        // Each value of a dictionary takes a byte or more.
        if page.dictionary > page.decoded {
            return Err(Unfit::Damaged);
        }
        pages.values += page.values;
        pages.has_differences |= DIFFERENCES.contains(&page.encoding);
    }
    Ok(pages)
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

/// What a page's header says.
#[derive(Default)]
struct Page {
    decoded: u64,
    compressed: u64,
    /// Values of a dictionary.
    dictionary: u64,
    /// Values of a data page, and how they are encoded.
    values: u64,
    encoding: u64,
}

/// The header at byte `at`, and its length.
fn header(blocks: &Blocks, at: u64, end: u64) -> Result<(u64, Page), Unfit> {
    // Most are short; statistics of long values make some longer.
    let mut length = 1 << 10;
    loop {
        let read = (end - at).min(length);
        let bytes = usize::try_from(read).map(|read| blocks.get_bytes(at, read));
        let Ok(Ok(bytes)) = bytes else { return Err(Unfit::Damaged) };
        let mut reader = Compact(bytes.clone());
        match reader.page() {
            Some(page) => return Ok((read - reader.0.len() as u64, page)),
            None if at + read == end => return Err(Unfit::Damaged),
            None => length *= 8,
        }
    }
}

/// Reads Thrift's compact protocol from the front; none where the bytes end, or are something else.
pub(super) struct Compact(pub(super) Bytes);

/// How deep structures lie within one another in a header.
const DEEPEST: u32 = 8;

/// The types of fields.
mod kind {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const STRUCT: u8 = 12;
}

impl Compact {
    /// A `PageHeader` of parquet.thrift.
    fn page(&mut self) -> Option<Page> {
        let mut page = Page::default();
        self.fields(|reader, field, kind| {
            match (field, kind) {
                (2, kind::I32) => page.decoded = reader.size()?,
                (3, kind::I32) => page.compressed = reader.size()?,
                (5, kind::STRUCT) => [page.values, page.encoding] = reader.numbers([1, 2])?,
                (7, kind::STRUCT) => [page.dictionary] = reader.numbers([1])?,
                (8, kind::STRUCT) => [page.values, page.encoding] = reader.numbers([1, 4])?,
                _ => reader.skip(kind, 0)?,
            }
            Some(())
        })?;
        Some(page)
    }

    /// The numbers in these fields of a structure.
    fn numbers<const N: usize>(&mut self, wanted: [i64; N]) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        self.fields(|reader, field, kind| {
            match wanted.iter().position(|wanted| *wanted == field) {
                Some(place) if kind == kind::I32 => numbers[place] = reader.size()?,
                _ => reader.skip(kind, 1)?,
            }
            Some(())
        })?;
        Some(numbers)
    }

    /// Calls `read` with the number and the type of each field of a structure.
    fn fields(&mut self, mut read: impl FnMut(&mut Self, i64, u8) -> Option<()>) -> Option<()> {
        let mut field = 0;
        loop {
            let (step, kind) = match self.byte()? {
                0 => return Some(()),
                byte => (byte >> 4, byte & 15),
            };
            field = if step == 0 { self.number()? } else { i64::checked_add(field, step.into())? };
            read(self, field, kind)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => Some(()),
            kind::BYTE => self.pass(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.pass(8),
            kind::BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            kind::LIST | kind::SET => self.skip_list(depth),
            kind::STRUCT if depth < DEEPEST => {
                self.fields(|reader, _, kind| reader.skip(kind, depth + 1))
            }
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: u32) -> Option<()> {
        let head = self.byte()?;
        let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        match head & 15 {
            _ if depth >= DEEPEST => None,
            // An element of a list, unlike a field, has its truth in a byte.
            kind::TRUE | kind::FALSE => self.pass(length),
            kind => (0..length).try_for_each(|_| self.skip(kind, depth + 1)),
        }
    }

    fn size(&mut self) -> Option<u64> {
        u64::try_from(self.number()?).ok()
    }

    /// A number whose lowest bit is its sign.
    fn number(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(7 * place)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.0.first().copied()?;
        self.pass(1)?;
        Some(byte)
    }

    pub(super) fn pass(&mut self, length: u64) -> Option<()> {
        let length = usize::try_from(length).ok().filter(|length| *length <= self.0.len())?;
        self.0 = self.0.slice(length..);
        Some(())
    }
}
