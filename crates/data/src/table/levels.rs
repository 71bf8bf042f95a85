//! Lists in columns of Parquet: how many values a row has.

use std::sync::Arc;

use arrow_schema::{DataType, Field};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::claims::Unfit;
use super::delta::bits;
use super::store::Blocks;
use super::thrift::Compact;

/// How many values the library makes of one that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    /// Of a row, at least: a list of a fixed length has that many values even where it is null.
    pub(super) row: u64,
    /// Of each value of a row, at most: lists of a fixed length within others.
    pub(super) each: u64,
}

impl Padding {
    /// Where there are no such lists.
    pub(super) const NONE: Self = Self { row: 1, each: 1 };

    /// What the type of a column says.
    pub(super) fn of(field: &Field) -> Self {
        match field.data_type() {
            DataType::FixedSizeList(field, length) => {
                let within = Self::of(field);
                let length = u64::try_from(*length).unwrap_or(0).max(1);
                Self { row: within.row.saturating_mul(length), ..within }
            }
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::ListView(field)
            | DataType::LargeListView(field)
            | DataType::Map(field, _) => {
                let within = Self::of(field);
                Self { row: 1, each: within.row.saturating_mul(within.each) }
            }
            DataType::Struct(fields) => fields
                .iter()
                .map(|field| Self::of(field))
                .fold(Self::NONE, |a, b| Self { row: a.row.max(b.row), each: a.each.max(b.each) }),
            _ => Self::NONE,
        }
    }
}

/// The most values of a row of a column with lists.
pub(super) fn longest_row(
    blocks: &Blocks,
    column: &ColumnChunkMetaData,
    rows: usize,
) -> Result<u64, Unfit> {
    let reader = SerializedPageReader::new(Arc::new(blocks.clone()), column, rows, None);
    let mut reader = reader.map_err(|_| Unfit::Damaged)?;
    let most = column.column_descr().max_rep_level();
    let width = u64::from(16 - most.leading_zeros());
    let mut row = Row::default();
    while let Some(page) = reader.get_next_page().map_err(|_| Unfit::Damaged)? {
        if page.is_data_page() {
            let mut left = u64::from(page.num_values());
            if let Some(levels) = repetitions(page) {
                row.read(levels, width, &mut left);
            }
            // Levels that cannot be read may be of one row.
            row.more(left);
        }
    }
    Ok(row.longest)
}

/// Where a page tells which of its values begin a row, as runs of bits.
fn repetitions(page: Page) -> Option<Compact> {
    match page {
        Page::DataPageV2 { buf, rep_levels_byte_len, .. } => {
            let length = usize::try_from(rep_levels_byte_len).ok()?;
            (length <= buf.len()).then(|| Compact(buf.slice(..length)))
        }
        Page::DataPage { buf, rep_level_encoding: Encoding::RLE, .. } => {
            let (length, _) = buf.split_first_chunk()?;
            let end = usize::try_from(u32::from_le_bytes(*length)).ok()?.checked_add(4)?;
            (end <= buf.len()).then(|| Compact(buf.slice(4..end)))
        }
        _ => None,
    }
}

/// The row that is read, over the ends of pages.
#[derive(Debug, Default)]
struct Row {
    values: u64,
    longest: u64,
}

impl Row {
    /// So many values that belong to the row.
    fn more(&mut self, values: u64) {
        self.values += values;
        self.longest = self.longest.max(self.values);
    }

    /// So many values that each begin a row.
    fn begin(&mut self, values: u64) {
        if values > 0 {
            self.values = 0;
            self.more(1);
        }
    }

    /// Reads the levels of `left` values, each of `width` bits: runs of one level, and levels that are packed. What cannot be
    /// read stays in `left`.
    fn read(&mut self, mut levels: Compact, width: u64, left: &mut u64) -> Option<()> {
        while *left > 0 {
            let header = levels.varint()?;
            let count = header >> 1;
            if header & 1 == 0 {
                let level = levels.0.clone();
                levels.pass(width.div_ceil(8))?;
                let count = count.min(*left);
                match bits(&level, 0, width)? {
                    0 => self.begin(count),
                    _ => self.more(count),
                }
                *left -= count;
            } else {
                let packed = levels.0.clone();
                levels.pass(count.checked_mul(width)?)?;
                for place in 0..count.checked_mul(8)?.min(*left) {
                    match bits(&packed, place * width, width)? {
                        0 => self.begin(1),
                        _ => self.more(1),
                    }
                    *left -= 1;
                }
            }
            // A run of none could be there any number of times.
            if count == 0 {
                return None;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{Int32Builder, ListBuilder};
    use arrow_array::{ArrayRef, RecordBatch};
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::ParquetMetaDataReader;
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;

    #[test]
    fn rows_are_as_long_as_their_levels_say() {
        // One list of lists lies over the ends of pages.
        let lengths = |row: usize| if row == 701 { 5_000 } else { row.pow(2) % 23 };
        let mut lists = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
        let mut longest = 0;
        for row in 0..1_000 {
            let mut values = 0;
            for inner in 0..lengths(row) {
                for value in 0..inner % 3 {
                    lists.values().values().append_value(value as i32);
                }
                // An empty list is a value, too.
                values += (inner % 3).max(1);
                lists.values().append(true);
            }
            longest = longest.max(values as u64);
            lists.append(row % 7 > 0);
        }
        let lists: ArrayRef = Arc::new(lists.finish());
        let batch = RecordBatch::try_from_iter([("k", lists)]).expect("a column");
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_data_page_row_count_limit(300)
                .set_write_batch_size(64)
                .build();
            let mut file = Vec::new();
            let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
            let mut writer = writer.expect("lists");
            writer.write(&batch).expect("to memory");
            writer.close().expect("to memory");
            let blocks = Blocks::Memory(file.into());
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&blocks).expect("a file");
            let column = metadata.row_group(0).column(0);
            assert_eq!(longest_row(&blocks, column, 1_000), Ok(longest), "{version:?}");
        }
    }

    #[test]
    fn lists_of_a_fixed_length_are_padded() {
        let number = || Arc::new(Field::new("item", DataType::Int32, true));
        let fixed = |field, length| {
            Arc::new(Field::new("item", DataType::FixedSizeList(field, length), true))
        };
        let list = |field| Arc::new(Field::new("item", DataType::List(field), true));
        let padding = |row, each| Padding { row, each };
        assert_eq!(Padding::of(&number()), Padding::NONE);
        assert_eq!(Padding::of(&fixed(fixed(number(), 3), 4)), padding(12, 1));
        assert_eq!(Padding::of(&fixed(list(fixed(number(), 3)), 4)), padding(4, 3));
        assert_eq!(Padding::of(&list(list(fixed(number(), 0)))), Padding::NONE);
    }
}
