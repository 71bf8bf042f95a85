use std::fs::{self, File};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::*;

fn shares(encoding: ShareEncoding) -> ShareTable<'static> {
    let column = |name: &str, scale| ShareColumn { name: name.to_owned(), scale };
    ShareTable {
        columns: vec![column("amount, net", Some(2)), column("n", None)],
        words: vec![1, 2, 3, 0, u128::MAX, 1 << 127].into(),
        encoding,
        source_row: Some(vec![Some(7), Some(1)]),
    }
}

fn written(name: &str, shares: &ShareTable<'_>) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let destination = Destination::file(path.clone(), false);
    destination.write_shares(shares).expect("writable");
    (folder, path)
}

fn csv(shares: &ShareTable<'_>) -> String {
    let (_folder, path) = written("out.csv", shares);
    fs::read_to_string(path).expect("text")
}

#[test]
fn the_name_says_the_format() {
    for (name, format) in [
        ("-", Format::Csv),
        ("x.csv", Format::Csv),
        ("arrow", Format::Csv),
        ("a.arrow", Format::Arrow),
        ("a.ARROW", Format::Arrow),
    ] {
        assert_eq!(Destination::new(name, false).format(), format, "{name}");
    }
}

#[test]
fn text_has_decimal_or_hexadecimal_words() {
    assert_eq!(
        csv(&shares(ShareEncoding::Additive)),
        "position,indicator,\"amount, net\",n,source_row\n0,1,2,3,7\n\
         1,0,340282366920938463463374607431768211455,170141183460469231731687303715884105728,1\n"
    );
    let few = ShareTable {
        columns: vec![],
        words: vec![0xab].into(),
        source_row: None,
        ..shares(ShareEncoding::Xor)
    };
    assert_eq!(csv(&few), "position,indicator\n0,000000000000000000000000000000ab\n");
    assert_eq!(csv(&ShareTable { words: vec![].into(), ..few }), "position,indicator\n");
}

/// Names, words and source rows as another program would read them.
fn read_back(path: &std::path::Path) -> (Vec<String>, Vec<u128>, Vec<u64>) {
    let reader = FileReader::try_new(File::open(path).expect("there"), None).expect("Arrow");
    let fields = reader.schema().fields().clone();
    let names = fields.iter().map(|field| field.name().clone()).collect();
    let (mut words, mut source_rows, mut position) = (Vec::new(), Vec::new(), 0);
    for batch in reader {
        let batch = batch.expect("a batch");
        let is_word = |column: &usize| {
            *batch.schema().field(*column).data_type() == DataType::FixedSizeBinary(16)
        };
        for row in 0..batch.num_rows() {
            assert_eq!(batch.column(0).as_primitive::<UInt64Type>().value(row), position);
            position += 1;
            for column in (0..batch.num_columns()).filter(is_word) {
                let bytes = batch.column(column).as_fixed_size_binary().value(row);
                words.push(u128::from_le_bytes(bytes.try_into().expect("16 bytes")));
            }
            if let Some(source_row) = batch.column_by_name("source_row") {
                source_rows.push(source_row.as_primitive::<UInt64Type>().value(row));
            }
        }
    }
    (names, words, source_rows)
}

#[test]
fn arrow_has_words_and_says_what_they_are() {
    for (encoding, metadata) in [
        (ShareEncoding::Additive, &[("encoding", "additive"), ("modulus", "2^128")][..]),
        (ShareEncoding::Xor, &[("encoding", "xor")]),
    ] {
        let shares = shares(encoding);
        let (_folder, path) = written("out.arrow", &shares);
        let (names, words, source_rows) = read_back(&path);
        assert_eq!(names, ["position", "indicator", "amount, net", "n", "source_row"]);
        let source_rows = source_rows.into_iter().map(Some).collect();
        assert_eq!((words, Some(source_rows)), (shares.words.into_owned(), shares.source_row));
        let reader = FileReader::try_new(File::open(&path).expect("there"), None).expect("Arrow");
        let schema = reader.schema();
        let said = |column: usize| {
            let entries = schema.field(column).metadata().iter();
            let mut entries: Vec<(&str, &str)> =
                entries.map(|(k, v)| (k.as_str(), v.as_str())).collect();
            entries.sort_unstable();
            entries
        };
        assert_eq!((said(0), said(1), said(3)), (vec![], metadata.to_vec(), metadata.to_vec()));
        assert_eq!(said(2), [metadata, &[("scale", "2")]].concat());
    }
}

#[test]
fn many_rows_and_none_are_read_back() {
    for rows in [0, 1, (1 << 16) - 1, 1 << 16, (1 << 17) + 3] {
        let words: Vec<u128> = (0..rows * 3).map(|word| ((word * word) << 64) | word).collect();
        let shares =
            ShareTable { words: words.into(), source_row: None, ..shares(ShareEncoding::Xor) };
        let (_folder, path) = written("out.arrow", &shares);
        let (names, words, source_rows) = read_back(&path);
        assert_eq!((names.len(), source_rows.len()), (4, 0));
        assert_eq!((words.len(), words == *shares.words), (shares.words.len(), true));
    }
}

#[test]
fn names_that_would_be_there_twice_are_refused() {
    for names in [&["position"][..], &["a", "indicator"], &["source_row"], &["a", "b", "a"]] {
        let error = ShareTable::check_names(names.iter().copied()).expect_err("taken").to_string();
        assert!(error.starts_with("the list of value columns has a column "), "{error}");
        assert!(error.contains(&format!("{:?}", names[names.len() - 1])), "{error}");
    }
    ShareTable::check_names(["a", "Position"]).expect("all different");
    let mut shares = shares(ShareEncoding::Xor);
    shares.columns[0].name = "n".to_owned();
    assert!(Destination::Stdout.write_shares(&shares).is_err());
}

/// The words of a file of text: those of one row after those of the one before.
fn words_of_text(path: &std::path::Path, radix: u32) -> Vec<u128> {
    let word = |text: &str| u128::from_str_radix(text, radix).expect("a word");
    let text = fs::read_to_string(path).expect("text");
    let mut words = Vec::new();
    if path.extension().is_some_and(|extension| extension == "csv") {
        for line in text.lines().skip(1) {
            words.extend(line.split(',').skip(1).map(word));
        }
    } else {
        for line in text.lines() {
            let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(object["position"], words.len() / 2);
            words.extend(["indicator", "v"].map(|name| word(object[name].as_str().expect("text"))));
        }
    }
    words
}

/// The words of a Parquet file.
fn words_of_parquet(path: &std::path::Path) -> Vec<u128> {
    let file = File::open(path).expect("there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build();
    let mut words = Vec::new();
    for batch in reader.expect("Parquet") {
        let batch = batch.expect("a batch");
        for row in 0..batch.num_rows() {
            for column in [1, 2] {
                let bytes = batch.column(column).as_fixed_size_binary().value(row);
                words.push(u128::from_le_bytes(bytes.try_into().expect("16 bytes")));
            }
        }
    }
    words
}

/// The words of this side, read from a file of this ending as the docs tell.
fn through(ending: &str, words: &[u128], encoding: ShareEncoding) -> Vec<u128> {
    let shares = ShareTable {
        columns: vec![ShareColumn { name: "v".to_owned(), scale: Some(2) }],
        words: words.to_vec().into(),
        encoding,
        source_row: None,
    };
    let (_folder, path) = written(&format!("out.{ending}"), &shares);
    let radix = if encoding == ShareEncoding::Xor { 16 } else { 10 };
    match ending {
        "csv" | "ndjson" => words_of_text(&path, radix),
        "parquet" => words_of_parquet(&path),
        _ => read_back(&path).1,
    }
}

#[test]
fn two_files_of_any_formats_put_together_are_the_values() {
    // The numbers 12.50, −0.07 and the indicators 1, 0.
    let (values, masks) = ([1, 1250, 0, -7i128], [5u128, u128::MAX - 3, 1 << 100, 42]);
    let pairs = || values.iter().zip(masks);
    let differences = pairs().map(|(value, mask)| (*value as u128).wrapping_sub(mask));
    let additive: Vec<u128> = differences.collect();
    let xor: Vec<u128> = pairs().map(|(value, mask)| *value as u128 ^ mask).collect();
    let together = |a: &u128, b: &u128, encoding| match encoding {
        ShareEncoding::Additive => a.wrapping_add(*b) as i128,
        ShareEncoding::Xor => (a ^ b) as i128,
    };
    const ENDINGS: [&str; 4] = ["csv", "ndjson", "parquet", "arrow"];
    for (other, encoding) in [(additive, ShareEncoding::Additive), (xor, ShareEncoding::Xor)] {
        for (mine, theirs) in ENDINGS.iter().flat_map(|a| ENDINGS.map(|b| (*a, b))) {
            let (mine, theirs) =
                (through(mine, &masks, encoding), through(theirs, &other, encoding));
            let words = mine.iter().zip(&theirs).map(|(a, b)| together(a, b, encoding));
            assert_eq!(words.collect::<Vec<_>>(), values);
        }
    }
}
