//! Elements of arrays by their places. In a browser by copies of ranges: the library's own, which compiles a loop for each type and
//! comparisons for each pair of types, would be a seventh of the module.

#[cfg(not(target_family = "wasm"))]
pub(crate) use arrow_select::take::{take, take_record_batch};
#[cfg(target_family = "wasm")]
pub(crate) use by_ranges::{take, take_record_batch};

#[cfg(any(test, target_family = "wasm"))]
mod by_ranges {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{
        ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
        UInt32Type, UInt64Type,
    };
    use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
    use arrow_buffer::ArrowNativeType;
    use arrow_data::transform::MutableArrayData;
    use arrow_schema::{ArrowError, DataType};

    /// The elements at these places, of any type of integer; null where a place is null.
    pub(crate) fn take(
        values: &dyn Array,
        places: &dyn Array,
        _: Option<()>,
    ) -> Result<ArrayRef, ArrowError> {
        let places = match places.data_type() {
            DataType::Int8 => numbers::<Int8Type>(places),
            DataType::Int16 => numbers::<Int16Type>(places),
            DataType::Int32 => numbers::<Int32Type>(places),
            DataType::Int64 => numbers::<Int64Type>(places),
            DataType::UInt8 => numbers::<UInt8Type>(places),
            DataType::UInt16 => numbers::<UInt16Type>(places),
            DataType::UInt32 => numbers::<UInt32Type>(places),
            DataType::UInt64 => numbers::<UInt64Type>(places),
            other => return Err(ArrowError::InvalidArgumentError(format!("{other} is no place"))),
        };
        let data = values.to_data();
        let mut copies = MutableArrayData::new(vec![&data], true, places.len());
        let follow = |one: &Option<usize>, next: &Option<usize>| match (one, next) {
            (Some(one), Some(next)) => one + 1 == *next,
            (one, next) => one == next,
        };
        for run in places.chunk_by(follow) {
            match run[0] {
                Some(first) if first + run.len() <= values.len() => {
                    copies.try_extend(0, first, first + run.len())?;
                }
                Some(_) => {
                    return Err(ArrowError::ComputeError("a place beyond the last".to_owned()));
                }
                None => copies.try_extend_nulls(run.len())?,
            }
        }
        Ok(make_array(copies.freeze()))
    }

    /// The rows at these places.
    pub(crate) fn take_record_batch(
        batch: &RecordBatch,
        places: &dyn Array,
    ) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().map(|column| take(column, places, None));
        let rows = RecordBatchOptions::new().with_row_count(Some(places.len()));
        RecordBatch::try_new_with_options(batch.schema(), columns.collect::<Result<_, _>>()?, &rows)
    }

    fn numbers<T: ArrowPrimitiveType<Native: ArrowNativeType>>(
        places: &dyn Array,
    ) -> Vec<Option<usize>> {
        let places = places.as_primitive::<T>().iter();
        // A number below zero is beyond the last.
        places.map(|place| place.map(|place| place.to_usize().unwrap_or(usize::MAX / 2))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Int8Array, Int32Array,
        ListArray, RecordBatch, StringArray, StringViewArray, StructArray, UInt64Array,
    };
    use arrow_schema::{DataType, Field};
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::by_ranges;

    /// One of each kind, with eight elements, of which some are null.
    fn kinds() -> Vec<ArrayRef> {
        let text = |row: usize| (row != 3).then(|| format!("a text with the number {row}"));
        let numbers: ArrayRef =
            Arc::new(Int32Array::from_iter((0..8).map(|n| (n != 2).then_some(n))));
        let words: Vec<Option<String>> = (0..8).map(|row| text(row % 4)).collect();
        let items = Arc::new(Field::new("item", DataType::Int32, true));
        let pairs: ArrayRef = Arc::new(Int32Array::from_iter_values(0..16));
        vec![
            Arc::clone(&numbers),
            Arc::new(BooleanArray::from_iter((0..8).map(|n| (n != 5).then_some(n % 3 == 0)))),
            Arc::new((0..8).map(text).collect::<StringArray>()),
            Arc::new((0..8).map(text).collect::<StringViewArray>()),
            Arc::new(words.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>()),
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(
                (0..8).map(|row| (row != 6).then(|| (0..row).map(Some))),
            )),
            Arc::new(FixedSizeListArray::new(items, 2, pairs, None)),
            Arc::new(StructArray::from(vec![(
                Arc::new(Field::new("number", DataType::Int32, true)),
                numbers,
            )])),
        ]
    }

    proptest! {
        #[test]
        fn ranges_are_what_the_library_takes(
            places in proptest::collection::vec(proptest::option::of(0_u64..8), 0..20),
        ) {
            let places = UInt64Array::from(places);
            for values in kinds() {
                let taken = by_ranges::take(&values, &places, None).expect("places");
                let expected = super::take(&values, &places, None).expect("places");
                prop_assert_eq!(&taken, &expected, "{}", values.data_type());
            }
        }
    }

    #[test]
    fn rows_without_columns_are_counted_and_places_beyond_the_last_refused() {
        let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..8));
        let batch = RecordBatch::try_from_iter([("number", Arc::clone(&values))]).expect("columns");
        let places = UInt64Array::from(vec![7, 0]);
        let none = batch.project(&[]).expect("no column");
        assert_eq!(by_ranges::take_record_batch(&none, &places).expect("rows").num_rows(), 2);
        for wrong in
            [Int8Array::from(vec![8]), Int8Array::from(vec![-1]), Int8Array::from(vec![7, 8])]
        {
            assert!(by_ranges::take(&values, &wrong, None).is_err());
        }
        assert!(by_ranges::take(&values, &StringArray::from(vec!["0"]), None).is_err());
    }
}
