//! The types of a result's values: those of the table, where its format has them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int8Type, Int16Type, Time32MillisecondType, Time32SecondType,
    TimestampMillisecondType, TimestampSecondType, UInt8Type, UInt16Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, make_array};
use arrow_schema::{ArrowError, DataType, FieldRef, TimeUnit};
use arrow_select::take::take;

use crate::Format;
use crate::table::cell::has_text;

/// The type that a column of `kind` has in `format`.
///
/// Parquet has no whole seconds, which would be plain integers to other readers, one type for dates, and dictionaries with
/// keys of four bytes or more. An Arrow file has one
/// dictionary for a column, which is made of texts, so those inside other values become plain values.
pub(super) fn kind_in(format: Format, kind: &DataType) -> DataType {
    match (format, kind) {
        (Format::Parquet, kind) => in_parquet(kind),
        (Format::Arrow, DataType::Dictionary(..)) if has_text(kind) => kind.clone(),
        (Format::Arrow, kind) => without_dictionaries(kind),
        _ => kind.clone(),
    }
}

fn in_parquet(kind: &DataType) -> DataType {
    match kind {
        DataType::Date64 => DataType::Date32,
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        // A file's groups have dictionaries of their own, which are one to those who read it.
        DataType::Dictionary(key, values) if has_short_keys(key) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(in_parquet(values)))
        }
        kind => with_parts(kind, in_parquet),
    }
}

fn has_short_keys(key: &DataType) -> bool {
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

fn without_dictionaries(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values) => without_dictionaries(values),
        kind => with_parts(kind, without_dictionaries),
    }
}

/// `kind` with other types of the values in it.
fn with_parts(kind: &DataType, part: impl Fn(&DataType) -> DataType) -> DataType {
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
        DataType::Dictionary(key, values) => {
            DataType::Dictionary(key.clone(), Box::new(part(values)))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(Arc::clone(ends), field(values))
        }
        kind => kind.clone(),
    }
}

/// The same values as `to`, which [`kind_in`] says of their type.
///
/// # Errors
/// When a date or a time is too far away for it.
pub(super) fn converted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
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
        (DataType::Dictionary(_, values), to) if !matches!(to, DataType::Dictionary(..)) => {
            let dictionary = array.as_any_dictionary();
            debug_assert!(without_dictionaries(values) == *to, "the type of its values");
            take(&converted(dictionary.values(), to)?, dictionary.keys(), None)
        }
        (DataType::Dictionary(key, _), DataType::Dictionary(_, values)) if has_short_keys(key) => {
            let dictionary = array.as_any_dictionary();
            let values = converted(dictionary.values(), values)?;
            Ok(Arc::new(DictionaryArray::try_new(longer(dictionary.keys()), values)?))
        }
        (_, to) => with_converted_parts(array, to),
    }
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
fn part_kinds(kind: &DataType) -> Vec<DataType> {
    match kind {
        DataType::List(part)
        | DataType::LargeList(part)
        | DataType::ListView(part)
        | DataType::LargeListView(part)
        | DataType::FixedSizeList(part, _)
        | DataType::Map(part, _) => vec![part.data_type().clone()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type().clone()).collect(),
        DataType::Dictionary(_, values) => vec![values.as_ref().clone()],
        DataType::RunEndEncoded(ends, values) => {
            vec![ends.data_type().clone(), values.data_type().clone()]
        }
        _ => Vec::new(),
    }
}

fn far() -> ArrowError {
    ArrowError::ComputeError("it has a date or a time that is too far away for it".to_owned())
}
