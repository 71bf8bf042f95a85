//! Rows without what only other rows have.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::dictionary::garbage_collect_any_dictionary;

use crate::caught::{caught, panicked};
use crate::types::may_share;

/// The same rows, each column [`compacted`].
pub(super) fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(compacted).collect::<Result<_, _>>()?;
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &rows)
}

/// The same values. Where rows share memory, other rows leave something in it: texts of views, and values of dictionaries, at any
/// depth. Tables have no list views ([`with_lists`](crate::types::with_lists)).
pub(crate) fn compacted(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    caught(|| without_others(array)).unwrap_or_else(|| Err(panicked()))
}

fn without_others(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let array: ArrayRef = match array.data_type() {
        kind if !may_share(kind) => return Ok(Arc::clone(array)),
        DataType::Utf8View => return Ok(Arc::new(array.as_string_view().gc())),
        DataType::BinaryView => return Ok(Arc::new(array.as_binary_view().gc())),
        DataType::Dictionary(..) => garbage_collect_any_dictionary(array.as_any_dictionary())?,
        _ => Arc::clone(array),
    };
    let data = array.to_data();
    let parts = data.child_data().iter().map(|part| without_others(&make_array(part.clone())));
    let parts = parts.map(|part| Ok(part?.to_data())).collect::<Result<_, ArrowError>>()?;
    Ok(make_array(data.into_builder().child_data(parts).build()?))
}
