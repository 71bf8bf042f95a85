//! A Parquet file as it was; what is asked for is decoded each time.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::errors::ParquetError;

use super::store::{Blocks, Store};

/// Rows that are decoded at once.
const BATCH: usize = 1 << 13;

/// Costs the file's size where it stays in memory.
pub(super) struct ParquetFile {
    blocks: Blocks,
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    pub(super) fn open(store: Store) -> Result<Self, ParquetError> {
        let blocks = store.blocks();
        let metadata = ArrowReaderMetadata::load(&blocks, ArrowReaderOptions::default())?;
        Ok(Self { blocks, metadata })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub(super) fn rows(&self) -> usize {
        // A file that counts its rows below zero has none.
        usize::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    pub(super) fn memory(&self) -> usize {
        self.blocks.memory()
    }

    /// The rows with these ascending numbers, or all, of `columns` alone.
    pub(super) fn batches(
        &self,
        rows: Option<&[usize]>,
        columns: &[usize],
    ) -> Result<impl Iterator<Item = Result<RecordBatch, ArrowError>>, ArrowError> {
        let mut decoded = columns.to_vec();
        decoded.sort_unstable();
        decoded.dedup();
        // The reader gives columns in the file's order, each once.
        let places: Vec<usize> =
            columns.iter().map(|column| decoded.partition_point(|other| other < column)).collect();

        let (blocks, metadata) = (self.blocks.clone(), self.metadata.clone());
        let mask = ProjectionMask::roots(metadata.parquet_schema(), decoded);
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(blocks, metadata)
            .with_projection(mask)
            .with_batch_size(BATCH);
        if let Some(rows) = rows {
            let runs = rows.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len());
            let selection = RowSelection::from_consecutive_ranges(runs, self.rows());
            builder = builder.with_row_selection(selection);
        }
        let reader = builder.build()?;
        Ok(reader.map(move |batch| batch?.project(&places)))
    }
}
