//! Types of columns with others in their place, and the same values in those.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int8Type, Int16Type, Time32MillisecondType, Time32SecondType,
    TimestampMillisecondType, TimestampSecondType, UInt8Type, UInt16Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, GenericListArray, GenericListViewArray, Int32Array,
    OffsetSizeTrait, RecordBatch, RecordBatchOptions, make_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use arrow_select::take::take;

use crate::pieces::copied;
use crate::table::memory_of;

/// Whether a dictionary with such keys has place for few values.
pub(crate) fn has_short_keys(key: &DataType) -> bool {
    matches!(key, DataType::Int8 | DataType::UInt8 | DataType::Int16 | DataType::UInt16)
}

/// Short keys, longer.
fn longer(keys: &dyn Array) -> Int32Array {
    match keys.data_type() {
        DataType::Int8 => keys.as_primitive::<Int8Type>().unary(i32::from),
        DataType::UInt8 => keys.as_primitive::<UInt8Type>().unary(i32::from),
        DataType::Int16 => keys.as_primitive::<Int16Type>().unary(i32::from),
        _ => keys.as_primitive::<UInt16Type>().unary(i32::from),
    }
}

/// The types in which columns are read. Dictionaries get keys of four bytes or more: those of several batches are one to some formats,
/// and have more values together than short keys tell apart. Of booleans and decimals Parquet's reader makes none.
pub(crate) fn as_read(schema: &SchemaRef) -> SchemaRef {
    with_kinds(schema, |kind| kind_as_read(&kind_with_lists(kind)))
}

fn with_kinds(schema: &SchemaRef, kind: impl Fn(&DataType) -> DataType) -> SchemaRef {
    let field = |field: &FieldRef| field.as_ref().clone().with_data_type(kind(field.data_type()));
    let fields: Vec<Field> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn kind_as_read(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values)
            if values.is_decimal()
                || matches!(**values, DataType::Boolean | DataType::Float16 | DataType::Null) =>
        {
            values.as_ref().clone()
        }
        // Its values stay what they are: many batches may share them.
        DataType::Dictionary(..) => with_longer_keys(kind, DataType::clone),
        kind => with_parts(kind, kind_as_read),
    }
}

/// The types in which batches in memory are kept: their own, and lists for list views, which may share values in ways that multiply
/// wherever they are copied.
pub(crate) fn with_lists(schema: &SchemaRef) -> SchemaRef {
    with_kinds(schema, kind_with_lists)
}

fn kind_with_lists(kind: &DataType) -> DataType {
    match with_parts(kind, kind_with_lists) {
        DataType::ListView(values) => DataType::List(values),
        DataType::LargeListView(values) => DataType::LargeList(values),
        DataType::Dictionary(_, values) if has_list_views(kind) => *values,
        kind => kind,
    }
}

pub(crate) fn has_list_views(kind: &DataType) -> bool {
    matches!(kind, DataType::ListView(_) | DataType::LargeListView(_))
        || part_kinds(kind).iter().any(has_list_views)
}

/// `kind`, where it is a dictionary with keys of four bytes or more, and with other types of the values in it.
pub(crate) fn with_longer_keys(kind: &DataType, part: impl Fn(&DataType) -> DataType) -> DataType {
    match with_parts(kind, part) {
        DataType::Dictionary(key, values) if has_short_keys(&key) => {
            DataType::Dictionary(Box::new(DataType::Int32), values)
        }
        kind => kind,
    }
}

/// The same rows in the types of `schema`, each of which is its column's own or one that [`converted`] takes.
pub(crate) fn batch_in(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(array, field)| converted(array, field.data_type()));
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)
}

/// Bytes that [`batch_in`] takes for these rows beside what they have, where `schema` is that of [`as_read`].
pub(crate) fn bytes_in(batch: &RecordBatch, schema: &SchemaRef) -> u64 {
    let columns = batch.columns().iter().zip(schema.fields());
    let bytes = columns.map(|(array, field)| bytes_as(&array.to_data(), field.data_type()));
    bytes.fold(0, u64::saturating_add)
}

fn bytes_as(array: &ArrayData, to: &DataType) -> u64 {
    /// Of a longer key.
    const KEY: usize = 4;
    let all = || copied(&make_array(array.clone()));
    let own = match (array.data_type(), to) {
        (kind, to) if kind == to => return 0,
        (DataType::Dictionary(..), DataType::Dictionary(..)) => (array.len() * KEY) as u64,
        // The values are taken by such keys.
        (DataType::Dictionary(..), to) if part_kinds(to).is_empty() => {
            return (array.len() * (KEY + to.primitive_width().unwrap_or(1))) as u64;
        }
        (DataType::Dictionary(..), _) => return all(),
        (DataType::ListView(_), _) => of_lists(make_array(array.clone()).as_list_view::<i32>()),
        (DataType::LargeListView(_), _) => {
            of_lists(make_array(array.clone()).as_list_view::<i64>())
        }
        _ => 0,
    };
    let parts = array.child_data().iter().zip(part_kinds(to));
    let parts = parts.map(|(part, kind)| bytes_as(part, &kind));
    parts.fold(own, u64::saturating_add)
}

/// Bytes of copies of all lists.
fn of_lists<O: OffsetSizeTrait>(lists: &GenericListViewArray<O>) -> u64 {
    let mut end = O::zero();
    let lie_apart = (0..lists.len()).all(|row| {
        let (start, size) = (lists.value_offsets()[row], lists.value_sizes()[row]);
        let is_after = size == O::zero() || start >= end;
        end = if size == O::zero() { end } else { start + size };
        is_after
    });
    let values = lists.values();
    if lie_apart && !may_share(values.data_type()) {
        memory_of(values) as u64
    } else {
        copied(lists)
    }
}

/// `kind` with other types of the values in it.
pub(crate) fn with_parts(kind: &DataType, part: impl Fn(&DataType) -> DataType) -> DataType {
    let field =
        |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(part(field.data_type())));
    match kind {
        DataType::List(values) => DataType::List(field(values)),
        DataType::LargeList(values) => DataType::LargeList(field(values)),
        DataType::ListView(values) => DataType::ListView(field(values)),
        DataType::LargeListView(values) => DataType::LargeListView(field(values)),
        DataType::FixedSizeList(values, length) => DataType::FixedSizeList(field(values), *length),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, of)| (id, field(of))).collect(), *mode)
        }
        DataType::Dictionary(key, values) => {
            DataType::Dictionary(key.clone(), Box::new(part(values)))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(Arc::clone(ends), field(values))
        }
        kind => kind.clone(),
    }
}

/// The same values as `to`: their own type, or days for milliseconds, milliseconds for seconds, longer keys, values for
/// dictionaries, or lists for list views, at any depth.
///
/// # Errors
/// When a date or a time is too far away for it.
pub(crate) fn converted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    const DAY: i64 = 86_400_000;
    match (array.data_type(), to) {
        (kind, to) if kind == to => Ok(Arc::clone(array)),
        (DataType::Date64, DataType::Date32) => {
            let days = |at: i64| i32::try_from(at.div_euclid(DAY)).map_err(|_| far());
            Ok(Arc::new(array.as_primitive::<Date64Type>().try_unary::<_, Date32Type, _>(days)?))
        }
        (DataType::Time32(_), DataType::Time32(_)) => {
            let times = array.as_primitive::<Time32SecondType>();
            let millis = |at: i32| at.checked_mul(1000).ok_or_else(far);
            Ok(Arc::new(times.try_unary::<_, Time32MillisecondType, _>(millis)?))
        }
        (DataType::Timestamp(..), DataType::Timestamp(_, zone)) => {
            let times = array.as_primitive::<TimestampSecondType>();
            let millis = |at: i64| at.checked_mul(1000).ok_or_else(far);
            let times = times.try_unary::<_, TimestampMillisecondType, _>(millis)?;
            Ok(Arc::new(times.with_timezone_opt(zone.clone())))
        }
        (DataType::Dictionary(..), to) if !matches!(to, DataType::Dictionary(..)) => {
            let dictionary = array.as_any_dictionary();
            take(&converted(dictionary.values(), to)?, dictionary.keys(), None)
        }
        (DataType::Dictionary(key, _), DataType::Dictionary(_, values)) if has_short_keys(key) => {
            let dictionary = array.as_any_dictionary();
            let values = converted(dictionary.values(), values)?;
            Ok(Arc::new(DictionaryArray::try_new(longer(dictionary.keys()), values)?))
        }
        (DataType::ListView(_), DataType::List(field)) => {
            Ok(Arc::new(as_lists(array.as_list_view::<i32>(), field)?))
        }
        (DataType::LargeListView(_), DataType::LargeList(field)) => {
            Ok(Arc::new(as_lists(array.as_list_view::<i64>(), field)?))
        }
        (_, to) => with_converted_parts(array, to),
    }
}

/// The same lists one after the other, of values in the type of `field`.
fn as_lists<O: OffsetSizeTrait>(
    views: &GenericListViewArray<O>,
    field: &FieldRef,
) -> Result<GenericListArray<O>, ArrowError> {
    let values = converted(views.values(), field.data_type())?.to_data();
    let mut all = MutableArrayData::new(vec![&values], false, 0);
    let (mut ends, mut end) = (vec![O::zero()], 0);
    // Lists that follow one another are copied together.
    let mut together = 0..0;
    for row in 0..views.len() {
        let size = if views.is_valid(row) { views.value_sizes()[row].as_usize() } else { 0 };
        let start = views.value_offsets()[row].as_usize();
        if size > 0 && start != together.end {
            all.try_extend(0, together.start, together.end)?;
            together = start..start;
        }
        together.end += size;
        end += size;
        ends.push(O::from_usize(end).ok_or(ArrowError::OffsetOverflowError(end))?);
    }
    all.try_extend(0, together.start, together.end)?;
    let (ends, nulls) = (OffsetBuffer::new(ends.into()), views.nulls().cloned());
    GenericListArray::try_new(Arc::clone(field), ends, make_array(all.freeze()), nulls)
}

fn with_converted_parts(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let parts = data.child_data().iter().zip(part_kinds(to));
    let parts =
        parts.map(|(part, kind)| Ok(converted(&make_array(part.clone()), &kind)?.to_data()));
    let parts = parts.collect::<Result<_, ArrowError>>()?;
    Ok(make_array(data.into_builder().data_type(to.clone()).child_data(parts).build()?))
}

/// The types of the arrays that one of `kind` is made of.
pub(crate) fn part_kinds(kind: &DataType) -> Vec<DataType> {
    match kind {
        DataType::List(part)
        | DataType::LargeList(part)
        | DataType::ListView(part)
        | DataType::LargeListView(part)
        | DataType::FixedSizeList(part, _)
        | DataType::Map(part, _) => vec![part.data_type().clone()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type().clone()).collect(),
        DataType::Union(fields, _) => {
            fields.iter().map(|(_, field)| field.data_type().clone()).collect()
        }
        DataType::Dictionary(_, values) => vec![values.as_ref().clone()],
        DataType::RunEndEncoded(ends, values) => {
            vec![ends.data_type().clone(), values.data_type().clone()]
        }
        _ => Vec::new(),
    }
}

/// Whether arrays of this type may have values that some of their elements share, or none has.
pub(crate) fn may_share(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::Dictionary(..)
        | DataType::RunEndEncoded(..)
        | DataType::Union(..) => true,
        kind => part_kinds(kind).iter().any(may_share),
    }
}

fn far() -> ArrowError {
    ArrowError::ComputeError("it has a date or a time that is too far away for it".to_owned())
}
