//! The library's writer, with groups and pages that fit the memory.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, Type, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterPropertiesBuilder};
use parquet::schema::types::{ColumnDescriptor, ColumnPath};

use crate::caught::caught_writing;
use crate::pieces::Written;
use crate::types::leaves;

/// Bytes of memory that a column takes before any value, where its values may become a dictionary. Where all columns take more than a
/// group together, those alone do that are dictionaries.
const EMPTY: usize = 75_000;

/// Bytes of a group for each of its columns, since a file keeps about 1 kB for the place of each.
const A_COLUMN: usize = 1 << 14;

/// Bytes of memory that Zstandard takes for a column as long as its group grows. LZ4 takes none.
const ZSTANDARD: u64 = 1 << 18;

/// Rows of a page, or fewer, so that the numbers of values, before they are encoded, are a part of a group.
const ROWS: usize = 20_000;
const A_NUMBER: usize = 8;
const PART: usize = 4;

/// Writes groups of rows that are in memory until they are complete.
pub(crate) struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    /// Bytes of memory by which a group grows until it is complete.
    group: usize,
    /// Bytes of memory that the group took with its first piece: much of it is there without any row, for each column.
    first: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// # Errors
    /// When Parquet has no place for a type in `schema`, or `out` fails.
    pub(crate) fn new(
        out: W,
        schema: &SchemaRef,
        properties: WriterPropertiesBuilder,
        group: usize,
    ) -> Result<Self, ParquetError> {
        let columns = columns(schema);
        let is_wide = columns * EMPTY > group;
        let group = group.max(columns * A_COLUMN);
        let page = (group / PART / (columns.max(1) * A_NUMBER)).min(ROWS);
        // A group is complete before a dictionary is too large for it: the values of all rows would be written out then.
        let mut properties = properties
            .set_data_page_row_count_limit(page)
            .set_max_row_group_bytes(Some(group))
            .set_dictionary_page_size_limit(4 * group)
            .set_dictionary_enabled(!is_wide);
        let is_kept = |kind: &DataType| matches!(kind, DataType::Dictionary(..));
        for field in schema.fields().iter().filter(|field| is_kept(field.data_type())) {
            let column = ColumnPath::from(vec![field.name().clone()]);
            properties = properties.set_column_dictionary_enabled(column, true);
        }
        for column in ArrowSchemaConverter::new().convert(schema)?.columns() {
            if has_long_values(column) {
                let (path, none) = (column.path().clone(), EnabledStatistics::None);
                properties = properties.set_column_statistics_enabled(path, none);
            }
        }
        let properties = properties.build();
        let writer = ArrowWriter::try_new(out, SchemaRef::clone(schema), Some(properties))?;
        Ok(Self { writer, group, first: 0 })
    }

    /// # Errors
    /// When Parquet has no place for a value, or `out` fails.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        for piece in Written::of(batch).pieces() {
            let piece = piece?;
            encoded(|| self.writer.write(&piece))?;
            let memory = self.writer.memory_size();
            if self.writer.in_progress_rows() <= piece.num_rows() {
                self.first = memory;
            } else if memory > self.first.saturating_add(self.group) {
                encoded(|| self.writer.flush())?;
            }
        }
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When `out` fails.
    pub(crate) fn finish(self) -> Result<W, ParquetError> {
        encoded(|| self.writer.into_inner())
    }
}

/// Whether its values can be so long that their least and greatest, which a file has once more for each group and page, are a part of
/// it: they are not always cut, not those whose first bytes are the greatest that there are.
fn has_long_values(column: &ColumnDescriptor) -> bool {
    const SHORT: i32 = 64;
    match column.physical_type() {
        Type::BYTE_ARRAY => true,
        Type::FIXED_LEN_BYTE_ARRAY => column.type_length() > SHORT,
        _ => false,
    }
}

/// Whether Parquet has a place for columns of these types.
pub(crate) fn takes(schema: &SchemaRef) -> bool {
    ArrowWriter::try_new(io::sink(), SchemaRef::clone(schema), None).is_ok()
}

/// Bytes of a group with room for the dictionaries of all columns, between these.
pub(crate) fn group_for(schema: &Schema, least: usize, most: usize) -> usize {
    (columns(schema) * EMPTY).clamp(least, most)
}

/// The better compression, unless it takes more than `most` bytes of memory for all columns.
pub(crate) fn compression_for(schema: &Schema, most: u64) -> Compression {
    let is_much = columns(schema) as u64 * ZSTANDARD > most;
    if is_much { Compression::LZ4_RAW } else { Compression::ZSTD(ZstdLevel::default()) }
}

/// A panic of the encoder is an error.
fn encoded<T>(encode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let panicked = || ParquetError::General("the encoder panicked".to_owned());
    caught_writing(encode).ok_or_else(panicked)?
}

/// How many columns Parquet makes of these.
fn columns(schema: &Schema) -> usize {
    schema.fields().iter().map(|field| leaves(field.data_type())).sum()
}
