//! Rows without what only other rows have: where rows share memory, others leave something in it. Tables have no list views
//! ([`with_lists`](crate::types::with_lists)).

use std::iter;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::dictionary::garbage_collect_any_dictionary;

use crate::caught::{caught, panicked};
use crate::pieces::Written;
use crate::types::{has_dictionaries, has_views};

/// Some rows after the other.
type Pieces = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// The same rows, in pieces where some of them share texts, which each has for itself in a copy. All pieces share dictionaries that have
/// the values of these rows alone.
pub(super) fn compact(batch: &RecordBatch) -> Result<Pieces, ArrowError> {
    let batch = with_columns(batch, with_own_values)?;
    if !batch.columns().iter().any(|array| has_views(array.data_type())) {
        return Ok(Box::new(iter::once(Ok(batch))));
    }
    let pieces = Written::beside_dictionaries(&batch).pieces();
    Ok(Box::new(pieces.map(|piece| with_columns(&piece?, with_own_texts))))
}

/// The same values, with dictionaries and texts of their own.
pub(crate) fn compacted(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let compacted = || with_own_texts(&with_own_values(array)?);
    caught(compacted).unwrap_or_else(|| Err(panicked()))
}

fn with_columns(
    batch: &RecordBatch,
    column: impl Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<RecordBatch, ArrowError> {
    let columns = || batch.columns().iter().map(&column).collect::<Result<_, _>>();
    let columns = caught(columns).unwrap_or_else(|| Err(panicked()))?;
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &rows)
}

/// Dictionaries, at any depth, without the values that none of these keys stands for.
fn with_own_values(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        kind if !has_dictionaries(kind) => Ok(Arc::clone(array)),
        DataType::Dictionary(..) => {
            let own = garbage_collect_any_dictionary(array.as_any_dictionary())?;
            with_parts(&own, |values| with_own_texts(&with_own_values(values)?))
        }
        _ => with_parts(array, with_own_values),
    }
}

/// Views, at any depth but in dictionaries, without texts that none of these values has.
fn with_own_texts(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        kind if !has_views(kind) => Ok(Arc::clone(array)),
        DataType::Utf8View => Ok(Arc::new(array.as_string_view().gc())),
        DataType::BinaryView => Ok(Arc::new(array.as_binary_view().gc())),
        _ => with_parts(array, with_own_texts),
    }
}

fn with_parts(
    array: &ArrayRef,
    part: impl Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let parts = data.child_data().iter();
    let parts = parts.map(|data| Ok(part(&make_array(data.clone()))?.to_data()));
    let parts = parts.collect::<Result<_, ArrowError>>()?;
    Ok(make_array(data.into_builder().child_data(parts).build()?))
}
