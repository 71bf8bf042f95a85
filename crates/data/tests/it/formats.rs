//! From every format to every format, and files that belong together.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use serde_json::{Value, json};
use veilset_data::{DataError, Format, KeySet, LABEL_COLUMN, Scratch, Table, check};

use crate::support::{file, path, read, texts, to};

const NDJSON: &str = "{\"id\": 7, \"name\":\"a \\\"b\\\"\", \"tags\":[1, {\"x\":null}]}\r\n\n \
                      {\"name\":null,\"id\":1.50,\"new\":true}\n{}";

fn ndjson() -> Table {
    Table::parse_ndjson("t.ndjson".to_owned(), NDJSON.into()).expect("objects")
}

fn csv() -> Table {
    let text = b"\"id\";name;tags\r\n007;\"a \"\"b\"\"\";\r\n8;;\"x;y\"\r\n".to_vec();
    Table::parse("t.csv".to_owned(), text, b';').expect("CSV")
}

fn typed() -> Table {
    let ids = Int64Array::from(vec![Some(7), None, Some(-1)]);
    let names = StringArray::from(vec![Some("a \"b\""), Some(""), None]);
    let columns: [(&str, ArrayRef); 2] = [("id", Arc::new(ids)), ("name", Arc::new(names))];
    let batch = RecordBatch::try_from_iter(columns).expect("of one length");
    Table::from_batches("t".to_owned(), batch.schema(), vec![batch]).expect("a table")
}

#[test]
fn ndjson_has_the_members_as_columns() {
    let table = ndjson();
    assert_eq!(table.header(), ["id", "name", "tags", "new"]);
    assert_eq!(
        texts(&table),
        [["7", "a \"b\"", "[1, {\"x\":null}]", ""], ["1.50", "", "", "true"], ["", "", "", ""]]
    );
    let report = check(&table, &"id".parse().expect("a key"), &[]).expect("a column");
    assert_eq!((report.rows, report.distinct, report.empty), (3, 2, 1));
    let nested = KeySet::build(&table, &"tags".parse().expect("a key")).err().expect("refused");
    assert!(
        nested.to_string().contains("line 1, column 3 (\"tags\"): a JSON object or array"),
        "{nested}"
    );
}

#[test]
fn bad_lines_are_refused_with_their_place_and_without_their_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "bad.jsonl");
    for (text, part) in [
        ("", "is empty"),
        ("{\"a\":1}\n[\"secret\"]\n", "line 2, byte 0: a JSON object is needed"),
        ("\n5\n", "line 2, byte 1: a JSON object is needed"),
        ("\"secret\"", "line 1, byte 8: a JSON object is needed"),
        ("{\"a\":\"secret", "line 1, byte 12: the line ends inside"),
        ("{\"a\":\n1}", "line 1, byte 5: the line ends inside"),
        ("{\"a\":1}\n{\"a\":secret}", "line 2, byte 6: this is not JSON"),
        ("{\"a\":1} {\"secret\":2}", "line 1, byte 9: this is not JSON"),
        ("{\"a\":1,\"a\":\"secret\"}", "byte 20: two members of the object have the same name"),
        ("{\"a\":\"secret\\ud800\"}", "byte 20: an escape in a string stands for no character"),
        ("{\"a\":\"secret\0\"}", "line 1: a zero byte"),
        ("{\"a\":1}\n{\"secret", "line 2"),
    ] {
        fs::write(&path, text).expect("writable");
        let error = Table::read(&file(&path), None).err().expect("refused").to_string();
        assert!(error.contains(part) && error.contains("bad.jsonl"), "{text:?}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn text_stays_byte_for_byte_in_its_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let (lines, sheet) = (path(&folder, "o.ndjson"), path(&folder, "o.csv"));
    to(&lines).write_rows(&ndjson(), [0, 2].into_iter()).expect("writable");
    let first = NDJSON.lines().next().expect("a line");
    assert_eq!(fs::read_to_string(&lines).expect("written"), format!("{first}\n{{}}\n"));
    to(&sheet).write_rows(&csv(), [1].into_iter()).expect("writable");
    assert_eq!(fs::read_to_string(&sheet).expect("written"), "\"id\";name;tags\r\n8;;\"x;y\"\r\n");
}

#[test]
fn every_table_survives_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for table in [csv(), ndjson(), typed()] {
        for name in ["o.csv", "o.ndjson", "o.parquet", "o.arrow", "o.arrows"] {
            let path = path(&folder, name);
            to(&path).prepare(&table).expect("it has text");
            to(&path).write_rows(&table, 0..table.rows()).expect("writable");
            let again = if name == "o.csv" && table.name() == "t.csv" {
                Table::read(&file(&path), Some(b';')).expect("a table")
            } else {
                read(&path)
            };
            assert_eq!(texts(&again), texts(&table), "{} to {name}", table.name());
            let kept = matches!(Format::of_name(&path), Some(Format::Csv | Format::Ndjson));
            let kind = again.schema().field(0).data_type().clone();
            let expected =
                if kept || table.name() != "t" { DataType::Utf8 } else { DataType::Int64 };
            assert_eq!(kind, expected, "{} to {name}", table.name());
        }
    }
}

#[test]
fn values_become_those_of_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = path(&folder, "o.jsonl");
    to(&path).write_rows(&typed(), 0..3).expect("writable");
    let text = fs::read_to_string(path).expect("written");
    let rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let expected = [
        json!({ "id": 7, "name": "a \"b\"" }),
        json!({ "id": null, "name": "" }),
        json!({ "id": -1, "name": null }),
    ];
    assert_eq!(rows, expected);
}

/// The texts of `result` in the columns of `table`, then in `added`: NDJSON has its columns in the order in which they
/// turn up.
fn by_name(result: &Table, table: &Table, added: &str) -> Vec<Vec<String>> {
    let place = |name: &String| result.header().iter().position(|other| other == name);
    let names = table.header().iter().cloned().chain([added.to_owned()]);
    let places: Vec<usize> = names.map(|name| place(&name).expect("a column")).collect();
    let cells = |row: &Vec<String>| places.iter().map(|place| row[*place].clone()).collect();
    texts(result).iter().map(cells).collect()
}

#[test]
fn an_alignment_and_a_union_go_to_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = "id".parse().expect("a key");
    let extra = ["name".to_owned(), "x".to_owned()];
    let received = [vec!["abc".to_owned(), String::new(), "9".to_owned()]];
    for table in [typed(), ndjson()] {
        let width = table.header().len();
        for name in ["o.csv", "o.ndjson", "o.parquet", "o.arrow", "o.arrows"] {
            let path = path(&folder, name);
            let ids = |row: usize| (row != 1).then(|| format!("id{row}"));
            let others = ["p".to_owned()].into_iter();
            to(&path).write_aligned(&table, &ids, others).expect("writable");
            let again = by_name(&read(&path), &table, "veilset_id");
            let of_row = |row: usize| texts(&table)[row].clone();
            let with = |row: Vec<String>, last: &str| [row, vec![last.to_owned()]].concat();
            let mut expected =
                vec![with(of_row(0), "id0"), with(of_row(1), ""), with(of_row(2), "id2")];
            expected.push(with(vec![String::new(); width], "p"));
            assert_eq!(again, expected, "{name}");

            to(&path).write_union(&table, &spec, &extra, &received).expect("writable");
            let again = by_name(&read(&path), &table, "x");
            let mut last = vec![String::new(); width + 1];
            (last[0], last[width]) = ("abc".to_owned(), "9".to_owned());
            let mut expected: Vec<_> = (0..3).map(|row| with(of_row(row), "")).collect();
            expected.push(last);
            assert_eq!(again, expected, "{name}");
        }
    }
}

#[test]
fn files_that_belong_together_are_one_table_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(path(&folder, name), text).expect("writable");
    write("b.csv", "k,n\nb1,1\nb2,2\n");
    write("a.csv", "\"k\",n\r\n");
    write("c.csv", "k,n\r\nc1,3\r\n");
    write("_SUCCESS", "");
    write(".hidden", "x");
    for source in
        [file(folder.path()), file(&path(&folder, "*.csv")), file(&path(&folder, "[abc].csv"))]
    {
        let table = Table::read(&source, None).expect("one list");
        assert_eq!(texts(&table), [["b1", "1"], ["b2", "2"], ["c1", "3"]]);
        assert!(matches!(
            to(&path(&folder, "c.csv")).check(&source),
            Err(DataError::OutputIsInput { .. })
        ));
        let mut out = Vec::new();
        table.write_rows(&mut out, [1, 2].into_iter()).expect("to memory");
        assert_eq!(out, b"\"k\",n\r\nb2,2\r\nc1,3\r\n");
        let batches = table.take([0, 2].into_iter()).expect("text");
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
    }
    let report = check(
        &Table::read(&file(folder.path()), None).expect("one"),
        &"k:ip".parse().expect("a key"),
        &[],
    );
    let places: Vec<String> =
        report.expect("a column").invalid.places.iter().map(ToString::to_string).collect();
    let place = |name: &str, line| format!("{}, line {line}", path(&folder, name).display());
    assert_eq!(places, [place("b.csv", 2), place("b.csv", 3), place("c.csv", 2)]);

    for (text, part) in [
        ("k,m\nx,1\n", "d.csv differs from"),
        ("k,m\nx,1\n", "column 2 is \"m\" instead of \"n\""),
        ("k\nx\n", "1 columns instead of 2"),
    ] {
        write("d.csv", text);
        let error = Table::read(&file(folder.path()), None).err().expect("refused").to_string();
        assert!(error.contains(part), "{error}");
    }
    fs::remove_file(path(&folder, "d.csv")).expect("there");
    write("d.ndjson", "{\"k\":\"x\",\"n\":1}\n");
    let error = Table::read(&file(folder.path()), None).err().expect("refused").to_string();
    assert!(error.contains("CSV in one and NDJSON in the other"), "{error}");
    let none = Table::read(&file(&path(&folder, "*.parquet")), None).err().expect("refused");
    assert!(matches!(none, DataError::NoFiles { .. }));
}

#[test]
fn parts_of_ndjson_have_the_columns_of_all_and_types_must_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(path(&folder, "1.jsonl"), "{\"a\":1}\n").expect("writable");
    fs::write(path(&folder, "2.jsonl"), "{\"b\":2,\"a\":3}\n").expect("writable");
    let table = read(&path(&folder, "*.jsonl"));
    assert_eq!(
        (table.header(), texts(&table)),
        (
            &["a".to_owned(), "b".to_owned()][..],
            vec![vec!["1".to_owned(), String::new()], vec!["3".to_owned(), "2".to_owned()],]
        )
    );

    let parts = tempfile::tempdir().expect("a folder");
    to(&path(&parts, "1.parquet")).write_rows(&typed(), 0..2).expect("writable");
    to(&path(&parts, "2.arrow")).write_rows(&typed(), 1..3).expect("writable");
    let table = read(parts.path());
    assert_eq!(texts(&table)[1..], [["", ""], ["", ""], ["-1", ""]]);
    let again =
        Table::from_batches("t".into(), table.schema(), table.take(0..4).expect("decodable"));
    assert_eq!(texts(&again.expect("one schema")), texts(&table));
    to(&path(&parts, "3.parquet")).write_rows(&csv(), 0..1).expect("writable");
    let error = Table::read(&file(parts.path()), None).err().expect("refused").to_string();
    assert!(
        error.contains("3.parquet differs from") && error.contains("3 columns instead of 2"),
        "{error}"
    );
}

#[test]
fn damage_is_found_before_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, cut) = (path(&folder, "w.parquet"), path(&folder, "c.parquet"));
    to(&whole).write_rows(&typed(), 0..3).expect("writable");
    let bytes = fs::read(&whole).expect("written");
    fs::write(&cut, &bytes[..bytes.len() - 1]).expect("writable");
    assert!(matches!(Table::read(&file(&cut), None), Err(DataError::Damaged { .. })));
    // The header of the first page of the first column, which is looked at when the file is read, then what it heads.
    let mut spoilt = bytes.clone();
    spoilt[4..24].fill(0xff);
    fs::write(&cut, spoilt).expect("writable");
    assert!(matches!(Table::read(&file(&cut), None), Err(DataError::Damaged { .. })));
    let frame = bytes.windows(4).position(|part| part == b"\x28\xb5\x2f\xfd").expect("Zstandard");
    let mut spoilt = bytes.clone();
    spoilt[frame..frame + 4].fill(0xff);
    fs::write(&cut, spoilt).expect("writable");
    let table = read(&cut);
    assert!(matches!(to(&whole).prepare(&table), Err(DataError::Damaged { .. })));
    fs::write(&cut, b"id,name\n").expect("writable");
    assert!(matches!(Table::read(&file(&cut), None), Err(DataError::OtherFormat { .. })));
    let arrow = path(&folder, "c.arrow");
    fs::write(&arrow, b"ARROW1\0\0secret").expect("writable");
    assert!(matches!(Table::read(&file(&arrow), None), Err(DataError::Damaged { .. })));
}

/// All that a table gives: its header, its fields, its rows as they were, and what is written of every second row.
type Seen = (Vec<String>, Vec<Vec<String>>, Vec<Option<String>>, Vec<u8>);

fn seen(table: &Table) -> Seen {
    let columns: Vec<usize> = (0..table.header().len()).collect();
    let mut fields = Vec::new();
    let read = table.for_each_row(&columns, |_, row| {
        fields.push(columns.iter().map(|column| row.get(*column).into_owned()).collect());
    });
    read.expect("text");
    let mut raw_rows = table.raw_rows();
    let raw = (0..table.rows()).map(|row| raw_rows.get(row).expect("readable").map(str::to_owned));
    let raw = raw.collect();
    let mut written = Vec::new();
    table.write_rows(&mut written, (0..table.rows()).step_by(2)).expect("to memory");
    (table.header().to_vec(), fields, raw, written)
}

/// The table in memory and the one in a temporary file, or their errors, in which places are.
fn both_ways(path: &Path) -> [Result<Seen, String>; 2] {
    let scratch = tempfile::tempdir().expect("a folder");
    let spilled = Scratch::new(Some(scratch.path().to_owned()), Some(0));
    let tables = [Table::read(&file(path), None), Table::read_within(&file(path), None, &spilled)];
    let seen =
        tables.map(|table| table.map(|table| seen(&table)).map_err(|error| error.to_string()));
    assert_eq!(scratch.path().read_dir().expect("a folder").count(), 0);
    seen
}

#[test]
fn long_lists_in_temporary_files_are_what_they_are_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["t.parquet", "t.arrow"] {
        let path = path(&folder, name);
        to(&path).write_rows(&typed(), 0..3).expect("a new file");
        let [memory, spilled] = both_ways(&path);
        assert_eq!(memory.expect("a table"), spilled.expect("a table"));
    }
    let long = "x\u{e9}\"\"\n".repeat(30_000);
    let rows: String = (0..20_000)
        .map(|n| {
            if n == 9_000 {
                format!("{n},\"{long}\"\r\n")
            } else {
                format!("{n},\"{n} \u{e9}\"\r\n\n")
            }
        })
        .collect();
    let objects: String =
        (0..20_000).map(|n| format!("{{\"k\":{n},\"t\":\"\u{e9}\"}}\n\n")).collect();
    for (name, text) in [
        ("long.csv", format!("\u{feff}k,t\r\n{rows}")),
        ("width.csv", format!("k,t\n{rows}1,2,3\n")),
        ("open.csv", format!("k,t\n{rows}1,\"2\n")),
        ("zero.csv", format!("k,t\n{rows}1,\0\n")),
        ("long.ndjson", format!("\u{feff}{objects}{{\"k\":\"{}\"}}", "y".repeat(200_000))),
        ("broken.ndjson", format!("{objects}{{")),
    ] {
        let path = path(&folder, name);
        std::fs::write(&path, text).expect("a new file");
        let [memory, spilled] = both_ways(&path);
        assert!(memory == spilled, "{name}: {:?} {:?}", memory.err(), spilled.err());
        assert_eq!(memory.is_ok(), name.starts_with("long"), "{name}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_the_same_in_memory_and_in_a_temporary_file(
        text in "[a\",\r\n\u{e9}{}:]{0,40}", cut in 0_usize..3, name in proptest::sample::select(vec!["t.csv", "t.ndjson"]),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = path(&folder, name);
        let bytes = text.as_bytes();
        std::fs::write(&path, &bytes[..bytes.len().saturating_sub(cut)]).expect("a new file");
        let [memory, spilled] = both_ways(&path);
        proptest::prop_assert_eq!(memory, spilled);
    }
}

#[test]
fn labels_go_to_every_format_whether_or_not_a_row_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    for table in [csv(), ndjson(), typed()] {
        for name in ["o.csv", "o.ndjson", "o.parquet", "o.arrow", "o.arrows"] {
            let path = path(&folder, name);
            let columns = || match name {
                // Another delimiter, which reading does not know of.
                "o.csv" if table.name() == "t.csv" => {
                    Table::read(&file(&path), Some(b';')).expect("a table")
                }
                _ => read(&path),
            };
            to(&path).prepare(&table).expect("a place");
            let listed = [(0, "a \"label\""), (1, "")];
            to(&path).write_labelled(&table, LABEL_COLUMN, &listed).expect("writable");
            let of_row = |row: usize| texts(&table)[row].clone();
            let with = |row: Vec<String>, last: &str| [row, vec![last.to_owned()]].concat();
            let expected = [with(of_row(0), listed[0].1), with(of_row(1), "")];
            let written = columns();
            if written.header().len() > table.header().len() {
                let seen = by_name(&written, &table, "veilset_label");
                assert_eq!(seen, expected, "{} to {name}", table.name());
            }
            let wide = written.header().to_vec();
            to(&path).write_labelled(&table, LABEL_COLUMN, &[]).expect("writable");
            if name != "o.ndjson" {
                assert_eq!(columns().header(), wide, "{} to {name}", table.name());
            }
        }
    }
}
