//! Values of every type that has a text, against what Python makes of them: see `typed/make.py`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Float16Type;
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, DurationSecondArray, Float16Array, Float64Array, Int64Array,
    RecordBatch, StringArray,
};
use veilset_data::{DataError, Items, KeySet, KeySpec, Source, Table, Values, check};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/typed").join(name)
}

fn read(name: &str) -> Table {
    Table::read(&Source::File(file(name)), None).expect("a table")
}

fn texts(table: &Table) -> Vec<Vec<String>> {
    let columns: Vec<usize> = (0..table.header().len()).collect();
    let mut rows = Vec::new();
    let visited = table.for_each_row(&columns, |row, fields| {
        assert_eq!(row, rows.len());
        rows.push(columns.iter().map(|column| fields.get(*column).into_owned()).collect());
    });
    visited.expect("every column has a text");
    rows
}

fn expected() -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(file("values.csv")).expect("there");
    let rows = reader.records().map(|row| row.expect("CSV").iter().map(str::to_owned).collect());
    rows.collect()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .expect("columns of one length")
}

fn table(batches: Vec<RecordBatch>) -> Result<Table, DataError> {
    Table::from_batches("list".to_owned(), batches[0].schema(), batches)
}

/// Ids and amounts in two batches.
fn amounts() -> Table {
    let part = |ids: Vec<Option<i64>>, amounts: Vec<f64>| {
        let (ids, amounts) = (Int64Array::from(ids), Float64Array::from(amounts));
        batch(vec![("id", Arc::new(ids)), ("amount", Arc::new(amounts))])
    };
    let parts = [
        part(vec![Some(7), None, Some(-2)], vec![0.1, 9.0, 2.5e-7]),
        part(vec![], vec![]),
        part(vec![Some(7)], vec![0.2]),
    ];
    table(parts.to_vec()).expect("a table")
}

#[test]
fn every_type_has_the_text_that_python_gives_it() {
    let (expected, mut header) = (expected(), Vec::new());
    for name in ["values.parquet", "values.arrow", "values.arrows"] {
        let table = read(name);
        assert_eq!(table.rows(), 3);
        assert_eq!(texts(&table), expected, "{name}");
        header = table.header().to_vec();

        let batches = table.take(0..3).expect("decodable");
        let again = Table::from_batches("again".to_owned(), table.schema(), batches);
        assert_eq!(texts(&again.expect("one schema")), expected, "{name}");
    }
    let csv = read("values.csv");
    assert_eq!((csv.header(), texts(&csv)), (&header[..], expected));
}

#[test]
fn keys_values_items_and_the_check_are_those_of_the_same_text() {
    let typed = amounts();
    let csv = "id,amount\n7,0.1\n,9\n-2,0.00000025\n7,0.2\n";
    let csv = Table::parse("list".to_owned(), csv.into(), b',').expect("a table");
    let spec: KeySpec = "id".parse().expect("a key");
    let look = |table: &Table| {
        let keys = KeySet::build(table, &spec).expect("keys");
        let values = Values::build(table, &keys, &["amount".to_owned()]).expect("numbers");
        let items = Items::build(table, &keys, &spec, &["amount".to_owned()]).expect("short");
        let report = check(table, &spec, &[]).expect("a report");
        (
            keys.digests().to_vec(),
            values.words().to_vec(),
            items.bytes().to_vec(),
            report.empty,
            report.distinct,
        )
    };
    assert_eq!(look(&typed), look(&csv));
    assert_eq!(look(&typed).1, [30_000_000, 25]);
}

#[test]
fn the_rows_taken_are_those_asked_for_in_order() {
    let table = amounts();
    for rows in [vec![], vec![0], vec![0, 2, 3], vec![1, 3], vec![0, 1, 2, 3]] {
        let taken = table.take(rows.iter().copied()).expect("in memory");
        let again = Table::from_batches("taken".to_owned(), table.schema(), taken);
        let all = texts(&table);
        let wanted: Vec<_> = rows.iter().map(|row| all[*row].clone()).collect();
        assert_eq!(texts(&again.expect("one schema")), wanted);
    }
    let whole = table.take(0..3).expect("in memory");
    assert_eq!(whole[0].column(0).as_ref(), &Int64Array::from(vec![Some(7), None, Some(-2)]));
}

#[test]
fn a_table_of_text_gives_columns_of_strings() {
    let csv = Table::parse("t".to_owned(), b"a,b\n007,\n8,\"x,y\"\n".to_vec(), b',').expect("CSV");
    let taken = csv.take([0, 1].into_iter()).expect("text");
    let [batch] = taken.as_slice() else { panic!("one batch") };
    assert_eq!(batch.column(0).as_ref(), &StringArray::from(vec!["007", "8"]));
    assert_eq!(batch.column(1).as_ref(), &StringArray::from(vec!["", "x,y"]));
}

#[test]
fn memory_is_that_of_the_buffers() {
    let numbers = Int64Array::from_iter_values(0..1000);
    let table = table(vec![batch(vec![("n", Arc::new(numbers))])]).expect("a table");
    assert_eq!(table.memory(), 8000);
}

#[test]
fn what_is_no_key_is_refused_by_its_type() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_null();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("float", Arc::new(Float64Array::from(vec![1.0]))),
        ("list", Arc::new(lists.finish())),
        ("wait", Arc::new(DurationSecondArray::from(vec![1]))),
    ];
    let table = table(vec![batch(columns)]).expect("a table");
    for (key, part) in [
        ("float", "column \"float\": floating-point numbers cannot be keys"),
        ("list", "column \"list\": List(Utf8) has no text"),
        ("wait", "column \"wait\": Duration(s) has no text"),
    ] {
        let spec: KeySpec = key.parse().expect("a key");
        let error = KeySet::build(&table, &spec).err().expect("refused").to_string();
        assert!(error.contains(part), "{error}");
    }
    let mut out = Vec::new();
    assert!(table.write_rows(&mut out, 0..1).is_err());
    assert_eq!(table.take(0..1).expect("whatever the type").len(), 1);
}

#[test]
fn batches_of_another_schema_are_refused() {
    let one = batch(vec![("a", Arc::new(Int64Array::from(vec![1])))]);
    for other in [
        batch(vec![("b", Arc::new(Int64Array::from(vec![1])))]),
        batch(vec![("a", Arc::new(Float64Array::from(vec![1.0])))]),
    ] {
        assert!(matches!(table(vec![one.clone(), other]), Err(DataError::OtherColumns { .. })));
    }
}

#[test]
fn a_zero_byte_cannot_be_sent() {
    let table = table(vec![batch(vec![("k", Arc::new(StringArray::from(vec!["a", "b\0"])))])]);
    let (table, spec) = (table.expect("a table"), "k".parse::<KeySpec>().expect("a key"));
    let keys = KeySet::build(&table, &spec).expect("keys");
    let error = Items::build(&table, &keys, &spec, &[]).err().expect("refused").to_string();
    assert!(error.starts_with("list, row 2: a cell has a zero byte"), "{error}");
}

#[test]
fn half_floats_have_the_fewest_digits() {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    let numpy = std::fs::read_to_string(file("../inputs/halves.txt")).expect("there");
    let finite = (0..=u16::MAX).map(Half::from_bits).filter(|number| number.is_finite());
    let halves: Float16Array = finite.step_by(61).map(Some).collect();
    let table = table(vec![batch(vec![("h", Arc::new(halves))])]).expect("a table");
    let texts = texts(&table);
    assert_eq!(texts.len(), numpy.lines().count());
    for (row, expected) in texts.iter().zip(numpy.lines()) {
        assert_eq!(row, &[expected]);
    }
}
