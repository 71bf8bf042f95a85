//! The headers of a Parquet file's pages.

use parquet::file::reader::ChunkReader;

use super::claims::Unfit;
use super::store::Blocks;
use super::thrift::{Compact, kind};

/// What a page's header says.
#[derive(Default)]
pub(super) struct Page {
    /// Bytes when it is decoded, and as it stands in the file, both with its levels.
    pub(super) decoded: u64,
    pub(super) compressed: u64,
    /// Bytes of levels, which stand in front and are not compressed; none in an old page.
    pub(super) levels: u64,
    /// Whether what is behind them is as the column's codec has it.
    pub(super) is_compressed: bool,
    /// Whether it is a dictionary, and how many values that has.
    pub(super) is_dictionary: bool,
    pub(super) dictionary: u64,
    /// Values of a data page, and how they are encoded.
    pub(super) values: u64,
    pub(super) encoding: u64,
    /// Rows of a newer data page, which are passed where none is wanted.
    pub(super) rows: Option<u64>,
}

/// Most headers are shorter; statistics of long values make some longer.
const USUAL: u64 = 1 << 10;

/// No header is longer.
const LONGEST: u64 = 1 << 24;

/// The header at byte `at`, and its length.
pub(super) fn header(blocks: &Blocks, at: u64, end: u64) -> Result<(u64, Page), Unfit> {
    let mut length = USUAL;
    loop {
        let read = (end - at).min(length);
        let bytes = usize::try_from(read).map(|read| blocks.get_bytes(at, read));
        let Ok(Ok(bytes)) = bytes else { return Err(Unfit::Damaged) };
        let mut reader = Compact(bytes);
        match reader.page() {
            Some(page) => return Ok((read - reader.0.len() as u64, page)),
            None if at + read == end || length >= LONGEST => return Err(Unfit::Damaged),
            None => length *= 4,
        }
    }
}

/// The fields of a page's header that have a header of its type, and that type: a data page's, a dictionary's, a newer data
/// page's. No writer makes a page of an index, behind which the library loses its place.
const OWN: [(i16, u64); 3] = [(5, 0), (7, 2), (8, 3)];

/// The types of the fields of a page's header.
const FIELDS: [u8; 8] = {
    use kind::{I32, STRUCT};
    [I32, I32, I32, I32, STRUCT, STRUCT, STRUCT, STRUCT]
};

impl Compact {
    /// A `PageHeader` of parquet.thrift.
    fn page(&mut self) -> Option<Page> {
        let mut page = Page { is_compressed: true, ..Page::default() };
        let (mut wanted, mut found) = (None, None);
        self.fields(&FIELDS, |reader, field, kind| {
            match field {
                1 => wanted = Some(reader.size()?),
                2 => page.decoded = reader.size()?,
                3 => page.compressed = reader.size()?,
                // One that has two is read differently by different readers.
                5..=8 if found.is_some() => return None,
                5..=8 => {
                    found = OWN.iter().find(|(own, _)| *own == field).map(|(_, kind)| *kind);
                    found?;
                    reader.own(field, &mut page)?;
                }
                _ => reader.skip(kind, 0)?,
            }
            Some(())
        })?;
        (wanted? == found?).then_some(page)
    }

    /// The header in this field, which is one of its type.
    fn own(&mut self, field: i16, page: &mut Page) -> Option<()> {
        let known = match field {
            5 => 4,
            7 => 2,
            _ => 6,
        };
        let mut numbers = [0; 6];
        self.fields(&[kind::I32; 6][..known], |reader, place, kind| {
            match usize::try_from(place).ok()?.checked_sub(1)? {
                place if place < known => numbers[place] = reader.size()?,
                6 if field == 8 => page.is_compressed = kind != kind::FALSE,
                _ => reader.skip(kind, 1)?,
            }
            Some(())
        })?;
        match field {
            5 => [page.values, page.encoding] = [numbers[0], numbers[1]],
            7 => (page.is_dictionary, page.dictionary) = (true, numbers[0]),
            _ => {
                [page.values, page.encoding] = [numbers[0], numbers[3]];
                page.rows = Some(numbers[2]);
                page.levels = numbers[4] + numbers[5];
            }
        }
        Some(())
    }
}
