//! Rows without what only other rows have.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, GenericListViewArray, OffsetSizeTrait, RecordBatch, make_array,
};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType};
use arrow_select::dictionary::garbage_collect_any_dictionary;

use crate::caught::{caught, panicked};
use crate::types::may_share;

/// The same rows. Where rows share memory, other rows leave something in it: texts of views, values of dictionaries, and those of
/// list views, at any depth.
pub(super) fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = || batch.columns().iter().map(compacted).collect::<Result<_, _>>();
    let columns = caught(columns).unwrap_or_else(|| Err(panicked()))?;
    RecordBatch::try_new(batch.schema(), columns)
}

fn compacted(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let array: ArrayRef = match array.data_type() {
        kind if !may_share(kind) => return Ok(Arc::clone(array)),
        DataType::Utf8View => return Ok(Arc::new(array.as_string_view().gc())),
        DataType::BinaryView => return Ok(Arc::new(array.as_binary_view().gc())),
        DataType::Dictionary(..) => garbage_collect_any_dictionary(array.as_any_dictionary())?,
        DataType::ListView(_) => Arc::new(own_values(array.as_list_view::<i32>())?),
        DataType::LargeListView(_) => Arc::new(own_values(array.as_list_view::<i64>())?),
        _ => Arc::clone(array),
    };
    let data = array.to_data();
    let parts = data.child_data().iter().map(|part| compacted(&make_array(part.clone())));
    let parts = parts.map(|part| Ok(part?.to_data())).collect::<Result<_, ArrowError>>()?;
    Ok(make_array(data.into_builder().child_data(parts).build()?))
}

/// The same lists, over no values but theirs.
fn own_values<O: OffsetSizeTrait>(
    lists: &GenericListViewArray<O>,
) -> Result<GenericListViewArray<O>, ArrowError> {
    let (offsets, sizes) = (lists.value_offsets(), lists.value_sizes());
    let has_values = |row: &usize| lists.is_valid(*row) && sizes[*row] > O::zero();
    let places = |row: usize| {
        let start = offsets[row].as_usize();
        start..start + sizes[row].as_usize()
    };
    let mut kept: Vec<_> = (0..lists.len()).filter(has_values).map(places).collect();
    kept.sort_unstable_by_key(|places| places.start);
    kept.dedup_by(|next, last| {
        let joins = next.start <= last.end;
        last.end = if joins { last.end.max(next.end) } else { last.end };
        joins
    });
    let values = lists.values().to_data();
    if kept.iter().map(Range::len).sum::<usize>() == values.len() {
        return Ok(lists.clone());
    }
    let mut starts = Vec::with_capacity(kept.len());
    let mut own = MutableArrayData::new(vec![&values], false, 0);
    for places in &kept {
        starts.push(own.len());
        own.try_extend(0, places.start, places.end)?;
    }
    let moved = |row: usize| {
        let start = offsets[row].as_usize();
        let kept_before = kept.partition_point(|places| places.start <= start) - 1;
        O::usize_as(starts[kept_before] + start - kept[kept_before].start)
    };
    let places = (0..lists.len()).map(|row| match has_values(&row) {
        true => (moved(row), sizes[row]),
        false => (O::zero(), O::zero()),
    });
    let (offsets, sizes): (Vec<O>, Vec<O>) = places.unzip();
    let (DataType::ListView(field) | DataType::LargeListView(field)) = lists.data_type() else {
        unreachable!("list views have a field");
    };
    let (own, nulls) = (make_array(own.freeze()), lists.nulls().cloned());
    GenericListViewArray::try_new(Arc::clone(field), offsets.into(), sizes.into(), own, nulls)
}
