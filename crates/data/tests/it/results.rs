//! Results in formats of types: what has no place there as it is becomes something else, or is refused before a run.

use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, IntervalMonthDayNano,
    TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, Date64Array, DictionaryArray, Int8Array, Int64Array,
    IntervalMonthDayNanoArray, ListArray, RecordBatch, StringArray, StructArray, Time32SecondArray,
    TimestampSecondArray,
};
use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::{LogicalType, TimeType, TimeUnit, TimestampType};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use veilset_data::{DataError, Destination, Scratch, Table};

use crate::support::{file, path, read, texts, to};

/// A column of words with a dictionary a batch, as `Key` tells them apart, beside numbers.
fn words<Key: ArrowDictionaryKeyType>(batches: &[&[Option<&str>]]) -> Table {
    let mut number = 0;
    let batches: Vec<RecordBatch> = batches
        .iter()
        .map(|words| {
            let numbers = words.iter().map(|_| {
                number += 1;
                number
            });
            let numbers = Int64Array::from_iter_values(numbers.collect::<Vec<i64>>());
            let words: DictionaryArray<Key> = words.iter().copied().collect();
            let columns: [(&str, ArrayRef); 2] =
                [("n", Arc::new(numbers)), ("word", Arc::new(words))];
            RecordBatch::try_from_iter_with_nullable(
                columns.map(|(name, array)| (name, array, true)),
            )
            .expect("of one length")
        })
        .collect();
    Table::from_batches("t".to_owned(), batches[0].schema(), batches).expect("a table")
}

#[test]
fn groups_of_rows_have_dictionaries_of_their_own() {
    const ROWS: usize = 1_000;
    let folder = tempfile::tempdir().expect("a folder");
    let group = |group: usize| {
        let values = StringArray::from_iter_values((0..100).map(|word| format!("{group}-{word}")));
        let keys = Int8Array::from_iter_values((0..ROWS).map(|row| (row % 100) as i8));
        let column: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(values)));
        RecordBatch::try_from_iter([("word", column)]).expect("a column")
    };
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(ROWS)).build();
    let file = File::create(path(&folder, "i.parquet")).expect("writable");
    let writer = ArrowWriter::try_new(file, group(0).schema(), Some(properties));
    let mut writer = writer.expect("words");
    (0..4).for_each(|number| writer.write(&group(number)).expect("writable"));
    writer.close().expect("writable");
    // Together the groups have more words than keys of a byte can tell apart.
    let table = read(&path(&folder, "i.parquet"));
    for name in ["o.csv", "o.parquet", "o.arrow"] {
        for step in [1, 7] {
            let to = to(&path(&folder, name));
            to.prepare(&table).expect("all rows can be decoded");
            to.write_rows(&table, (0..4 * ROWS).step_by(step)).expect("group by group");
            let expected = (0..4 * ROWS).step_by(step);
            let expected = expected.map(|row| vec![format!("{}-{}", row / ROWS, row % 100)]);
            assert_eq!(texts(&read(&path(&folder, name))), expected.collect::<Vec<_>>(), "{name}");
        }
    }
}

#[test]
fn dictionaries_that_differ_and_grow_become_one_in_an_arrow_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "o.arrow");
    let batches: [&[Option<&str>]; 4] =
        [&[Some("b"), None, Some("a")], &[Some("a"), Some("c")], &[None], &[Some("c"), Some("b")]];
    let table = words::<Int16Type>(&batches);
    let ids = |row: usize| Some(format!("id{row}"));
    let others = || ["p".to_owned()].into_iter();
    let (spec, extra) = ("n".parse().expect("a key"), ["x".to_owned()]);
    let received = [vec!["9".to_owned(), "y".to_owned()]];
    to(&path).prepare(&table).expect("it has a place");
    type Write<'a> = &'a dyn Fn(&Destination) -> Result<(), DataError>;
    let results: [(usize, Write<'_>); 4] = [
        (8, &|to| to.write_rows(&table, 0..8)),
        (4, &|to| to.write_rows(&table, [0, 3, 5, 7].into_iter())),
        (9, &|to| to.write_aligned(&table, &ids, others())),
        (9, &|to| to.write_union(&table, &spec, &extra, &received)),
    ];
    for (rows, write) in results {
        write(&to(&path)).expect("writable");
        let reader = FileReader::try_new(File::open(&path).expect("there"), None).expect("Arrow");
        let kind = DataType::Dictionary(DataType::Int16.into(), DataType::Utf8.into());
        assert_eq!(*reader.schema().field(1).data_type(), kind);
        let mut seen = Vec::new();
        for batch in reader {
            let batch = batch.expect("a batch");
            let column = batch.column(1).as_dictionary::<Int16Type>();
            let column = column.downcast_dict::<StringArray>().expect("words");
            seen.extend(column.into_iter().map(|word| word.map(str::to_owned)));
        }
        let all = batches.concat();
        let expected: Vec<Option<&str>> = match rows {
            4 => [0, 3, 5, 7].map(|row| all[row]).to_vec(),
            rows => all.iter().copied().chain([None]).take(rows).collect(),
        };
        assert_eq!(seen.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{rows}");
    }
}

/// Their texts are the same, for a date has no time.
#[test]
fn dates_of_one_day_stay_apart_in_a_dictionary() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "o.arrow");
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![0, 1, 86_400_000]));
    let keys = Int8Array::from(vec![1, 0, 2, 1]);
    let array = DictionaryArray::try_new(keys, dates).expect("keys of values");
    to(&path).write_rows(&one_column(Arc::new(array)), 0..4).expect("writable");
    let mut batches = FileReader::try_new(File::open(&path).expect("there"), None).expect("Arrow");
    let batch = batches.next().expect("one").expect("whole");
    let column = batch.column(0).as_dictionary::<Int8Type>();
    let dates = column.downcast_dict::<Date64Array>().expect("dates");
    let dates: Vec<Option<i64>> = dates.into_iter().collect();
    assert_eq!(dates, [Some(1), Some(0), Some(86_400_000), Some(1)]);
}

#[test]
fn a_dictionary_that_outgrows_its_keys_gets_longer_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "o.arrow");
    let many: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    let many: Vec<Option<&str>> = many.iter().map(|word| Some(word.as_str())).collect();
    let table = words::<Int8Type>(&[&many[..100], &many[100..]]);
    to(&path).write_rows(&table, 0..200).expect("writable");
    let again = read(&path);
    assert_eq!(texts(&again), texts(&table));
    let kind = again.schema().field(1).data_type().clone();
    assert_eq!(kind, DataType::Dictionary(DataType::Int64.into(), DataType::Utf8.into()));
}

#[test]
fn dictionaries_of_a_spilled_list_and_in_other_values_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (list, out) = (path(&folder, "list.arrows"), path(&folder, "o.arrow"));
    let table = words::<Int32Type>(&[&[Some("b"), Some("a")], &[Some("c"), None]]);
    to(&list).write_rows(&table, 0..4).expect("a stream may have several");
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(0));
    let spilled = Table::read_within(&file(&list), None, &scratch).expect("a table");
    to(&out).prepare(&spilled).expect("it has a place");
    to(&out).write_rows(&spilled, 0..4).expect("writable");
    assert_eq!(texts(&read(&out)), texts(&table));

    let nested = |words: &[&str]| {
        let words: DictionaryArray<Int32Type> = words.iter().copied().collect();
        let field = Arc::new(Field::new("word", words.data_type().clone(), true));
        let column = StructArray::new(vec![field].into(), vec![Arc::new(words)], None);
        RecordBatch::try_from_iter([("s", Arc::new(column) as ArrayRef)]).expect("one column")
    };
    let batches = vec![nested(&["x", "y"]), nested(&["z"])];
    let table = Table::from_batches("t".into(), batches[0].schema(), batches).expect("a table");
    to(&out).prepare(&table).expect("it has a place");
    to(&out).write_rows(&table, 0..3).expect("writable");
    let taken = read(&out).take(0..3).expect("decodable");
    let words = taken.iter().flat_map(|batch| {
        let column = batch.column(0).as_struct().column(0).as_string::<i32>();
        column.iter().flatten().map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(words.collect::<Vec<_>>(), ["x", "y", "z"]);
}

fn one_column(array: ArrayRef) -> Table {
    let batch = RecordBatch::try_from_iter([("c", array)]).expect("one column");
    Table::from_batches("t".into(), batch.schema(), vec![batch]).expect("a table")
}

#[test]
fn what_parquet_cannot_hold_is_refused_before_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let interval = IntervalMonthDayNano::new(1, 2, 3);
    let table = one_column(Arc::new(IntervalMonthDayNanoArray::from(vec![interval])));
    let refused = to(&path(&folder, "o.parquet")).prepare(&table).expect_err("no place");
    assert!(matches!(refused, DataError::NoPlace { .. }), "{refused}");
    for name in ["o.arrow", "o.arrows"] {
        to(&path(&folder, name)).prepare(&table).expect("a place");
    }
    // A second that is not to be had in milliseconds.
    let far = one_column(Arc::new(TimestampSecondArray::from(vec![i64::MAX])));
    let refused = to(&path(&folder, "o.parquet")).prepare(&far).expect_err("too far");
    assert!(refused.to_string().contains("too far away"), "{refused}");
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
}

/// Types that other readers of Parquet would take for integers: what they see is the logical type, not what this program
/// keeps beside it for itself.
#[test]
fn dates_and_times_have_types_in_parquet_that_every_reader_knows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "o.parquet");
    const DAY: i64 = 86_400_000;
    let times = ListArray::from_iter_primitive::<TimestampSecondType, _, _>([Some([Some(7)])]);
    type Case = (ArrayRef, fn(&LogicalType) -> bool, &'static str);
    let cases: [Case; 4] = [
        (Arc::new(Date64Array::from(vec![-DAY])), |kind| *kind == LogicalType::Date, "1969-12-31"),
        (
            Arc::new(Time32SecondArray::from(vec![3723])),
            |kind| matches!(kind, LogicalType::Time(TimeType { unit: TimeUnit::MILLIS, .. })),
            "01:02:03",
        ),
        (
            Arc::new(TimestampSecondArray::from(vec![-1]).with_timezone("Europe/Berlin")),
            |kind| {
                matches!(
                    kind,
                    LogicalType::Timestamp(TimestampType {
                        unit: TimeUnit::MILLIS,
                        is_adjusted_to_u_t_c: true
                    })
                )
            },
            "1969-12-31T23:59:59Z",
        ),
        (
            Arc::new(times),
            |kind| {
                matches!(kind, LogicalType::Timestamp(TimestampType { unit: TimeUnit::MILLIS, .. }))
            },
            "",
        ),
    ];
    for (array, is_kind, text) in cases {
        let (table, name) = (one_column(Arc::clone(&array)), array.data_type().to_string());
        to(&path).prepare(&table).expect("a place");
        to(&path).write_rows(&table, 0..1).expect("writable");
        let reader = SerializedFileReader::new(File::open(&path).expect("there")).expect("Parquet");
        let column = reader.metadata().file_metadata().schema_descr().column(0);
        assert!(column.logical_type_ref().is_some_and(is_kind), "{name}: {column:?}");
        if !text.is_empty() {
            assert_eq!(texts(&read(&path)), [[text]], "{name}");
        }
    }
}
