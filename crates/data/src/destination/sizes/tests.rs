use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, ListArray, RunArray,
    StringArray, StringViewArray, StructArray, TimestampSecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::Fields;

use super::*;
use crate::{
    JoinedColumns, JoinedRow, KeySpec, LABEL_COLUMN, Scratch, ShareColumn, ShareEncoding,
    ShareTable, Source,
};

const ENDINGS: [&str; 6] = ["csv", "tsv", "ndjson", "parquet", "arrow", "arrows"];

fn csv(rows: usize) -> Table {
    let line = |n: usize| format!("{n};\"a \"\"{}\"\"; b\";\n", "\u{e9}".repeat(n % 50));
    let text = format!("id;note;\"empty\"\n{}", (0..rows).map(line).collect::<String>());
    Table::parse("t.csv".into(), text.into_bytes(), b';').expect("a table")
}

fn ndjson(rows: usize) -> Table {
    let line = |n: usize| format!("{{\"id\":{n}, \"note\":\"\\u00e9\\n{n}\"}}\n");
    let text = format!("{{\"id\":null}}\n{}", (0..rows).map(line).collect::<String>());
    Table::parse_ndjson("t.ndjson".into(), text.into_bytes()).expect("a table")
}

/// Text that takes more room in NDJSON than in any other format.
fn controls(rows: usize) -> Table {
    let row = format!("\u{1f},{}\n", "\u{1}".repeat(40));
    let text = format!("id,note\n{}", row.repeat(rows));
    Table::parse("c.csv".into(), text.into_bytes(), b',').expect("a table")
}

/// Types that are shorter in memory than as text, or in Parquet; two batches with different dictionaries.
fn typed(rows: usize) -> Table {
    let batch = |first: usize| {
        let n = || first..first + rows;
        let kinds: DictionaryArray<Int8Type> = n().map(|n| ["x", "y", "z"][n % 3]).collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(n().map(|n| Some(n as i8)).collect::<Int8Array>())),
            ("kind", Arc::new(kinds)),
            (
                "yes",
                Arc::new(n().map(|n| (n % 5 > 0).then_some(n % 2 == 0)).collect::<BooleanArray>()),
            ),
            ("at", Arc::new(TimestampSecondArray::from_iter_values(n().map(|n| n as i64 * 777)))),
            ("far", Arc::new(n().map(|n| 1e200 / n as f64).collect::<Float64Array>())),
            ("note", Arc::new(n().map(|n| Some("\"".repeat(n % 9))).collect::<StringArray>())),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
            .expect("of one length")
    };
    let batches = vec![batch(0), batch(1)];
    Table::from_batches("t".into(), batches[0].schema(), batches).expect("a table")
}

fn tables(rows: usize) -> [Table; 4] {
    [csv(rows), ndjson(rows), controls(rows), typed(rows.min(120))]
}

/// Columns of these names beside those of a table.
fn joined(table: &Table, names: &[String]) -> JoinedColumns {
    JoinedColumns::new(table, "peer", names, false, false).expect("other names")
}

/// So many rows with these cells.
fn copies(count: usize, cells: &[String]) -> Vec<JoinedRow> {
    vec![JoinedRow { key: 1, cells: cells.to_vec() }; count]
}

/// What is held at a new file of this name, and how long the file is after `write`.
fn held_and_taken(
    folder: &Path,
    ending: &str,
    prepare: &dyn Fn(&Destination) -> Result<(), DataError>,
    write: &dyn Fn(&Destination) -> Result<(), DataError>,
) -> (u64, u64) {
    let path = folder.join(format!("out.{ending}"));
    let destination = Destination::file(&path, true);
    prepare(&destination).expect("room");
    let Destination::File(file) = &destination else { panic!("a file") };
    let held = file.held();
    write(&destination).expect("writable");
    (held, fs::metadata(path).expect("written").len())
}

#[test]
fn as_much_is_held_as_any_result_takes_and_not_much_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec: KeySpec = "id".parse().expect("a key");
    let extra = ["note".to_owned(), "from the \"peer\"".to_owned()];
    let cells = |n: usize| vec!["\u{1}\"".repeat(9), "\"".repeat(n % 30), "x".repeat(n % 40)];
    let received: Vec<Vec<String>> = (0..3000).map(cells).collect();
    for table in [0, 1, 3000].into_iter().flat_map(tables) {
        for ending in ENDINGS {
            let look =
                |prepare: &dyn Fn(&Destination) -> Result<(), DataError>,
                 write: &dyn Fn(&Destination) -> Result<(), DataError>| {
                    let prepare = |to: &Destination| to.prepare(&table).and_then(|()| prepare(to));
                    held_and_taken(folder.path(), ending, &prepare, write)
                };
            let id = |row: usize| Some(format!("{row:032x}"));
            let others = || (0..5000).map(|row| format!("{row:032x}"));
            let label = "\"".repeat(99);
            let labelled: Vec<(usize, &str)> =
                (0..table.rows()).map(|row| (row, &*label)).collect();
            let taken = [
                look(&|_| Ok(()), &|to| to.write_rows(&table, 0..table.rows())),
                look(&|to| to.prepare_aligned(&table, 5000), &|to| {
                    to.write_aligned(&table, &id, others())
                }),
                look(&|to| to.prepare_union(&table, &spec, &extra, 3000, 18 + 30 + 40), &|to| {
                    to.write_union(&table, &spec, &extra, &received)
                }),
                look(&|to| to.prepare_labelled(&table, LABEL_COLUMN, 99), &|to| {
                    to.write_labelled(&table, LABEL_COLUMN, &labelled)
                }),
                look(&|to| to.prepare_joined(&table, &joined(&table, &extra), 3, 180), &|to| {
                    let matches =
                        |row| copies(row % 4, &["=\u{1}\u{7f}".repeat(10), "é".repeat(15)]);
                    let rows = 0..table.rows();
                    to.write_joined(&table, &joined(&table, &extra), rows, &matches)
                }),
            ];
            for (what, (held, taken)) in taken.into_iter().enumerate() {
                assert!(taken <= held, "{} {what} {ending}: {taken} > {held}", table.name());
            }
            let (held, taken) = taken[0];
            let plain = !matches!(ending, "parquet" | "arrow" | "arrows");
            assert!(!plain || held <= 8 * taken + 20_000, "{} {ending}: {held}", table.name());
        }
    }
}

#[test]
fn what_cannot_be_compressed_has_its_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut state = 1_u64;
    let mut text = |length: usize| -> String {
        let digits = std::iter::repeat_with(|| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
                [(state >> 58) as usize]
        });
        digits.take(length).map(char::from).collect()
    };
    let mut row = |length| (0..66).map(|_| text(length)).collect::<Vec<_>>().join(",") + "\n";
    // A group has all rows, or one alone.
    for (length, count) in [(400, 200), (80_000, 20)] {
        let rows: String = [4].into_iter().chain(vec![length; count]).map(&mut row).collect();
        let from = folder.path().join("t.csv");
        fs::write(&from, rows).expect("writable");
        // So little that Zstandard would take too much for so many columns.
        let little = Scratch::new(Some(folder.path().to_owned()), Some(20 << 20));
        for (scratch, is_longer) in [(little, true), (Scratch::default(), false)] {
            let table = Table::read_within(&Source::File(from.clone()), None, &scratch);
            let table = table.expect("a table");
            let prepare = |to: &Destination| to.prepare(&table);
            let write = |to: &Destination| to.write_rows(&table, 0..count);
            let (held, taken) = held_and_taken(folder.path(), "parquet", &prepare, &write);
            assert!(taken <= held, "{taken} > {held}");
            let given = fs::metadata(&from).expect("there").len();
            assert_eq!(taken > given, is_longer, "{taken} of {given}");
        }
    }
}

/// Numbers that nothing shortens.
fn noise(count: usize) -> impl Iterator<Item = u64> {
    let next = |state: &u64| Some(state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
    std::iter::successors(Some(7), next).skip(1).map(|state| state >> 33).take(count)
}

fn floats(count: usize) -> ArrayRef {
    Arc::new(noise(count).map(|bits| Some(bits as f32 / 3.0)).collect::<Float32Array>())
}

fn structs(columns: usize, name: &str, array: &ArrayRef) -> StructArray {
    let named = (0..columns).map(|n| format!("{name}{n}"));
    let fields: Fields =
        named.map(|name| Field::new(name, array.data_type().clone(), true)).collect();
    StructArray::new(fields, vec![Arc::clone(array); columns], None)
}

/// Rows that are more in Parquet than in memory: many values in a row, columns in columns, lists of nothing, names.
fn nested() -> Vec<(&'static str, Vec<Field>, Vec<ArrayRef>)> {
    const ROWS: usize = 2_000;
    let item = |array: &ArrayRef| Arc::new(Field::new("item", array.data_type().clone(), true));
    let embeddings = floats(ROWS * 96);
    let lists = ListArray::new(
        item(&embeddings),
        OffsetBuffer::from_lengths([96; ROWS]),
        Arc::clone(&embeddings),
        None,
    );
    let of_length = FixedSizeListArray::new(item(&embeddings), 96, embeddings, None);
    let short: ArrayRef = Arc::new(noise(ROWS).map(|n| Some(n as i16)).collect::<Int16Array>());
    let byte: ArrayRef = Arc::new(noise(ROWS).map(|n| Some(n as i8)).collect::<Int8Array>());
    let none: ArrayRef = Arc::new(structs(200, "of", &byte.slice(0, 0)));
    let keys = Int32Array::from(vec![None; 2 * ROWS]);
    let unkeyed: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::clone(&none)));
    let unkeyed =
        ListArray::new(item(&unkeyed), OffsetBuffer::from_lengths([2; ROWS]), unkeyed, None);
    let some = NullBuffer::from(noise(ROWS).map(|n| n % 2 == 0).collect::<Vec<_>>());
    let empty =
        ListArray::new(item(&none), OffsetBuffer::from_lengths([0; ROWS]), none, Some(some));
    let long: String = noise(100_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let long: ArrayRef = Arc::new(StringArray::from(vec![long]));
    let ends = Int32Array::from(vec![60]);
    let run: ArrayRef = Arc::new(RunArray::<Int32Type>::try_new(&ends, &long).expect("a run"));
    let same = DictionaryArray::<Int32Type>::new(Int32Array::from(vec![0; 60]), long);
    let same: ArrayRef = Arc::new(same);
    let wide = |shared: ArrayRef| {
        let columns = vec![byte.slice(0, 60); 450];
        columns.into_iter().chain([shared]).collect::<Vec<_>>()
    };
    let told = HashMap::from([("what".to_owned(), "n".repeat(300_000))]);
    let plain = |columns: &[ArrayRef]| -> Vec<Field> {
        let field = |(n, array): (usize, &ArrayRef)| {
            Field::new(format!("c{n}"), array.data_type().clone(), true)
        };
        columns.iter().enumerate().map(field).collect()
    };
    let cases: Vec<(&str, Vec<ArrayRef>)> = vec![
        ("lists of numbers", vec![Arc::new(lists)]),
        ("as many numbers a row", vec![Arc::new(of_length)]),
        ("many short numbers", vec![Arc::new(structs(200, "of", &short))]),
        ("lists of nothing", vec![Arc::new(empty)]),
        ("lists of dictionaries of nothing", vec![Arc::new(unkeyed)]),
        ("long names", vec![Arc::new(structs(300, &"n".repeat(300), &byte.slice(0, 20)))]),
        ("a run in many columns", wide(run)),
        ("a dictionary in one of many columns", wide(Arc::new(structs(1, "of", &same)))),
    ];
    let told = Field::new("told", DataType::Int8, true).with_metadata(told);
    let cases = cases.into_iter().map(|(what, columns)| (what, plain(&columns), columns));
    cases.chain([("what a column says of itself", vec![told], vec![byte.slice(0, 9)])]).collect()
}

/// What is held for all rows of a stream, whose batches have so many, and how long their file is.
fn of_stream(batch: &RecordBatch, rows: usize, endings: &[&str]) -> Vec<(u64, u64)> {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("t.arrows");
    let file = fs::File::create(&from).expect("a file");
    let mut writer = StreamWriter::try_new(file, &batch.schema()).expect("a stream");
    for first in (0..batch.num_rows()).step_by(rows) {
        let batch = batch.slice(first, rows.min(batch.num_rows() - first));
        writer.write(&batch).expect("rows");
    }
    writer.finish().expect("a stream");
    let little = Scratch::new(Some(folder.path().to_owned()), Some(40 << 20));
    let table = |scratch| Table::read_within(&Source::File(from.clone()), None, &scratch);
    let sizes = [little, Scratch::default()].map(|scratch| {
        let table = table(scratch).expect("a table");
        let size = |ending: &&str| {
            let prepare = |to: &Destination| to.prepare(&table);
            let write = |to: &Destination| to.write_rows(&table, 0..table.rows());
            held_and_taken(folder.path(), ending, &prepare, &write)
        };
        endings.iter().map(size).collect::<Vec<_>>()
    });
    sizes.concat()
}

#[test]
fn nested_values_have_their_room() {
    for (what, fields, columns) in nested() {
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns");
        // Batches of few rows, as data frames have them.
        for (held, taken) in of_stream(&batch, 100, &["parquet", "arrow", "arrows"]) {
            assert!(taken <= held, "{what}: {taken} > {held}");
        }
    }
}

#[test]
fn values_that_rows_share_have_room_in_each_group() {
    const ROWS: usize = 8_000;
    let letters: String = noise(3_000_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let text = |length: usize, n: u64| {
        let from = n as usize % (letters.len() - length);
        &letters[from..from + length]
    };
    let long: StringArray = noise(ROWS).map(|n| Some(text(3_000, n))).collect();
    let categories = |count: usize, key: &dyn Fn(usize) -> usize| -> ArrayRef {
        let values: StringArray =
            (0..count).map(|n| Some(&letters[2_000 * n..2_000 * (n + 1)])).collect();
        let keys = (0..ROWS).map(|row| Some((key(row) % count) as i32)).collect::<Int32Array>();
        Arc::new(DictionaryArray::new(keys, Arc::new(values)))
    };
    let any: Vec<usize> = noise(ROWS).map(|n| n as usize).collect();
    let random = |row: usize| any[row];
    // Spans of one and of all in turn: the first piece of a group shows few of its values.
    let spans = |row: usize| if (row / 530).is_multiple_of(2) { 0 } else { row };
    for (what, columns) in [
        ("one in three groups", vec![Arc::new(long) as ArrayRef, categories(500, &random)]),
        ("six that fit no group", vec![categories(1_400, &random); 6]),
        ("four in spans", vec![categories(520, &spans); 4]),
    ] {
        let named = columns.into_iter().enumerate().map(|(n, array)| (format!("c{n}"), array));
        let batch = RecordBatch::try_from_iter(named).expect("columns");
        for (held, taken) in of_stream(&batch, ROWS, &["parquet"]) {
            assert!(taken <= held, "{what}: {taken} > {held}");
        }
    }
}

/// Lists that are small, and large beside rows of others: nested types, batches and files of one row, many columns.
fn lists_that_grow(folder: &Path) -> Vec<Table> {
    let rows = 40;
    let ids: StringArray = (0..rows).map(|row| Some(format!("id {row}"))).collect();
    let vectors = floats(rows * 300);
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let vectors = FixedSizeListArray::new(item, 300, vectors, None);
    let views: StringViewArray = (0..rows).map(|_| Some("x")).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(vectors),
        Arc::new(structs(50, "of", &floats(rows))),
        Arc::new(structs(20, "view", &(Arc::new(views) as ArrayRef))),
    ];
    let named = columns.into_iter().enumerate().map(|(n, array)| (format!("c{n}"), array));
    let named = named.chain([("id".to_owned(), Arc::new(ids) as ArrayRef)]);
    let batch = RecordBatch::try_from_iter(named).expect("columns");
    let typed = folder.join("t.arrows");
    let file = fs::File::create(&typed).expect("a file");
    let mut writer = StreamWriter::try_new(file, &batch.schema()).expect("a stream");
    (0..rows).try_for_each(|row| writer.write(&batch.slice(row, 1))).expect("rows");
    writer.finish().expect("a stream");
    let names: Vec<String> = (0..60).map(|n| format!("an ordinary column {n}")).collect();
    let wide = format!("id,{}\n7,{}\n", names.join(","), vec!["y"; 60].join(","));
    let files = folder.join("files");
    fs::create_dir(&files).expect("writable");
    for n in 0..200 {
        fs::write(files.join(format!("{n}.csv")), format!("id,a,b\n{n},x,y\n")).expect("writable");
    }
    let read = |path: &Path| Table::read(&Source::new(&path.display().to_string()), None);
    let tables = [read(&typed), Table::parse("wide.csv".into(), wide.into(), b','), read(&files)];
    tables.into_iter().map(|table| table.expect("a table")).collect()
}

#[test]
fn rows_that_others_add_have_their_room_beside_any_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec: KeySpec = "id".parse().expect("a key");
    let sent: Vec<String> = (0..64).map(|n| format!("{n:0>200}")).collect();
    let quotes: Vec<String> = (0..64).map(|n| format!("{n}{}", "\"".repeat(200))).collect();
    let received = |count: usize, cells: usize| vec![vec!["cell".to_owned(); cells]; count];
    let one = ["more".to_owned()];
    for table in lists_that_grow(folder.path()) {
        // Vectors have no text.
        let typed = table.name().ends_with("arrows");
        for ending in ENDINGS.into_iter().skip(if typed { 3 } else { 0 }) {
            let look =
                |prepare: &dyn Fn(&Destination) -> Result<(), DataError>,
                 write: &dyn Fn(&Destination) -> Result<(), DataError>| {
                    let prepare = |to: &Destination| to.prepare(&table).and_then(|()| prepare(to));
                    held_and_taken(folder.path(), ending, &prepare, write)
                };
            let own = |row: usize| Some(format!("{row:032x}"));
            let labels: Vec<(usize, &str)> = (0..table.rows()).map(|row| (row, "label")).collect();
            let union = |count: usize, sent: &[String]| {
                let text = 4 * (1 + sent.len() as u64);
                look(&|to| to.prepare_union(&table, &spec, sent, count as u64, text), &|to| {
                    to.write_union(&table, &spec, sent, &received(count, 1 + sent.len()))
                })
            };
            let taken = [
                look(&|_| Ok(()), &|to| to.write_rows(&table, 0..table.rows())),
                look(&|to| to.prepare_aligned(&table, 900), &|to| {
                    to.write_aligned(&table, &own, (0..900).map(|row| format!("{row:032x}")))
                }),
                union(900, &[]),
                union(20, &sent),
                union(1, &quotes),
                look(&|to| to.prepare_labelled(&table, LABEL_COLUMN, 5), &|to| {
                    to.write_labelled(&table, LABEL_COLUMN, &labels)
                }),
                look(&|to| to.prepare_joined(&table, &joined(&table, &one), 5, 15), &|to| {
                    let rows = 0..table.rows();
                    let matches = |row| copies(row % 6, &["abc".to_owned()]);
                    to.write_joined(&table, &joined(&table, &one), rows, &matches)
                }),
            ];
            for (what, (held, taken)) in taken.into_iter().enumerate() {
                assert!(taken <= held, "{} {what} {ending}: {taken} > {held}", table.name());
            }
        }
    }
}

#[test]
fn keys_that_become_longer_texts_have_their_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes: Vec<u8> = noise(600_000).map(|bits| bits as u8).collect();
    let keys = BinaryArray::from_iter_values(bytes.chunks(200));
    let batch = RecordBatch::try_from_iter([("id", Arc::new(keys) as ArrayRef)]);
    let from = folder.path().join("t.arrows");
    let batch = batch.expect("a column");
    let file = fs::File::create(&from).expect("a file");
    let mut writer = StreamWriter::try_new(file, &batch.schema()).expect("a stream");
    writer.write(&batch).and_then(|()| writer.finish()).expect("a stream");
    let table = Table::read(&Source::File(from), None).expect("a table");
    let spec: KeySpec = "id".parse().expect("a key");
    for ending in ENDINGS {
        let prepare = |to: &Destination| {
            to.prepare(&table).and_then(|()| to.prepare_union(&table, &spec, &[], 1, 9))
        };
        let write =
            |to: &Destination| to.write_union(&table, &spec, &[], &[vec!["another".to_owned()]]);
        let (held, taken) = held_and_taken(folder.path(), ending, &prepare, &write);
        assert!(taken <= held, "{ending}: {taken} > {held}");
    }
}

#[test]
fn the_greatest_values_have_their_room() {
    let after = |first: &[u8], n: usize| -> Vec<u8> {
        let digits = noise(400_000 + n).skip(n).map(|bits| b'a' + (bits % 26) as u8);
        first.iter().copied().chain(digits).collect()
    };
    let bytes: Vec<Vec<u8>> = (0..4).map(|n| after(&[0xff; 64], n)).collect();
    let texts: Vec<Vec<u8>> = (0..4).map(|n| after(&[0x7f; 64], n)).collect();
    let texts = texts.iter().map(|text| Some(str::from_utf8(text).expect("text")));
    let texts: StringArray = texts.collect();
    let long = FixedSizeBinaryArray::try_from_iter(bytes.iter()).expect("of one length");
    let keys = Int32Array::from_iter_values(0..4);
    let named = DictionaryArray::<Int32Type>::new(keys.clone(), Arc::new(texts.clone()));
    let zone = "z".repeat(50_000);
    let times = TimestampSecondArray::from_iter_values(0..4).with_timezone(zone);
    let times = DictionaryArray::<Int32Type>::new(keys, Arc::new(times));
    let columns: [(&str, ArrayRef); 5] = [
        ("bytes", Arc::new(BinaryArray::from_iter_values(&bytes))),
        ("texts", Arc::new(texts)),
        ("bytes of one length", Arc::new(long)),
        ("categories", Arc::new(named)),
        ("times of a dictionary", Arc::new(times)),
    ];
    for (what, column) in columns {
        let batch = RecordBatch::try_from_iter([("c", column)]).expect("a column");
        for (held, taken) in of_stream(&batch, 1, &["parquet"]) {
            assert!(taken <= held, "{what}: {taken} > {held}");
        }
    }
}

#[test]
fn columns_of_small_values_hold_little_more_than_there_is() {
    const ROWS: usize = 20_000;
    let bytes: ArrayRef = Arc::new(Int8Array::from_iter_values(noise(ROWS).map(|n| n as i8)));
    let marks: ArrayRef = Arc::new(noise(ROWS).map(|n| Some(n % 2 == 0)).collect::<BooleanArray>());
    // The more columns have no dictionaries.
    for (array, most, columns) in [(&bytes, 8, 30), (&bytes, 8, 450), (&marks, 4, 30)] {
        let named = (0..columns).map(|n| (format!("c{n}"), Arc::clone(array)));
        let batch = RecordBatch::try_from_iter(named).expect("columns");
        for (held, taken) in of_stream(&batch, ROWS, &["parquet"]) {
            let most = (most * ROWS as u64 + 10_000) * columns;
            assert!(taken <= held && held < most, "{taken} {held} {most}");
        }
    }
}

#[test]
fn shares_have_their_room() {
    let folder = tempfile::tempdir().expect("a folder");
    for rows in [0, 1, 9000] {
        for encoding in [ShareEncoding::Additive, ShareEncoding::Xor] {
            let shares = ShareTable {
                columns: vec![ShareColumn { name: "amount".to_owned(), scale: Some(2) }],
                words: vec![u128::MAX; 2 * rows].into(),
                encoding,
                source_row: Some(vec![Some(u64::MAX); rows]),
            };
            for ending in ENDINGS {
                let prepare = |to: &Destination| to.prepare_shares(["amount"], rows as u64);
                let write = |to: &Destination| to.write_shares(&shares);
                let (held, taken) = held_and_taken(folder.path(), ending, &prepare, &write);
                assert!(taken <= held, "{rows} {ending}: {taken} > {held}");
            }
        }
    }
}
