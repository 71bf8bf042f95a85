//! One file's rows, or one list in memory.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::body::Body;
use super::cell::{Cells, cells};
use super::compact::compact;
use super::fields::{Fields, Row};
use super::stretch::Rows;
use crate::DataError;

/// Rows of a batch that is made of text.
pub(super) const BATCH: usize = 1 << 13;

/// Rows of a table that lie together, such as those of one file.
pub(super) struct Segment {
    /// The name in messages.
    pub(super) name: String,
    /// The number in the table of its first row.
    pub(super) first_row: usize,
    pub(super) body: Body,
}

/// Columns of a table, and what batches of them have in common.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    /// The names of all columns.
    pub(super) header: &'a [String],
    /// The places in it of those that are selected.
    pub(super) columns: &'a [usize],
    pub(super) schema: &'a SchemaRef,
}

impl Segment {
    /// Calls `visit` with the numbers in the table of the given rows and their fields in `columns`, which are places in the table's
    /// `header`.
    pub(super) fn visit<E: From<DataError>>(
        &self,
        rows: &Rows<'_>,
        header: &[String],
        columns: &[usize],
        visit: &mut impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let visit = &mut |row, fields: &Fields<'_>| visit(self.first_row + row, fields);
        let mut numbers = rows.numbers();
        match &self.body {
            Body::Delimited(text) => text.visit(numbers, columns, visit),
            Body::Objects(objects) => {
                let names: Vec<&str> = columns.iter().map(|column| &*header[*column]).collect();
                objects.visit(numbers, &names, visit)
            }
            Body::Batches(batches) => {
                let batches = batches.get(rows, columns);
                self.visit_batches(batches, &mut numbers, visit)
            }
            Body::Parquet(file) => {
                let batches = file.batches(rows, columns);
                let batches = batches.map_err(|_| self.damaged())?;
                self.visit_batches(batches, &mut numbers, visit)
            }
        }
    }

    fn visit_batches<E: From<DataError>>(
        &self,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        numbers: &mut dyn Iterator<Item = usize>,
        visit: &mut impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for batch in batches {
            let batch = batch.map_err(|_| self.damaged())?;
            let columns: Vec<Cells<'_>> =
                batch.columns().iter().map(|array| cells(array)).collect();
            for row in 0..batch.num_rows() {
                let number = numbers.next().ok_or_else(|| self.damaged())?;
                visit(number, &Fields(Row::Typed { cell: &|index: usize| columns[index](row) }))?;
            }
        }
        // A file with fewer rows than it says.
        numbers.next().map_or(Ok(()), |_| Err(self.damaged().into()))
    }

    /// Calls `visit` with the given rows as record batches of the selected columns.
    pub(super) fn for_each_batch<E: From<DataError>>(
        &self,
        rows: &[usize],
        selection: Selection<'_>,
        mut visit: impl FnMut(RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        let Selection { columns, schema, .. } = selection;
        let own = self.own(rows);
        let mut visit = |batch: Result<RecordBatch, ArrowError>| {
            let pieces = batch.and_then(|batch| compact(&batch)).map_err(|_| self.damaged())?;
            for piece in pieces {
                // Files of one schema may differ in what their metadata say.
                let piece = piece.and_then(|piece| piece.with_schema(Arc::clone(schema)));
                visit(piece.map_err(|_| self.damaged())?)?;
            }
            Ok(())
        };
        match &self.body {
            Body::Delimited(_) | Body::Objects(_) => {
                let mut chunks = rows.chunks(BATCH);
                chunks.try_for_each(|rows| visit(Ok(self.texts(rows, selection)?)))
            }
            Body::Batches(batches) => batches.get(&Rows::These(&own), columns).try_for_each(visit),
            Body::Parquet(file) => {
                let batches = file.batches(&Rows::These(&own), columns);
                let mut batches = batches.map_err(|_| self.damaged())?;
                batches.try_for_each(visit)
            }
        }
    }

    /// Decodes what is kept as it was encoded.
    pub(super) fn decode(&self, width: usize) -> Result<(), DataError> {
        let Body::Parquet(file) = &self.body else { return Ok(()) };
        let columns: Vec<usize> = (0..width).collect();
        let mut batches = file.batches(&self.all(), &columns).map_err(|_| self.damaged())?;
        batches.try_for_each(|batch| batch.map(drop)).map_err(|_| self.damaged())
    }

    /// Text as columns of strings.
    fn texts(&self, rows: &[usize], selection: Selection<'_>) -> Result<RecordBatch, DataError> {
        let Selection { header, columns, schema } = selection;
        let mut builders: Vec<StringBuilder> =
            columns.iter().map(|_| StringBuilder::new()).collect();
        let own = self.own(rows);
        let rows = &Rows::These(&own);
        self.visit(rows, header, columns, &mut |_, fields| -> Result<(), DataError> {
            let texts = builders.iter_mut().enumerate();
            texts.for_each(|(index, builder)| builder.append_option(fields.value(index)));
            Ok(())
        })?;
        let arrays = builders.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef);
        RecordBatch::try_new(Arc::clone(schema), arrays.collect()).map_err(|_| self.damaged())
    }

    /// All rows.
    pub(super) fn all(&self) -> Rows<'static> {
        Rows::Stretch(0..self.body.rows())
    }

    /// The numbers of these rows here.
    pub(super) fn own(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|row| row - self.first_row).collect()
    }

    /// What the decoder says may show values, so it is left out.
    pub(super) fn damaged(&self) -> DataError {
        DataError::Damaged { file: self.name.clone() }
    }
}
