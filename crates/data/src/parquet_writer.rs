//! A Parquet file that takes little memory while it is written.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesBuilder;

use crate::caught::caught;
use crate::pieces::Written;

/// Writes groups of rows that are in memory until they are complete.
pub(crate) struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    /// Bytes of memory at which a group is complete.
    group: usize,
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
        // A group is complete before a dictionary is too large for it: the values of all rows would be written out then.
        let properties = properties
            .set_max_row_group_bytes(Some(group))
            .set_dictionary_page_size_limit(2 * group)
            .build();
        let writer = ArrowWriter::try_new(out, SchemaRef::clone(schema), Some(properties))?;
        Ok(Self { writer, group })
    }

    /// # Errors
    /// When Parquet has no place for a value, or `out` fails.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        for piece in Written::of(batch).pieces() {
            let piece = piece?;
            let written = caught(|| self.writer.write(&piece));
            let panicked = || ParquetError::General("the encoder panicked".to_owned());
            written.ok_or_else(panicked)??;
            if self.writer.memory_size() > self.group {
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
