//! Record batches for whoever speaks Arrow's C interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use veilset::data::ShareTable;

/// A table that can be read any number of times.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// Numbers of rows, from 0, in the one column `row`.
    pub(crate) fn of_rows(rows: impl Iterator<Item = usize>) -> Self {
        let rows = UInt64Array::from_iter_values(rows.map(|row| row as u64));
        Self::of_columns(vec![("row", Arc::new(rows))])
    }

    /// Columns of text under these names.
    pub(crate) fn of_text<'a, Cells: Iterator<Item = Option<&'a str>>>(
        columns: impl IntoIterator<Item = (&'a str, Cells)>,
    ) -> Self {
        let column = |cells: Cells| -> ArrayRef { Arc::new(cells.collect::<LargeStringArray>()) };
        Self::of_columns(columns.into_iter().map(|(name, cells)| (name, column(cells))).collect())
    }

    pub(crate) fn of_shares(shares: &ShareTable<'_>) -> Self {
        let batches = shares.batches().collect::<Result<_, _>>();
        Self { schema: shares.schema(), batches: batches.expect("columns of the schema's types") }
    }

    fn of_columns(columns: Vec<(&str, ArrayRef)>) -> Self {
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        Self { schema: batch.schema(), batches: vec![batch] }
    }
}

#[pymethods]
impl Batches {
    /// The stream of Arrow's PyCapsule interface; a schema that is asked for is not obeyed, as that allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
