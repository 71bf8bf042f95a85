//! The one text that stands for a value of a type: what keys are made of, and what a text file gets.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_datetime, as_time};
use arrow_array::types::{
    ArrowTemporalType, ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};
use chrono::{NaiveDateTime, NaiveTime, Timelike};

/// The texts of an array's values, by place; none where the value is null.
pub(crate) type Cells<'a> = Box<dyn Fn(usize) -> Option<Cow<'a, str>> + 'a>;

/// The type of a column's values, which a dictionary may hold.
pub(crate) fn value_type(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => value_type(values),
        kind => kind,
    }
}

/// Whether values of this type have a text.
pub(crate) fn has_text(kind: &DataType) -> bool {
    let kind = value_type(kind);
    kind.is_primitive() && !matches!(kind, DataType::Duration(_) | DataType::Interval(_))
        || kind.is_string()
        || kind.is_binary()
        || matches!(kind, DataType::Boolean | DataType::Null)
}

/// Whether `text` of a value of this type is JSON as it stands.
pub(crate) fn is_json(kind: &DataType, text: &str) -> bool {
    let kind = value_type(kind);
    let finite = || !matches!(text, "NaN" | "inf" | "-inf");
    kind.is_numeric() && finite() || matches!(kind, DataType::Boolean)
}

/// The texts of `array`, whose type [`has_text`].
///
/// Integers are decimal, booleans `true` or `false`, binary values lower-case hexadecimal. Decimal numbers have all the
/// digits of their scale, floating-point numbers the fewest digits that read back as the same number, without an
/// exponent. Dates are ISO 8601, times `HH:MM:SS` with as many more digits as they need, and so are those of
/// timestamps: in UTC, as RFC 3339 has them, where the type names a zone, else without one.
///
/// # Panics
/// When the type has no text.
pub(crate) fn cells(array: &dyn Array) -> Cells<'_> {
    match array.data_type() {
        DataType::Null => Box::new(|_| None),
        DataType::Boolean => {
            let values = array.as_boolean();
            unless_null(array, move |row| if values.value(row) { "true" } else { "false" }.into())
        }
        kind if kind.is_string() => strings(array),
        kind if kind.is_binary() => binaries(array),
        DataType::Dictionary(..) => dictionary(array),
        kind if kind.is_integer() => integers(array),
        kind if kind.is_floating() => floats(array),
        kind if kind.is_decimal() => decimals(array),
        _ => temporal(array),
    }
}

fn unless_null<'a>(array: &'a dyn Array, text: impl Fn(usize) -> Cow<'a, str> + 'a) -> Cells<'a> {
    Box::new(move |row| array.is_valid(row).then(|| text(row)))
}

fn strings(array: &dyn Array) -> Cells<'_> {
    match array.data_type() {
        DataType::LargeUtf8 => {
            let values = array.as_string::<i64>();
            unless_null(array, move |row| values.value(row).into())
        }
        DataType::Utf8View => {
            let values = array.as_string_view();
            unless_null(array, move |row| values.value(row).into())
        }
        _ => {
            let values = array.as_string::<i32>();
            unless_null(array, move |row| values.value(row).into())
        }
    }
}

fn binaries(array: &dyn Array) -> Cells<'_> {
    match array.data_type() {
        DataType::LargeBinary => {
            let values = array.as_binary::<i64>();
            unless_null(array, move |row| hexadecimal(values.value(row)))
        }
        DataType::BinaryView => {
            let values = array.as_binary_view();
            unless_null(array, move |row| hexadecimal(values.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            unless_null(array, move |row| hexadecimal(values.value(row)))
        }
        _ => {
            let values = array.as_binary::<i32>();
            unless_null(array, move |row| hexadecimal(values.value(row)))
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> Cow<'static, str> {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

fn dictionary(array: &dyn Array) -> Cells<'_> {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return Box::new(|_| None);
    }
    let (keys, values) = (dictionary.normalized_keys(), cells(dictionary.values()));
    Box::new(move |row| array.is_valid(row).then(|| values(keys[row])).flatten())
}

fn integers(array: &dyn Array) -> Cells<'_> {
    match array.data_type() {
        DataType::Int8 => numbers::<Int8Type>(array),
        DataType::Int16 => numbers::<Int16Type>(array),
        DataType::Int32 => numbers::<Int32Type>(array),
        DataType::Int64 => numbers::<Int64Type>(array),
        DataType::UInt8 => numbers::<UInt8Type>(array),
        DataType::UInt16 => numbers::<UInt16Type>(array),
        DataType::UInt32 => numbers::<UInt32Type>(array),
        _ => numbers::<UInt64Type>(array),
    }
}

fn floats(array: &dyn Array) -> Cells<'_> {
    match array.data_type() {
        DataType::Float16 => {
            let values = array.as_primitive::<Float16Type>();
            unless_null(array, move |row| half(values.value(row).to_f32()).into())
        }
        DataType::Float32 => numbers::<Float32Type>(array),
        _ => numbers::<Float64Type>(array),
    }
}

/// The fewest digits that read back as this number, whose type has 11 bits of precision.
fn half(value: f32) -> String {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    /// Five digits tell all such numbers apart.
    const MOST: usize = 5;
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    let shortest = (0..MOST).find_map(|digits| {
        let text = format!("{value:.digits$e}");
        let read: f32 = text.parse().ok()?;
        (Half::from_f32(read).to_f32() == value).then_some(read)
    });
    shortest.unwrap_or(value).to_string()
}

fn numbers<T: ArrowPrimitiveType<Native: std::fmt::Display>>(array: &dyn Array) -> Cells<'_> {
    let values = array.as_primitive::<T>();
    unless_null(array, move |row| values.value(row).to_string().into())
}

fn decimals(array: &dyn Array) -> Cells<'_> {
    fn of<T: DecimalType>(array: &dyn Array) -> Cells<'_> {
        let values = array.as_primitive::<T>();
        unless_null(array, move |row| values.value_as_string(row).into())
    }
    match array.data_type() {
        DataType::Decimal32(..) => of::<Decimal32Type>(array),
        DataType::Decimal64(..) => of::<Decimal64Type>(array),
        DataType::Decimal128(..) => of::<Decimal128Type>(array),
        _ => of::<Decimal256Type>(array),
    }
}

fn temporal(array: &dyn Array) -> Cells<'_> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    match array.data_type() {
        DataType::Date32 => dates::<Date32Type>(array),
        DataType::Date64 => dates::<Date64Type>(array),
        DataType::Time32(Second) => times::<Time32SecondType>(array),
        DataType::Time32(_) => times::<Time32MillisecondType>(array),
        DataType::Time64(Microsecond) => times::<Time64MicrosecondType>(array),
        DataType::Time64(_) => times::<Time64NanosecondType>(array),
        DataType::Timestamp(Second, _) => timestamps::<TimestampSecondType>(array),
        DataType::Timestamp(Millisecond, _) => timestamps::<TimestampMillisecondType>(array),
        DataType::Timestamp(Microsecond, _) => timestamps::<TimestampMicrosecondType>(array),
        DataType::Timestamp(Nanosecond, _) => timestamps::<TimestampNanosecondType>(array),
        other => unreachable!("{other} has no text"),
    }
}

/// A value that the calendar does not reach, some 260 000 years from now, is its number.
fn beyond(value: i64) -> Cow<'static, str> {
    value.to_string().into()
}

fn dates<T: ArrowTemporalType<Native: Into<i64>>>(array: &dyn Array) -> Cells<'_> {
    let values = array.as_primitive::<T>();
    unless_null(array, move |row| {
        let value = values.value(row).into();
        as_datetime::<T>(value).map_or_else(|| beyond(value), |at| at.date().to_string().into())
    })
}

fn times<T: ArrowTemporalType<Native: Into<i64>>>(array: &dyn Array) -> Cells<'_> {
    let values = array.as_primitive::<T>();
    unless_null(array, move |row| {
        let value = values.value(row).into();
        as_time::<T>(value).map_or_else(|| beyond(value), |time| clock(time).into())
    })
}

fn timestamps<T: ArrowTimestampType>(array: &dyn Array) -> Cells<'_> {
    let values = array.as_primitive::<T>();
    let zone = if matches!(array.data_type(), DataType::Timestamp(_, Some(_))) { "Z" } else { "" };
    let shown = move |at: NaiveDateTime| format!("{}T{}{zone}", at.date(), clock(at.time())).into();
    unless_null(array, move |row| {
        let value = values.value(row);
        as_datetime::<T>(value).map_or_else(|| beyond(value), shown)
    })
}

/// `HH:MM:SS`, and the digits of a fraction of a second up to the last that is not zero.
fn clock(time: NaiveTime) -> String {
    let whole = time.format("%H:%M:%S");
    match time.nanosecond() {
        0 => whole.to_string(),
        fraction => format!("{whole}.{fraction:09}").trim_end_matches('0').to_owned(),
    }
}
