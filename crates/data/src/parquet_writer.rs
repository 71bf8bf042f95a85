//! A Parquet file that takes little memory while it is written.

use std::io::Write;
use std::ops::RangeInclusive;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesBuilder;

use crate::caught::caught;
use crate::pieces::Written;
use crate::types::part_kinds;

/// Bytes of a group for each of its columns, of which a file keeps about one in a hundred for the places of their pages.
const A_COLUMN: usize = 1 << 16;

/// Rows of a page, so that the numbers of values, before they are encoded, are a part of a group.
const ROWS: RangeInclusive<usize> = 1 << 10..=20_000;
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
        let columns = schema.fields().iter().map(|field| leaves(field.data_type())).sum::<usize>();
        let group = group.max(columns * A_COLUMN);
        let page = (group / PART / (columns.max(1) * A_NUMBER)).clamp(*ROWS.start(), *ROWS.end());
        // A group is complete before a dictionary is too large for it: the values of all rows would be written out then.
        let properties = properties
            .set_data_page_row_count_limit(page)
            .set_max_row_group_bytes(Some(group))
            .set_dictionary_page_size_limit(4 * group)
            .build();
        let writer = ArrowWriter::try_new(out, SchemaRef::clone(schema), Some(properties))?;
        Ok(Self { writer, group, first: 0 })
    }

    /// # Errors
    /// When Parquet has no place for a value, or `out` fails.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        for piece in Written::of(batch).pieces() {
            let piece = piece?;
            let written = caught(|| self.writer.write(&piece));
            let panicked = || ParquetError::General("the encoder panicked".to_owned());
            written.ok_or_else(panicked)??;
            let memory = self.writer.memory_size();
            if self.writer.in_progress_rows() <= piece.num_rows() {
                self.first = memory;
            } else if memory > self.first.saturating_add(self.group) {
                self.writer.flush()?;
            }
        }
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When `out` fails.
    pub(crate) fn finish(self) -> Result<W, ParquetError> {
        self.writer.into_inner()
    }
}

/// How many columns Parquet makes of one of this type.
fn leaves(kind: &DataType) -> usize {
    match (kind, part_kinds(kind)) {
        (DataType::Dictionary(..), _) => 1,
        (_, parts) => parts.iter().map(leaves).sum::<usize>().max(1),
    }
}
