//! Columns of which Parquet says less than their types: all values come out as they went in, or the file is refused.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringDictionaryBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, TimestampNanosecondType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Decimal256Array, DictionaryArray, Int8Array,
    Int32Array, IntervalMonthDayNanoArray, ListArray, ListViewArray, NullArray, RecordBatch,
    StringArray, StringViewArray, StructArray, UInt32Array, UnionArray, make_array,
};
use arrow_buffer::{BooleanBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, UnionFields};
use arrow_select::take::take_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::data_type::{
    ByteArray, DataType as ColumnType, FixedLenByteArray, FixedLenByteArrayType, Int96, Int96Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use veilset_data::{DataError, Scratch, Table};

use crate::support::{file, path, read, texts, to};

/// A file with one column, and no word of Arrow in it.
fn write<T: ColumnType>(path: &Path, column: &str, values: &[T::T]) {
    let schema = parse_message_type(&format!("message rows {{ {column}; }}")).expect("a schema");
    let file = File::create(path).expect("writable");
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema), Arc::new(WriterProperties::default()))
            .expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let mut column = group.next_column().expect("room").expect("a column");
    column.typed::<T>().write_batch(values, None, None).expect("values");
    column.close().expect("a column");
    group.close().expect("a group");
    writer.close().expect("a file");
}

fn time(julian_day: u32, nanos: u64) -> Int96 {
    let mut value = Int96::new();
    value.set_data(nanos as u32, (nanos >> 32) as u32, julian_day);
    value
}

#[test]
fn far_times_of_twelve_bytes_are_what_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "i.parquet");
    let column = "required int96 at";
    // Julian days of 9999-12-31, 1970-01-01 and 0001-01-01.
    let (far, now, old) = (time(5_373_484, 0), time(2_440_588, 1_000), time(1_721_426, 0));
    write::<Int96Type>(&path, column, &[far, now, old]);
    let expected = ["9999-12-31T00:00:00", "1970-01-01T00:00:00.000001", "0001-01-01T00:00:00"];
    let rows = |path: &Path| texts(&read(path)).concat();
    assert_eq!(rows(&path), expected);
    for name in ["o.parquet", "o.arrow", "o.csv"] {
        let out = folder.path().join(name);
        to(&out).write_rows(&read(&path), 0..3).expect("writable");
        assert_eq!(rows(&out), expected, "{name}");
    }

    // Nanoseconds stay where nothing is far away.
    write::<Int96Type>(&path, column, &[time(2_440_588, 1)]);
    let batches = read(&path).take([0].into_iter()).expect("a row");
    assert_eq!(batches[0].column(0).as_primitive::<TimestampNanosecondType>().value(0), 1);

    // Where no type has all values, rows are counted and nothing reads the column.
    write::<Int96Type>(&path, column, &[far, time(2_440_588, 1)]);
    let table = read(&path);
    assert_eq!(table.rows(), 2);
    for name in ["o.parquet", "o.arrow", "o.csv"] {
        let refused = to(&folder.path().join(name)).prepare(&table);
        assert!(matches!(refused, Err(DataError::NoType { .. })), "{name}");
    }
    assert!(table.for_each_row(&[0], |_, _| {}).is_err());

    // Files of one list have one type.
    let files = folder.path().join("list");
    std::fs::create_dir(&files).expect("a folder");
    write::<Int96Type>(&files.join("a.parquet"), column, &[now]);
    write::<Int96Type>(&files.join("b.parquet"), column, &[far]);
    assert_eq!(texts(&read(&files)).concat(), [expected[1], expected[0]]);
}

#[test]
fn intervals_lose_neither_months_nor_days() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "i.parquet");
    let column = "required fixed_len_byte_array(12) length (INTERVAL)";
    let interval = |months: u32, days: u32, millis: u32| {
        let bytes: Vec<u8> = [months, days, millis].map(u32::to_le_bytes).concat();
        FixedLenByteArray::from(ByteArray::from(bytes))
    };
    let kinds = [
        (vec![interval(1, 0, 0), interval(14, 0, 0)], Some("Interval(YearMonth)")),
        (vec![interval(0, 1, 0), interval(0, 0, 1)], Some("Interval(DayTime)")),
        (vec![interval(0, 1, 0), interval(1, 0, 0)], None),
        (vec![interval(1, 2, 0)], None),
    ];
    for (values, kind) in kinds {
        write::<FixedLenByteArrayType>(&path, column, &values);
        let (table, out) = (read(&path), folder.path().join("o.parquet"));
        let Some(kind) = kind else {
            let refused = to(&out).prepare(&table);
            assert!(matches!(refused, Err(DataError::NoType { .. })));
            continue;
        };
        assert_eq!(table.schema().field(0).data_type().to_string(), kind);
        to(&out).write_rows(&table, 0..2).expect("writable");
        assert_eq!(read(&out).schema().field(0).data_type().to_string(), kind);
    }
}

/// Rows of a frame whose column has categories of its own.
fn frame(number: usize, rows: usize) -> RecordBatch {
    let values = StringArray::from_iter_values((0..60).map(|word| format!("{number}-{word}")));
    let keys = Int8Array::from_iter_values((0..rows).map(|row| (row % 60) as i8));
    let column: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(values)));
    RecordBatch::try_from_iter([("word", column)]).expect("a column")
}

#[test]
fn categories_of_several_frames_fit_in_one_group() {
    const ROWS: usize = 20_000;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.parquet");
    let out = File::create(&from).expect("writable");
    let mut writer = ArrowWriter::try_new(out, frame(0, 1).schema(), None).expect("words");
    (0..4).for_each(|number| writer.write(&frame(number, ROWS)).expect("writable"));
    assert_eq!(writer.close().expect("writable").num_row_groups(), 1);

    let table = read(&from);
    for name in ["o.csv", "o.parquet", "o.arrow"] {
        let out = path(&folder, name);
        to(&out).prepare(&table).expect("all rows can be decoded");
        let rows = || (0..4 * ROWS).step_by(31);
        to(&out).write_rows(&table, rows()).expect("rows of all frames at once");
        let expected = rows().map(|row| format!("{}-{}", row / ROWS, row % ROWS % 60));
        assert_eq!(texts(&read(&out)).concat(), expected.collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn short_keys_do_not_keep_a_list_in_memory() {
    const ROWS: usize = 1 << 17;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let out = File::create(&from).expect("writable");
    let batch = |number| {
        let frame = frame(number, ROWS);
        let text = StringArray::from_iter_values((0..ROWS).map(|row| format!("{number:060}{row}")));
        let columns = [("word", Arc::clone(frame.column(0))), ("text", Arc::new(text))];
        RecordBatch::try_from_iter(columns).expect("columns")
    };
    let mut writer = FileWriter::try_new(out, &batch(1).schema()).expect("words");
    // One dictionary for the file, as this format has it.
    (0..6).for_each(|_| writer.write(&batch(1)).expect("writable"));
    writer.finish().expect("writable");
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(160_000_000));
    let table = Table::read_within(&file(&from), None, &scratch).expect("room");
    assert!(table.memory() < 20_000_000, "{} bytes", table.memory());
    let kind = table.schema().field(0).data_type().clone();
    assert_eq!(kind, DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into()));
    let taken = table.take([7, ROWS * 5 + 8].into_iter()).expect("rows");
    let words = taken.iter().flat_map(|batch| {
        let words = batch.column(0).as_any_dictionary();
        let (keys, values) = (words.normalized_keys(), words.values().as_string::<i32>().clone());
        keys.into_iter().map(move |key| values.value(key).to_owned()).collect::<Vec<_>>()
    });
    let expected = [7, (ROWS * 5 + 8) % ROWS % 60].map(|word| format!("1-{word}"));
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

#[test]
fn a_batch_is_refused_that_has_no_room_in_the_types_in_which_it_is_read() {
    const ROWS: usize = 3_000_000;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let decimals = Decimal256Array::from_iter_values([150.into()]);
    let words = StringArray::from(vec!["a"]);
    // A key of one byte becomes a decimal of 32, or a key of four.
    for (values, columns) in [(Arc::new(decimals) as ArrayRef, 1), (Arc::new(words), 9)] {
        let keys = Int8Array::from_value(0, ROWS);
        let column: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
        let named = (0..columns).map(|number| (number.to_string(), Arc::clone(&column)));
        let batch = RecordBatch::try_from_iter(named).expect("columns");
        let out = File::create(&from).expect("writable");
        let mut writer = FileWriter::try_new(out, &batch.schema()).expect("a writer");
        writer.write(&batch).expect("writable");
        writer.finish().expect("writable");
        let within = |most| Scratch::new(Some(folder.path().to_owned()), Some(most));
        let refused = Table::read_within(&file(&from), None, &within(100_000_000));
        let bytes = match refused.err() {
            Some(DataError::TooLarge { bytes, .. }) => bytes,
            other => panic!("{other:?}"),
        };
        // The program itself takes a part of what it may have.
        assert!((83_000_000..300_000_000).contains(&bytes), "{bytes} bytes");
        let table = Table::read_within(&file(&from), None, &within(300_000_000)).expect("room");
        assert_eq!(table.rows(), ROWS);
    }
}

/// An Arrow file of these batches.
fn arrow(path: &Path, batches: &[RecordBatch]) {
    let out = File::create(path).expect("writable");
    let mut writer = FileWriter::try_new(out, &batches[0].schema()).expect("a writer");
    batches.iter().for_each(|batch| writer.write(batch).expect("writable"));
    writer.finish().expect("writable");
}

#[test]
fn long_values_that_rows_share_are_written_once() {
    const ROWS: usize = 400;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let texts = StringArray::from_iter_values((0..8).map(|word| word.to_string().repeat(1 << 20)));
    let keys = Int8Array::from_iter_values((0..ROWS).map(|row| (row % 8) as i8));
    let column: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(texts)));
    let batch = RecordBatch::try_from_iter([("text", column)]).expect("a column");
    arrow(&from, &[batch.clone(), batch]);
    // Written for each row they are 0.8 GB.
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(45_000_000));
    let table = Table::read_within(&file(&from), None, &scratch).expect("room");
    assert!(table.memory() < 1_000_000, "{} bytes", table.memory());
    let out = path(&folder, "o.parquet");
    to(&out).write_rows(&table, 0..2 * ROWS).expect("room");
    assert!(fs::metadata(&out).expect("there").len() < 20_000_000);
    let found = read(&out).take([0, 1, 2 * ROWS - 1].into_iter()).expect("rows");
    let firsts = found.iter().flat_map(|batch| {
        let words = batch.column(0).as_any_dictionary();
        let (keys, values) = (words.normalized_keys(), words.values().as_string::<i32>().clone());
        keys.into_iter().map(move |key| (values.value(key).len(), values.value(key).as_bytes()[0]))
    });
    let length = 1 << 20;
    let expected = [(length, b'0'), (length, b'1'), (length, b'0' + ((ROWS - 1) % 8) as u8)];
    assert_eq!(firsts.collect::<Vec<_>>(), expected);
}

/// Rows of so many columns of small numbers.
fn flags(columns: usize, rows: usize) -> RecordBatch {
    let flags: ArrayRef = Arc::new(Int8Array::from_value(1, rows));
    let columns = (0..columns).map(|column| (column.to_string(), Arc::clone(&flags)));
    RecordBatch::try_from_iter(columns).expect("columns")
}

fn parquet(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).expect("there")).expect("Parquet")
}

#[test]
fn rows_of_many_columns_are_written_in_few_groups() {
    const ROWS: usize = 20_000;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    // As long as dictionaries of all columns fit into a group, there are some.
    for (count, has_dictionaries) in [(200, true), (600, false)] {
        arrow(&from, &[flags(count, ROWS)]);
        let out = path(&folder, &format!("{count}.parquet"));
        to(&out).write_rows(&read(&from), 0..ROWS).expect("writable");
        let written = parquet(&out);
        // In dozens of pieces.
        assert_eq!(written.num_row_groups(), 1);
        let column = written.metadata().row_group(0).column(0);
        assert_eq!(column.dictionary_page_offset().is_some(), has_dictionaries, "{count}");
    }
}

#[test]
fn many_columns_under_a_limit_are_compressed_by_what_takes_less_memory() {
    const ROWS: usize = 100;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    arrow(&from, &[flags(300, ROWS)]);
    let source = file(&from);
    for (limit, is_zstandard) in [(None, true), (Some(100 << 20), true), (Some(60 << 20), false)] {
        let scratch = Scratch::new(Some(folder.path().to_owned()), limit);
        let table = Table::read_within(&source, None, &scratch).expect("a table");
        let out = path(&folder, &format!("{limit:?}.parquet"));
        to(&out).write_rows(&table, 0..ROWS).expect("writable");
        let found = parquet(&out).metadata().row_group(0).column(0).compression();
        assert_eq!(matches!(found, Compression::ZSTD(_)), is_zstandard, "{limit:?}");
    }
}

#[test]
fn a_result_has_no_texts_of_other_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let text = |what: &str, row: usize| format!("{what} of person {row:03}, long enough");
    let words_of = |what| (0..500).map(|row| text(what, row)).collect::<Vec<_>>();
    let views: ArrayRef = Arc::new(StringViewArray::from_iter_values(words_of("note")));
    let keys = Int32Array::from_iter_values(0..500);
    let words = StringArray::from_iter_values(words_of("word"));
    let words: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(words)));
    arrow(
        &from,
        &[RecordBatch::try_from_iter([("note", views), ("word", words)]).expect("columns")],
    );
    let table = read(&from);
    for name in ["o.arrow", "o.arrows", "o.parquet"] {
        let out = path(&folder, name);
        to(&out).write_rows(&table, [7, 20, 499].into_iter()).expect("writable");
        let bytes = fs::read(&out).expect("there");
        let count = |text: &[u8]| bytes.windows(text.len()).filter(|part| *part == text).count();
        assert!(count(b"note of person 008") + count(b"word of person 008") == 0, "{name}");
        let rows = texts(&read(&out));
        let expected = [7, 20, 499].map(|row| vec![text("note", row), text("word", row)]);
        assert_eq!(rows, expected, "{name}");
    }
    // All rows are written with their texts once.
    let out = path(&folder, "all.arrow");
    to(&out).write_rows(&table, 0..500).expect("writable");
    let size = |path: &Path| fs::metadata(path).expect("there").len();
    assert!(size(&out) < 2 * size(&from), "{}", size(&out));
}

/// A column of each kind in which rows share memory, of these people's texts.
fn shared_columns(people: &[usize]) -> RecordBatch {
    let texts = |what: &'static str| {
        people.iter().map(move |person| format!("{what} of person {person:03}, long enough"))
    };
    let views = |what| Arc::new(StringViewArray::from_iter_values(texts(what))) as ArrayRef;
    let keyed = |what| {
        let keys = Int32Array::from_iter_values(0..people.len() as i32);
        let words = Arc::new(StringArray::from_iter_values(texts(what)));
        Arc::new(DictionaryArray::new(keys, words)) as ArrayRef
    };
    let item = |values: &ArrayRef| Arc::new(Field::new("item", values.data_type().clone(), true));
    let lists = |values: ArrayRef| {
        let ends = Int32Array::from_iter_values(0..=people.len() as i32).values().clone();
        let data = ArrayData::builder(DataType::List(item(&values)));
        let data = data.len(people.len()).add_buffer(ends.into_inner());
        make_array(data.add_child_data(values.to_data()).build().expect("lists"))
    };
    // A row has its own value and the one before it.
    let overlapping = |values: ArrayRef| {
        let starts: Vec<i32> = (0..people.len() as i32).map(|row| (row - 1).max(0)).collect();
        let lengths: Vec<i32> = (0..people.len() as i32).map(|row| (row + 1).min(2)).collect();
        let field = item(&values);
        Arc::new(ListViewArray::new(field, starts.into(), lengths.into(), values, None)) as ArrayRef
    };
    let record =
        |values: ArrayRef| Arc::new(StructArray::from(vec![(item(&values), values)])) as ArrayRef;
    let plain = |what| Arc::new(StringArray::from_iter_values(texts(what))) as ArrayRef;
    let keyed_lists = {
        let keys = Int32Array::from_iter_values(0..people.len() as i32);
        Arc::new(DictionaryArray::new(keys, lists(views("views in keyed lists")))) as ArrayRef
    };
    let columns = [
        record(views("views in records")),
        record(keyed("words in records")),
        lists(views("views in lists")),
        lists(record(keyed("words in records in lists"))),
        overlapping(plain("overlapping texts")),
        overlapping(keyed("overlapping words")),
        record(overlapping(overlapping(views("overlapping views")))),
        keyed_lists,
    ];
    let named = columns.into_iter().enumerate().map(|(at, column)| (at.to_string(), column));
    RecordBatch::try_from_iter(named).expect("columns")
}

/// The texts of all rows, whatever they are in.
fn all_texts(array: &dyn Array) -> Vec<String> {
    let of_rows = |of: &dyn Fn(usize) -> ArrayRef| -> Vec<String> {
        (0..array.len()).flat_map(|row| all_texts(&of(row))).collect()
    };
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().flatten().map(str::to_owned).collect(),
        DataType::Utf8View => array.as_string_view().iter().flatten().map(str::to_owned).collect(),
        DataType::List(_) => of_rows(&|row| array.as_list::<i32>().value(row)),
        DataType::ListView(_) => of_rows(&|row| array.as_list_view::<i32>().value(row)),
        DataType::Struct(_) => all_texts(array.as_struct().column(0)),
        DataType::Dictionary(..) => {
            let words = array.as_any_dictionary();
            let keys = words.normalized_keys();
            of_rows(&|row| words.values().slice(keys[row], 1))
        }
        kind => panic!("{kind} has no texts here"),
    }
}

#[test]
fn rows_bring_nothing_of_other_rows_at_any_depth() {
    let folder = tempfile::tempdir().expect("a folder");
    let all: Vec<usize> = (0..500).collect();
    let from = path(&folder, "i.arrows");
    let batch = shared_columns(&all);
    let mut writer = StreamWriter::try_new(File::create(&from).expect("writable"), &batch.schema());
    let written = writer.as_mut().map(|writer| writer.write(&batch).and_then(|()| writer.finish()));
    written.expect("a writer").expect("a stream");
    let table = read(&from);
    // Of overlapping lists, rows 7 and 20 have the values of 6 and 19, and of 5 and 18.
    let wanted = [7, 20, 499];
    let taken = table.take(wanted.into_iter()).expect("rows");
    let places = UInt32Array::from_iter_values(wanted.map(|row| row as u32));
    let expected = take_record_batch(&batch, &places).expect("rows");
    for (found, expected) in taken[0].columns().iter().zip(expected.columns()) {
        assert_eq!(all_texts(found), all_texts(expected), "{}", expected.data_type());
    }
    let schema = taken[0].schema();
    let kept = Table::from_batches("taken".to_owned(), schema, taken).expect("a table");
    for name in ["o.arrow", "o.arrows", "o.parquet"] {
        let out = path(&folder, name);
        to(&out).write_rows(&table, wanted.into_iter()).expect("writable");
        assert_eq!(read(&out).rows(), 3);
    }
    let memory = kept.memory();
    assert!(memory < table.memory() / 20, "{memory}");
    for name in ["o.arrow", "o.arrows"] {
        let bytes = fs::read(path(&folder, name)).expect("there");
        let is_there = |person: usize| {
            let text = format!("of person {person:03}");
            bytes.windows(text.len()).any(|part| part == text.as_bytes())
        };
        let there: Vec<usize> = all.iter().copied().filter(|person| is_there(*person)).collect();
        assert_eq!(there, [5, 6, 7, 18, 19, 20, 497, 498, 499], "{name}");
    }
}

#[test]
fn lists_that_share_values_are_counted_before_they_are_copied() {
    const LISTS: usize = 3_000;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let views = |values: ArrayRef, starts: Vec<i32>, lengths: Vec<i32>| -> ArrayRef {
        let field = Arc::new(Field::new("item", values.data_type().clone(), true));
        Arc::new(ListViewArray::new(field, starts.into(), lengths.into(), values, None))
    };
    // Each inner list is all of the same numbers, 1.2 GB together.
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..100_000));
    let inner = views(numbers, vec![0; LISTS], vec![100_000; LISTS]);
    let outer = views(inner, (0..LISTS as i32).collect(), vec![1; LISTS]);
    arrow(&from, &[RecordBatch::try_from_iter([("lists", outer)]).expect("a column")]);
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(200_000_000));
    let refused = Table::read_within(&file(&from), None, &scratch).err();
    assert!(matches!(refused, Some(DataError::TooLarge { .. })), "{refused:?}");
    // So is a list that a thousand rows have for its key.
    let long: ArrayRef = Arc::new(Int32Array::from_iter_values(0..250_000));
    let keys = Int32Array::from(vec![0; 1_000]);
    let keyed = DictionaryArray::new(keys, views(long, vec![0], vec![250_000]));
    arrow(
        &from,
        &[RecordBatch::try_from_iter([("lists", Arc::new(keyed) as _)]).expect("a column")],
    );
    let refused = Table::read_within(&file(&from), None, &scratch).err();
    assert!(matches!(refused, Some(DataError::TooLarge { .. })), "{refused:?}");
    // Those of few bytes are no more than that, in any order and shared.
    let bytes: ArrayRef = Arc::new(Int8Array::from_iter_values((0..10_000_000).map(|at| at as i8)));
    let starts = (0..20_000).rev().map(|row| if row == 7 { 0 } else { 500 * row });
    let mixed = views(bytes, starts.collect(), vec![500; 20_000]);
    arrow(&from, &[RecordBatch::try_from_iter([("lists", mixed)]).expect("a column")]);
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(150_000_000));
    assert_eq!(Table::read_within(&file(&from), None, &scratch).expect("room").rows(), 20_000);
    // Lists that lie apart, in any order and with gaps, are what they were.
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..6));
    let apart = views(numbers, vec![3, 0, 6, 1], vec![2, 1, 0, 2]);
    arrow(&from, &[RecordBatch::try_from_iter([("lists", apart)]).expect("a column")]);
    let taken = read(&from).take(0..4).expect("rows");
    let lists = taken[0].column(0).as_list::<i32>();
    let found =
        lists.iter().flatten().map(|list| list.as_primitive::<Int32Type>().values().to_vec());
    assert_eq!(found.collect::<Vec<_>>(), [vec![3, 4], vec![0], vec![], vec![1, 2]]);
}

#[test]
fn views_take_what_their_texts_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let words = |column: usize| (0..2_000).map(move |row| format!("{column}: a text of row {row}"));
    let columns = (0..100).map(|column| {
        let views: ArrayRef = Arc::new(StringViewArray::from_iter_values(words(column)));
        (column.to_string(), views)
    });
    arrow(&from, &[RecordBatch::try_from_iter(columns).expect("columns")]);
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(100_000_000));
    let table = Table::read_within(&file(&from), None, &scratch).expect("room");
    let rows = texts(&table);
    assert_eq!(rows.concat().last().map(String::as_str), Some("99: a text of row 1999"));
}

#[test]
fn nested_dictionaries_are_shared_by_all_batches() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let mut lists = ListBuilder::new(StringDictionaryBuilder::<Int8Type>::new());
    for row in 0..100 {
        (0..10).for_each(|_| lists.values().append_value(["a", "b", "c"][row % 3]));
        lists.append(true);
    }
    let keys = Int8Array::from_iter_values(0..100);
    let column: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(lists.finish())));
    let batch = RecordBatch::try_from_iter([("words", column)]).expect("a column");
    arrow(&from, &vec![batch; 50]);
    // Parquet has no such dictionaries, so they are in memory whatever that may be.
    for most in [None, Some(20_000_000)] {
        let scratch = Scratch::new(Some(folder.path().to_owned()), most);
        let table = Table::read_within(&file(&from), None, &scratch).expect("room");
        let taken = table.take((0..100).chain(4_900..5_000)).expect("rows");
        let values = taken.iter().map(|batch| {
            let lists = batch.column(0).as_any_dictionary().values().as_list::<i32>().clone();
            lists.values().as_any_dictionary().keys().to_data().buffers()[0].as_ptr()
        });
        let values: Vec<*const u8> = values.collect();
        assert_eq!((values.len(), values[0]), (2, values[1]));
    }
}

#[test]
fn dictionaries_that_parquet_has_not_are_read_as_their_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = || Int8Array::from_iter_values((0..9_000).map(|row| (row % 2) as i8));
    let decimals = Decimal128Array::from(vec![150, 275]).with_precision_and_scale(5, 2);
    let decimals: ArrayRef = Arc::new(decimals.expect("decimals"));
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![false, true]));
    let nulls: ArrayRef = Arc::new(NullArray::new(2));
    let kinds = [(decimals, ["1.50", "2.75"]), (booleans, ["false", "true"]), (nulls, ["", ""])];
    for (values, texts_of) in kinds {
        let column: ArrayRef = Arc::new(DictionaryArray::new(keys(), values));
        let batch =
            RecordBatch::try_from_iter_with_nullable([("value", column, true)]).expect("a column");
        let from = path(&folder, "i.arrow");
        let out = File::create(&from).expect("writable");
        let mut writer = FileWriter::try_new(out, &batch.schema()).expect("a writer");
        writer.write(&batch).expect("writable");
        writer.finish().expect("writable");
        let scratch = Scratch::new(Some(folder.path().to_owned()), Some(12_000_000));
        for scratch in [Scratch::default(), scratch] {
            let table = Table::read_within(&file(&from), None, &scratch).expect("room");
            let rows = texts(&table).concat();
            assert!((0..9_000).all(|row| rows[row] == texts_of[row % 2]));
        }
        let stored = path(&folder, "i.parquet");
        let out = File::create(&stored).expect("writable");
        let mut writer = ArrowWriter::try_new(out, batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("writable");
        writer.close().expect("writable");
        assert_eq!(texts(&read(&stored)).concat()[7], texts_of[1]);
    }
}

#[test]
fn lists_of_categories_take_no_more_than_their_own_memory() {
    const ROWS: usize = 300_000;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let mut lists = ListBuilder::new(StringDictionaryBuilder::<Int8Type>::new());
    for row in 0..ROWS {
        (0..2).for_each(|place| lists.values().append_value(["a", "b", "c"][(row + place) % 3]));
        lists.append(true);
    }
    let lists = lists.finish();
    let views = ListViewArray::from(lists.clone());
    for column in [Arc::new(lists) as ArrayRef, Arc::new(views)] {
        let batch = RecordBatch::try_from_iter([("words", column)]).expect("a column");
        let out = File::create(&from).expect("writable");
        let mut writer = FileWriter::try_new(out, &batch.schema()).expect("a writer");
        writer.write(&batch).expect("writable");
        writer.finish().expect("writable");
        let table = read(&from);
        // An offset and two keys of four bytes a row, and the length of a view.
        let least = 12 * ROWS as u64;
        assert!((least..2 * least).contains(&table.memory()), "{} bytes", table.memory());
        let last = table.take([0, ROWS - 1].into_iter()).expect("rows");
        let last = last.last().expect("a batch").column(0);
        let words = match last.as_list_opt::<i32>() {
            Some(lists) => lists.value(lists.len() - 1),
            None => last.as_list_view::<i32>().value(last.len() - 1),
        };
        let (words, expected) = (words.as_any_dictionary(), [(ROWS - 1) % 3, ROWS % 3]);
        assert_eq!(words.normalized_keys(), expected);
    }
}

#[test]
fn unions_are_refused_before_a_run_where_their_format_has_no_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let words: ArrayRef = Arc::new(DictionaryArray::new(
        Int8Array::from(vec![0]),
        Arc::new(StringArray::from(vec!["a"])) as ArrayRef,
    ));
    let union = |part: ArrayRef| {
        let field = Field::new("part", part.data_type().clone(), true);
        let fields = UnionFields::try_new([0], [field]).expect("a field");
        let union = UnionArray::try_new(fields, vec![0].into(), None, vec![part]);
        let column: ArrayRef = Arc::new(union.expect("a union"));
        let batch = RecordBatch::try_from_iter([("one", column)]).expect("a column");
        Table::from_batches("t".to_owned(), batch.schema(), vec![batch]).expect("a row")
    };
    let prepared = |name: &str, part: &ArrayRef| {
        to(&path(&folder, name)).prepare(&union(Arc::clone(part))).is_ok()
    };
    let plain: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    assert!(!prepared("o.parquet", &plain) && prepared("o.arrow", &plain));
    assert!(!prepared("o.parquet", &words) && prepared("o.arrow", &words));
    // An Arrow file has plain values in their place.
    let out = path(&folder, "written.arrow");
    to(&out).write_rows(&union(Arc::clone(&words)), 0..1).expect("writable");
    let taken = read(&out).take(0..1).expect("a row");
    let part = taken[0].column(0).as_union().child(0).clone();
    assert_eq!(*part.data_type(), DataType::Utf8);
    assert_eq!(all_texts(&part)[..], all_texts(&words)[..1]);
}

#[test]
fn a_dictionary_that_would_fill_memory_is_written_as_its_values() {
    const ROWS: usize = 200_000;
    let folder = tempfile::tempdir().expect("a folder");
    let text = |row: usize| format!("{row:0100}");
    let values = StringArray::from_iter_values((0..ROWS).map(text));
    let keys = Int32Array::from_iter_values(0..ROWS as i32);
    let column: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(values)));
    let batch = RecordBatch::try_from_iter([("word", column)]).expect("a column");
    let table = Table::from_batches("t".to_owned(), batch.schema(), vec![batch]).expect("rows");
    let out = path(&folder, "o.arrow");
    to(&out).prepare(&table).expect("it has a place");
    to(&out).write_rows(&table, 0..ROWS).expect("writable");
    let got = read(&out);
    assert_eq!(*got.schema().field(0).data_type(), DataType::Utf8);
    assert_eq!(texts(&got).concat(), (0..ROWS).map(text).collect::<Vec<_>>());
}

#[test]
fn a_dictionary_stays_one_beside_columns_that_lose_theirs() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let words = |what: &str| -> ArrayRef {
        let words: Vec<String> = (0..20).map(|row| format!("{what} {row}")).collect();
        let words: DictionaryArray<Int32Type> = words.iter().map(String::as_str).collect();
        Arc::new(words)
    };
    let kind = words("kind");
    let field = Arc::new(Field::new("kind", kind.data_type().clone(), true));
    let inner: ArrayRef = Arc::new(StructArray::from(vec![(field, kind)]));
    let batch = RecordBatch::try_from_iter([("colour", words("colour")), ("inner", inner)]);
    let batch = batch.expect("columns");
    arrow(&from, &[batch.slice(0, 10), batch.slice(10, 10)]);
    for name in ["o.arrow", "o.arrows", "o.parquet"] {
        let out = path(&folder, name);
        to(&out).write_rows(&read(&from), [1, 15].into_iter()).expect("writable");
        let found = read(&out).take(0..2).expect("rows");
        let colours = found.iter().flat_map(|batch| {
            let words = batch.column(0).as_any_dictionary();
            let (keys, values) = (words.normalized_keys(), words.values().as_string::<i32>());
            keys.into_iter().map(|key| values.value(key).to_owned()).collect::<Vec<_>>()
        });
        assert_eq!(colours.collect::<Vec<_>>(), ["colour 1", "colour 15"], "{name}");
    }
}

#[test]
fn rows_that_share_long_texts_are_taken_a_few_at_a_time() {
    const ROWS: usize = 400;
    let text = |row: usize| row.to_string().repeat(100_000);
    let mut views = StringViewBuilder::new().with_deduplicate_strings();
    (0..ROWS).for_each(|row| views.append_value(text(row % 10)));
    let column: ArrayRef = Arc::new(views.finish());
    let keys = Int32Array::from_iter_values((0..ROWS).map(|row| (row % 3) as i32));
    let words: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let words: ArrayRef = Arc::new(DictionaryArray::new(keys, words));
    let batch = RecordBatch::try_from_iter([("text", column), ("word", words)]).expect("columns");
    let table =
        Table::from_batches("rows".to_owned(), batch.schema(), vec![batch]).expect("a table");
    assert!(table.memory() < 2_000_000, "{} bytes", table.memory());
    // 40 MB, all together.
    let taken = table.take(0..ROWS).expect("rows");
    assert!(taken.len() > 4, "{}", taken.len());
    let texts = taken.iter().flat_map(|batch| batch.column(0).as_string_view().iter());
    assert!(texts.enumerate().all(|(row, found)| found == Some(&*text(row % 10))));
    // A stream has a dictionary again wherever it is another.
    let words = taken
        .iter()
        .map(|batch| batch.column(1).as_any_dictionary().values().to_data().buffers()[0].as_ptr());
    assert_eq!(words.collect::<HashSet<_>>().len(), 1);
}

#[test]
fn many_batches_hold_a_dictionary_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let words: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..50_000).map(|word| format!("a word {word}"))));
    let batches = (0..100).map(|batch| {
        let keys = Int32Array::from_iter_values(100 * batch..100 * batch + 100);
        let words: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::clone(&words)));
        // Parquet has none.
        let spans: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(vec![None; 100]));
        RecordBatch::try_from_iter([("word", words), ("span", spans)]).expect("columns")
    });
    arrow(&from, &batches.collect::<Vec<_>>());
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(40_000_000));
    let table = Table::read_within(&file(&from), None, &scratch).expect("room");
    assert!((500_000..2_000_000).contains(&table.memory()), "{} bytes", table.memory());
    let taken = table.take([9_999].into_iter()).expect("rows");
    let words = taken[0].column(0).as_any_dictionary();
    assert_eq!(words.values().as_string::<i32>().value(words.normalized_keys()[0]), "a word 9999");
}

#[test]
fn flags_in_lists_take_what_they_are() {
    const FLAGS: usize = 40_000_000;
    let folder = tempfile::tempdir().expect("a folder");
    let from = path(&folder, "i.arrow");
    let flags: ArrayRef = Arc::new(BooleanArray::new(BooleanBuffer::new_set(FLAGS), None));
    let field = Arc::new(Field::new("item", DataType::Boolean, true));
    let ends = OffsetBuffer::from_repeated_length(1_000, FLAGS / 1_000);
    let lists: ArrayRef = Arc::new(ListArray::new(field, ends, flags, None));
    arrow(&from, &[RecordBatch::try_from_iter([("flags", lists)]).expect("a column")]);
    // A number of four bytes for each would be 160 MB.
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(100_000_000));
    let table = Table::read_within(&file(&from), None, &scratch).expect("room");
    assert_eq!(table.rows(), FLAGS / 1_000);
}
