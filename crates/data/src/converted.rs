//! Arrays in other types, with the same values.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType,
    Time32MillisecondType, Time32SecondType, TimestampMillisecondType, TimestampSecondType,
    UInt8Type, UInt16Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, GenericListArray, GenericListViewArray, Int32Array,
    OffsetSizeTrait, RecordBatch, RecordBatchOptions, RunArray, make_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, FieldRef, SchemaRef, UnionMode};

use crate::places::take;
use crate::table::fits;
use crate::types::{has_short_keys, part_kinds};

/// Bytes that may be taken, and those that are. Elements may share what each has for itself in another type, so that is counted
/// before it is made.
pub(crate) struct Room {
    most: u64,
    taken: u64,
}

impl Room {
    pub(crate) fn new(most: u64, taken: u64) -> Self {
        Self { most, taken }
    }

    /// As much as this machine has.
    pub(crate) fn of_machine() -> Self {
        Self::new(u64::MAX, 0)
    }

    /// Bytes that are taken, with those for which there was no room.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes so many bytes for each of `count`.
    fn take(&mut self, count: usize, bytes: usize) -> Result<(), ArrowError> {
        self.take_bits((count as u64).saturating_mul(8 * bytes as u64))
    }

    fn take_bits(&mut self, bits: u64) -> Result<(), ArrowError> {
        self.taken = self.taken.saturating_add(bits.div_ceil(8));
        fits(self.taken, self.most).map_err(|_| {
            ArrowError::MemoryError(format!("{} bytes do not fit into memory", self.taken))
        })
    }
}

/// The same rows in the types of `schema`, each of which is its column's own or one that [`converted`] takes.
///
/// # Errors
/// As [`converted`].
pub(crate) fn batch_in(
    batch: &RecordBatch,
    schema: &SchemaRef,
    room: &mut Room,
) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(array, field)| converted(array, field.data_type(), room));
    let columns = columns.collect::<Result<_, _>>()?;
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)
}

/// The same values as `to`: their own type, or days for milliseconds, milliseconds for seconds, longer keys, values for
/// dictionaries, or lists for list views, at any depth.
///
/// # Errors
/// When a date or a time is too far away for it; [`ArrowError::MemoryError`] when there is no room.
pub(crate) fn converted(
    array: &ArrayRef,
    to: &DataType,
    room: &mut Room,
) -> Result<ArrayRef, ArrowError> {
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
            spread(array, to, room)
        }
        (DataType::Dictionary(key, _), DataType::Dictionary(_, values)) if has_short_keys(key) => {
            room.take(array.len(), size_of::<i32>())?;
            let dictionary = array.as_any_dictionary();
            let values = converted(dictionary.values(), values, room)?;
            Ok(Arc::new(DictionaryArray::try_new(longer(dictionary.keys()), values)?))
        }
        (DataType::ListView(_), DataType::List(field)) => {
            Ok(Arc::new(as_lists(array.as_list_view::<i32>(), field, room)?))
        }
        (DataType::LargeListView(_), DataType::LargeList(field)) => {
            Ok(Arc::new(as_lists(array.as_list_view::<i64>(), field, room)?))
        }
        (_, to) => with_converted_parts(array, to, room),
    }
}

fn far() -> ArrowError {
    ArrowError::ComputeError("it has a date or a time that is too far away for it".to_owned())
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

fn with_converted_parts(
    array: &ArrayRef,
    to: &DataType,
    room: &mut Room,
) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let parts = data.child_data().iter().zip(part_kinds(to));
    let parts =
        parts.map(|(part, kind)| Ok(converted(&make_array(part.clone()), &kind, room)?.to_data()));
    let parts = parts.collect::<Result<_, ArrowError>>()?;
    Ok(make_array(data.into_builder().data_type(to.clone()).child_data(parts).build()?))
}

/// The values that a dictionary's keys stand for. They are taken before they are converted, since many batches may have a few each of
/// one dictionary's.
fn spread(array: &ArrayRef, to: &DataType, room: &mut Room) -> Result<ArrayRef, ArrowError> {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    room.take(array.len(), size_of::<usize>())?;
    let keys = match values.is_empty() {
        true => vec![0; array.len()],
        false => dictionary.normalized_keys(),
    };
    let of_row = |(row, key): (usize, &usize)| match array.is_valid(row) {
        true => bits(values, &(*key..key + 1)),
        false => bits_of_null(values.data_type()),
    };
    let bits = keys.iter().enumerate().map(of_row).fold(0, u64::saturating_add);
    room.take_bits(bits)?;
    converted(&take(values, dictionary.keys(), None)?, to, room)
}

/// The same lists one after the other, of values in the type of `field`.
fn as_lists<O: OffsetSizeTrait>(
    views: &GenericListViewArray<O>,
    field: &FieldRef,
    room: &mut Room,
) -> Result<GenericListArray<O>, ArrowError> {
    let values = converted(views.values(), field.data_type(), room)?;
    let places = |row: usize| {
        let start = views.value_offsets()[row].as_usize();
        start..start + if views.is_valid(row) { views.value_sizes()[row].as_usize() } else { 0 }
    };
    room.take(views.len(), size_of::<O>())?;
    let (mut ends, mut end) = (vec![O::zero()], 0);
    for row in 0..views.len() {
        end += places(row).len();
        ends.push(O::from_usize(end).ok_or(ArrowError::OffsetOverflowError(end))?);
    }
    let values = gathered(&values, (0..views.len()).map(places), room)?;
    let (ends, nulls) = (OffsetBuffer::new(ends.into()), views.nulls().cloned());
    GenericListArray::try_new(Arc::clone(field), ends, values, nulls)
}

/// Copies of these ranges of `values`, one after the other.
fn gathered(
    values: &dyn Array,
    ranges: impl Iterator<Item = Range<usize>> + Clone,
    room: &mut Room,
) -> Result<ArrayRef, ArrowError> {
    let bits = together(ranges.clone()).map(|range| bits(values, &range));
    room.take_bits(bits.fold(0, u64::saturating_add))?;
    let values = values.to_data();
    let mut copies = MutableArrayData::new(vec![&values], false, 0);
    together(ranges).try_for_each(|range| copies.try_extend(0, range.start, range.end))?;
    Ok(make_array(copies.freeze()))
}

/// The same elements, with those that follow one another in one range.
fn together(ranges: impl Iterator<Item = Range<usize>>) -> impl Iterator<Item = Range<usize>> {
    let mut ranges = ranges.filter(|range| !range.is_empty()).peekable();
    iter::from_fn(move || {
        let mut range = ranges.next()?;
        while let Some(next) = ranges.next_if(|next| next.start == range.end) {
            range.end = next.end;
        }
        Some(range)
    })
}

/// How many bits a copy of these elements takes. Texts of views, values of dictionaries and those of list views stay shared.
fn bits(array: &dyn Array, elements: &Range<usize>) -> u64 {
    let own = (elements.len() as u64).saturating_mul(bits_of_one(array.data_type()));
    own.saturating_add(bits_of_parts(array, elements))
}

fn bits_of_null(kind: &DataType) -> u64 {
    let parts = part_kinds(kind).iter().map(bits_of_null).fold(0, u64::saturating_add);
    let parts = match kind {
        DataType::FixedSizeList(_, length) => {
            parts.saturating_mul(u64::from(length.unsigned_abs()))
        }
        DataType::Struct(_) | DataType::Union(..) | DataType::RunEndEncoded(..) => parts,
        _ => 0,
    };
    parts.saturating_add(bits_of_one(kind))
}

/// How many bits an element takes, without what it is made of, and with one for whether it is null.
fn bits_of_one(kind: &DataType) -> u64 {
    let width = |kind: &DataType| kind.primitive_width().unwrap_or(0) as u64 * 8;
    1 + match kind {
        DataType::Boolean => 1,
        DataType::ListView(_) => 64,
        DataType::Utf8View | DataType::BinaryView | DataType::LargeListView(_) => 128,
        DataType::FixedSizeBinary(width) => u64::from(width.unsigned_abs()) * 8,
        DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(..) => 32,
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) => 64,
        DataType::Union(_, UnionMode::Dense) => 8 + 32,
        DataType::Union(_, UnionMode::Sparse) => 8,
        DataType::Dictionary(key, _) => width(key),
        kind => width(kind),
    }
}

fn bits_of_parts(array: &dyn Array, elements: &Range<usize>) -> u64 {
    let sum = |parts: &mut dyn Iterator<Item = u64>| parts.fold(0, u64::saturating_add);
    match array.data_type() {
        DataType::Utf8 => bytes_within(array.as_string::<i32>().value_offsets(), elements),
        DataType::LargeUtf8 => bytes_within(array.as_string::<i64>().value_offsets(), elements),
        DataType::Binary => bytes_within(array.as_binary::<i32>().value_offsets(), elements),
        DataType::LargeBinary => bytes_within(array.as_binary::<i64>().value_offsets(), elements),
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            bits(lists.values(), &within(lists.value_offsets(), elements))
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            bits(lists.values(), &within(lists.value_offsets(), elements))
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            bits(maps.entries(), &within(maps.value_offsets(), elements))
        }
        DataType::FixedSizeList(_, length) => {
            let length = *length as usize;
            let values = elements.start * length..elements.end * length;
            bits(array.as_fixed_size_list().values(), &values)
        }
        DataType::Struct(_) => {
            sum(&mut array.as_struct().columns().iter().map(|column| bits(column, elements)))
        }
        DataType::Union(fields, UnionMode::Sparse) => {
            let union = array.as_union();
            sum(&mut fields.iter().map(|(id, _)| bits(union.child(id), elements)))
        }
        DataType::Union(_, UnionMode::Dense) => {
            let union = array.as_union();
            let of = |row: usize| {
                let at = union.value_offset(row);
                bits(union.child(union.type_id(row)), &(at..at + 1))
            };
            sum(&mut elements.clone().map(of))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => bits_of_runs(array.as_run::<Int16Type>(), elements),
            DataType::Int32 => bits_of_runs(array.as_run::<Int32Type>(), elements),
            _ => bits_of_runs(array.as_run::<Int64Type>(), elements),
        },
        _ => 0,
    }
}

fn within<O: OffsetSizeTrait>(offsets: &[O], elements: &Range<usize>) -> Range<usize> {
    offsets[elements.start].as_usize()..offsets[elements.end].as_usize()
}

/// The bits of texts that have so many bytes.
fn bytes_within<O: OffsetSizeTrait>(offsets: &[O], elements: &Range<usize>) -> u64 {
    (within(offsets, elements).len() as u64).saturating_mul(8)
}

fn bits_of_runs<R: RunEndIndexType>(array: &RunArray<R>, elements: &Range<usize>) -> u64 {
    if elements.is_empty() {
        return 0;
    }
    let first = array.get_physical_index(elements.start);
    let runs = first..array.get_physical_index(elements.end - 1) + 1;
    let ends = runs.len() as u64 * size_of::<R::Native>() as u64 * 8;
    ends.saturating_add(bits(array.values(), &runs))
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{ListBuilder, StringDictionaryBuilder, StringRunBuilder};
    use arrow_array::{
        BooleanArray, FixedSizeListArray, Int8Array, Int64Array, ListViewArray, NullArray,
        StringArray, StringViewArray, StructArray,
    };
    use arrow_buffer::NullBuffer;
    use arrow_schema::Field;

    use super::*;
    use crate::table::memory_of;
    use crate::types::kind_with_lists;

    const VALUES: usize = 4_000;

    fn field(kind: &DataType) -> FieldRef {
        Arc::new(Field::new("item", kind.clone(), true))
    }

    /// Lists that overlap, begin anywhere, or have nothing.
    fn overlapping(values: ArrayRef) -> ListViewArray {
        let rows = 0..values.len() as i32 / 2;
        let starts: Vec<i32> = rows.clone().map(|row| (row * 7919) % (rows.end)).collect();
        let lengths: Vec<i32> = rows.map(|row| row % 40).collect();
        let nulls = NullBuffer::from_iter(lengths.iter().map(|length| length % 5 > 0));
        let field = field(values.data_type());
        ListViewArray::new(field, starts.into(), lengths.into(), values, Some(nulls))
    }

    fn kinds() -> Vec<ArrayRef> {
        let texts = || (0..VALUES).map(|row| (row % 11 > 0).then(|| "text".repeat(row % 9)));
        let numbers: ArrayRef = Arc::new(Int8Array::from_iter_values((0..VALUES).map(|n| n as i8)));
        let mut words = StringDictionaryBuilder::<Int32Type>::new();
        let mut runs = StringRunBuilder::<Int32Type>::new();
        let mut lists = ListBuilder::new(StringDictionaryBuilder::<Int32Type>::new());
        for row in 0..VALUES {
            words.append_value(["a", "b", "c"][row % 3]);
            runs.append_value(["a", "b", "c"][row / 5 % 3]);
            (0..row % 4).for_each(|_| lists.values().append_value("a"));
            lists.append(row % 7 > 0);
        }
        let pairs: ArrayRef = Arc::new(FixedSizeListArray::new(
            field(&DataType::Int8),
            2,
            Arc::clone(&numbers),
            None,
        ));
        let inner: ArrayRef = Arc::new(overlapping(Arc::new(texts().collect::<StringArray>())));
        vec![
            Arc::clone(&numbers),
            Arc::new(BooleanArray::from_iter((0..VALUES).map(|row| Some(row % 3 > 0)))),
            Arc::new(Int64Array::from_iter((0..VALUES as i64).map(|n| (n % 3 > 0).then_some(n)))),
            Arc::new(NullArray::new(VALUES)),
            Arc::new(texts().collect::<StringArray>()),
            Arc::new(texts().collect::<StringViewArray>()),
            Arc::new(words.finish()),
            Arc::new(runs.finish()),
            Arc::new(lists.finish()),
            Arc::new(StructArray::from(vec![(field(&DataType::Int8), numbers)])),
            pairs,
            inner,
        ]
    }

    #[test]
    fn copies_take_what_was_counted_before() {
        for values in kinds() {
            let kind = values.data_type().clone();
            let views = overlapping(values);
            let wanted: Vec<_> =
                (0..views.len()).map(|row| views.is_valid(row).then(|| views.value(row))).collect();
            let views: ArrayRef = Arc::new(views);
            let to = kind_with_lists(views.data_type());
            let mut room = Room::of_machine();
            let lists = converted(&views, &to, &mut room).expect("room");
            for (row, wanted) in wanted.iter().enumerate() {
                assert_eq!(lists.is_valid(row), wanted.is_some(), "{kind}");
                let Some(wanted) = wanted else { continue };
                let wanted = converted(wanted, &part_kinds(&to)[0], &mut Room::of_machine());
                assert_eq!(
                    lists.as_list::<i32>().value(row).as_ref(),
                    &*wanted.expect("room"),
                    "{kind}"
                );
            }
            if !matches!(kind, DataType::Utf8View | DataType::Dictionary(..)) {
                let (counted, taken) = (room.taken() as usize, memory_of(&lists));
                // Each buffer ends with whole bytes.
                let expected = taken - 1_000..2 * taken;
                assert!(expected.contains(&counted), "{kind}: {counted} for {taken}");
            }
        }
    }
}
