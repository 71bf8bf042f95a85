//! Files as people have them, and what is said of those that are not read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use veilset_data::{DataError, KeySet, Scratch, Source, Table, WarningCode, check};
use zip::write::SimpleFileOptions;

const CSV: &str = "k,n\na,1\nb,2\n";

fn given(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs").join(name)
}

fn read(path: &Path) -> Result<Table, DataError> {
    Table::read(&Source::File(path.to_owned()), None)
}

fn refusal(path: &Path) -> String {
    read(path).err().expect("refused").to_string()
}

fn texts(table: &Table) -> Vec<Vec<String>> {
    let columns: Vec<usize> = (0..table.header().len()).collect();
    let mut rows = vec![table.header().to_vec()];
    let visited = table.for_each_row(&columns, |_, fields| {
        rows.push(columns.iter().map(|column| fields.get(*column).into_owned()).collect());
    });
    visited.expect("text");
    rows
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).expect("to memory");
    out.finish().expect("to memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("to memory")
}

fn put(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("writable");
    path
}

#[test]
fn what_is_compressed_is_read_as_what_it_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let ndjson = "{\"k\":\"a\",\"n\":1}\n{\"k\":\"b\",\"n\":2}\n";
    let tabs = CSV.replace(',', "\t");
    let parquet = fs::read(given("../typed/values.parquet")).expect("there");
    let plain = texts(&Table::parse("t".to_owned(), CSV.into(), b',').expect("CSV"));
    for (name, text) in [("a.csv", CSV), ("a.ndjson", ndjson), ("a.tsv", tabs.as_str())] {
        for (end, packed) in [
            ("gz", gzip(text.as_bytes())),
            ("ZST", zstd(text.as_bytes())),
            // Two, end to end; and a name that says nothing.
            ("gz", [gzip(&text.as_bytes()[..5]), gzip(&text.as_bytes()[5..])].concat()),
            ("zst", [zstd(&text.as_bytes()[..5]), zstd(&text.as_bytes()[5..])].concat()),
        ] {
            let path = put(&folder, &format!("{name}.{end}"), &packed);
            assert_eq!(texts(&read(&path).expect("a table")), plain, "{name}.{end}");
        }
    }
    let unnamed = put(&folder, "list", &gzip(CSV.as_bytes()));
    assert_eq!(texts(&read(&unnamed).expect("a table")), plain);
    let typed = put(&folder, "v.parquet.gz", &gzip(&parquet));
    let expected = texts(&read(&given("../typed/values.parquet")).expect("a table"));
    assert_eq!(texts(&read(&typed).expect("a table")), expected);
}

#[test]
fn what_is_compressed_lies_on_disk_where_it_is_too_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..200_000).map(|n| format!("key{n},{}\n", n % 10)).collect();
    let text = format!("k,n\n{rows}");
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(20 << 20));
    for (name, packed) in
        [("l.csv.gz", gzip(text.as_bytes())), ("l.csv.zst", zstd(text.as_bytes()))]
    {
        let source = Source::File(put(&folder, name, &packed));
        assert!(packed.len() < 1 << 20 && text.len() > 2 << 20);
        assert_eq!(scratch.need(&source).expect("a file"), None, "its size is not known");
        let table = Table::read_within(&source, None, &scratch).expect("room on disk");
        assert!(table.memory() < text.len() as u64, "the rows' places alone");
        let memory = Table::read(&source, None).expect("a table");
        assert_eq!(texts(&table), texts(&memory));
    }
}

#[test]
fn what_is_compressed_and_damaged_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, packed) in [("a.csv.gz", gzip(CSV.as_bytes())), ("a.csv.zst", zstd(CSV.as_bytes()))]
    {
        for cut in [&packed[..packed.len() - 1], &packed[..packed.len() / 2]] {
            let path = put(&folder, name, cut);
            assert!(matches!(read(&path), Err(DataError::Damaged { .. })), "{name}");
        }
        let twice = put(&folder, name, &gzip(&packed));
        assert!(matches!(read(&twice), Err(DataError::PackedTwice { .. })));
    }
    let path = put(&folder, "bad.csv.gz", &gzip(b"a,b\n1,2,3\n"));
    assert!(refusal(&path).contains("bad.csv.gz, line 2: the number of fields is 3"));
}

#[test]
fn a_window_that_is_too_long_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("to memory");
    encoder.window_log(28).expect("a length");
    encoder.write_all(CSV.as_bytes()).expect("to memory");
    let source = Source::File(put(&folder, "a.csv.zst", &encoder.finish().expect("to memory")));
    let read = |memory: Option<u64>| {
        Table::read_within(&source, None, &Scratch::new(Some(folder.path().to_owned()), memory))
    };
    for memory in [None, Some(100 << 20)] {
        let error = read(memory).err().expect("refused").to_string();
        assert!(error.contains("window") && error.contains("--max-memory"), "{error}");
    }
    assert_eq!(read(Some(1 << 30)).expect("room").rows(), 2);
}

#[test]
fn tabs_part_the_fields_of_tsv_unless_something_else_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = put(&folder, "a.tsv", b"k\tn,m\na,b\t1\n");
    let source = Source::File(path);
    assert_eq!(texts(&Table::read(&source, None).expect("tabs")), [["k", "n,m"], ["a,b", "1"]]);
    let commas = texts(&Table::read(&source, Some(b',')).expect("commas"));
    assert_eq!(commas, [["k\tn", "m"], ["a", "b\t1"]]);
}

#[test]
fn a_workbook_is_the_csv_of_its_sheet() {
    let mut oracle = csv::Reader::from_path(given("one.csv")).expect("there");
    let mut expected: Vec<Vec<String>> =
        vec![oracle.headers().expect("there").iter().map(str::to_owned).collect()];
    let rows = oracle.records().map(|row| row.expect("CSV").iter().map(str::to_owned).collect());
    expected.extend(rows.collect::<Vec<_>>());
    let table = read(&given("one.xlsx")).expect("a sheet");
    assert_eq!(texts(&table), expected);
    assert_eq!(texts(&read(&given("one.xlsx#Sheet")).expect("a sheet")), expected);
    assert_eq!(texts(&read(&given("shared.xlsx")).expect("a sheet")), expected);
    assert_eq!(texts(&read(&given("several.xlsx#Customers")).expect("a sheet")), expected);
    assert_eq!(texts(&read(&given("one.xlsx#Hidden")).expect("a sheet")), [["not asked for"]]);
    let mut written = Vec::new();
    table.write_rows(&mut written, 0..table.rows()).expect("to memory");
    assert_eq!(written, fs::read(given("one.csv")).expect("there"));

    let folder = tempfile::tempdir().expect("a folder");
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(0));
    let spilled = Table::read_within(&Source::File(given("one.xlsx")), None, &scratch);
    assert_eq!(texts(&spilled.expect("room on disk")), expected);
}

#[test]
fn a_workbook_says_which_sheets_it_has() {
    for (name, part) in [
        ("several.xlsx", "has several sheets with rows: \"Notes\", \"Customers\"; name one"),
        ("one.xlsx#customers", "has no sheet \"customers\", but \"Sheet\", \"Empty\", \"Hidden\""),
        ("one.xlsx#Empty", "is empty"),
        ("beside.xlsx", "beside.xlsx, line 2: a cell lies outside of the header's columns"),
    ] {
        let error = refusal(&given(name));
        assert!(error.contains(part), "{name}: {error}");
    }
}

#[test]
fn damaged_workbooks_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let honest = fs::read(given("shared.xlsx")).expect("there");
    for at in (4..honest.len()).step_by(7) {
        let mut bytes = honest.clone();
        bytes[at] ^= 0x55;
        if let Err(error) = read(&put(&folder, "bad.xlsx", &bytes)) {
            assert!(error.to_string().contains("bad.xlsx"), "{error}");
        }
        let cut = put(&folder, "bad.xlsx", &honest[..at]);
        assert!(matches!(read(&cut), Err(DataError::Damaged { .. })), "{at}");
    }
}

#[test]
fn a_workbook_reserves_nothing_that_it_only_claims() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut archive = zip::ZipArchive::new(fs::File::open(given("shared.xlsx")).expect("there"));
    let archive = archive.as_mut().expect("an archive");
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).expect("a part");
        let name = part.name().expect("a name").into_owned();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut part, &mut text).expect("text");
        let text = text.replace("uniqueCount=\"", "uniqueCount=\"999999999999");
        out.start_file(name, SimpleFileOptions::default()).expect("to memory");
        out.write_all(text.as_bytes()).expect("to memory");
    }
    let bytes = out.finish().expect("to memory").into_inner();
    let path = put(&folder, "claims.xlsx", &bytes);
    assert!(matches!(read(&path), Err(DataError::Damaged { .. })));
}

/// The least parts of a workbook: one sheet, whose rows are `rows`.
fn parts(rows: &str) -> Vec<(&'static str, String)> {
    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let related = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{KIND}/{kind}\" Target=\"{target}\"/>")
    };
    let all = |related: String| format!("<Relationships>{related}</Relationships>");
    let sheet = "<sheet name=\"S\" r:id=\"r1\"/>";
    vec![
        ("_rels/.rels", all(related("r1", "officeDocument", "xl/workbook.xml"))),
        ("xl/_rels/workbook.xml.rels", all(related("r1", "worksheet", "worksheets/sheet1.xml"))),
        ("xl/workbook.xml", format!("<workbook><sheets>{sheet}</sheets></workbook>")),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ]
}

fn zipped(parts: &[(&str, String)]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        out.start_file(*name, SimpleFileOptions::default()).expect("to memory");
        out.write_all(text.as_bytes()).expect("to memory");
    }
    out.finish().expect("to memory").into_inner()
}

/// What becomes of a workbook where a list may take 20 MB of memory.
fn read_workbook(parts: &[(&str, String)]) -> Result<Table, DataError> {
    read_zip(&zipped(parts))
}

fn read_zip(bytes: &[u8]) -> Result<Table, DataError> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Source::File(put(&folder, "book.xlsx", bytes));
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(36 << 20));
    Table::read_within(&source, None, &scratch)
}

/// A row whose cells hold these texts.
fn row(texts: &[&str]) -> String {
    let cell = |text: &&str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    format!("<row>{}</row>", texts.iter().map(cell).collect::<String>())
}

#[test]
fn a_workbook_of_the_least_parts_is_read() {
    let table = read_workbook(&parts(&(row(&["k", "n"]) + &row(&["a", "&lt;"])))).expect("a sheet");
    assert_eq!(texts(&table), [["k", "n"], ["a", "<"]]);
}

#[test]
fn a_workbook_reserves_nothing_for_texts_that_it_hides() {
    let claim = "<sst uniqueCount=\"99999999999999\"></sst>";
    for before in ["<!-- uniqueCount=\"1\" -->".to_owned(), format!("<!--{}-->", " ".repeat(5000))]
    {
        let mut parts = parts(&row(&["k"]));
        parts.push(("xl/sharedStrings.xml", before + claim));
        assert!(matches!(read_workbook(&parts), Err(DataError::Damaged { .. })));
    }
}

#[test]
fn a_cell_is_held_in_memory_no_longer_than_any_can_be() {
    const LONG: usize = 5 << 20;
    let spaces = " ".repeat(LONG);
    for rows in [
        row(&["k", &"x".repeat(LONG)]),
        row(&["k", &"&amp;".repeat(LONG / 5)]),
        format!("{}{spaces}", row(&["k"])),
        format!("<!--{spaces}-->{}", row(&["k"])),
        format!("<row r=\"1{spaces}\"></row>"),
        format!("{}{}", "<a>".repeat(200), "</a>".repeat(200)),
        "<row><c><v></c><x></v>".to_owned(),
    ] {
        assert!(matches!(read_workbook(&parts(&rows)), Err(DataError::Damaged { .. })));
    }
    // All rows together may be longer.
    let rows = row(&["k"]) + &row(&["x".repeat(9999).as_str()]).repeat(LONG / 9999 + 1);
    assert_eq!(read_workbook(&parts(&rows)).expect("a sheet").rows(), LONG / 9999 + 1);
}

#[test]
fn no_part_of_a_workbook_is_taken_for_another() {
    let honest = parts(&row(&["k"]));
    for (index, from, to) in [
        (0, "xl/workbook.xml", "xl/worksheets/workbook.xml"),
        (1, "worksheets/sheet1.xml", "worksheets/sheet2.xml"),
        (2, "</sheets>", "<sheet name=\"T\" r:id=\"r1\"/></sheets>"),
    ] {
        let mut parts = honest.clone();
        parts[index].1 = parts[index].1.replace(from, to);
        assert_ne!(parts[index].1, honest[index].1);
        assert!(matches!(read_workbook(&parts), Err(DataError::Damaged { .. })), "{to}");
    }
}

#[test]
fn a_workbook_takes_no_more_memory_than_it_may() {
    let code = "0".repeat(1 << 20);
    let formats = format!("<numFmts><numFmt numFmtId=\"200\" formatCode=\"{code}\"/></numFmts>");
    let styles = "<xf numFmtId=\"200\"/>".repeat(99);
    let text = "<si><t>x</t></si>";
    for (name, part) in [
        (
            "xl/sharedStrings.xml",
            format!("<sst>{}</sst>", (" ".repeat(1 << 20) + "<si/>").repeat(30)),
        ),
        ("xl/sharedStrings.xml", format!("<sst>{}</sst>", text.repeat(1 << 18))),
        ("xl/styles.xml", format!("<styleSheet>{formats}<cellXfs>{styles}</cellXfs></styleSheet>")),
    ] {
        let mut parts = parts(&row(&["k"]));
        parts.push((name, part));
        assert!(matches!(read_workbook(&parts), Err(DataError::TooLarge { .. })), "{name}");
    }
}

#[test]
fn a_row_of_one_text_again_and_again_is_refused() {
    let cells = "<c t=\"s\"><v>0</v></c>".repeat(20);
    let mut parts = parts(&format!("<row>{cells}</row>"));
    let text = "x".repeat(1 << 20);
    parts.push(("xl/sharedStrings.xml", format!("<sst><si><t>{text}</t></si></sst>")));
    assert!(matches!(read_workbook(&parts), Err(DataError::TooLarge { .. })));
}

#[test]
fn parts_of_an_archive_do_not_share_their_bytes() {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts(&row(&["k"])) {
        archive.start_file(name, SimpleFileOptions::default()).expect("to memory");
        archive.write_all(text.as_bytes()).expect("to memory");
    }
    archive.shallow_copy_file("xl/worksheets/sheet1.xml", "xl/sheet2.xml").expect("to memory");
    let bytes = archive.finish().expect("to memory").into_inner();
    assert!(matches!(read_zip(&bytes), Err(DataError::Damaged { .. })));
}

#[test]
fn long_numbers_of_a_workbook_stay_apart_or_say_that_they_may_not() {
    let numbers = [
        ("123456789012345", "123456789012345"),
        ("1234567890123451", "1234567890123451"),
        ("1234567890123452", "1234567890123452"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740993", "9.007199254740992E+15"),
        ("12345678901234567", "1.2345678901234568E+16"),
        ("123456789012345678", "1.2345678901234568E+17"),
        ("0.30000000000000004", "0.3"),
        ("1e-7", "0.0000001"),
    ];
    let cell = |number: &str| format!("<row><c><v>{number}</v></c></row>");
    let rows: String = numbers.iter().map(|(number, _)| cell(number)).collect();
    let table = read_workbook(&parts(&(row(&["id"]) + &rows))).expect("a sheet");
    let expected: Vec<_> = numbers.iter().map(|(_, text)| [*text]).collect();
    assert_eq!(texts(&table)[1..], expected);
    let report = check(&table, &"id".parse().expect("a key"), &[]).expect("a column");
    let rounded = report.suspicious.iter().find(|found| found.code == WarningCode::RoundedNumbers);
    assert_eq!(rounded.map(|found| found.rows), Some(3));
}

#[test]
fn formats_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = put(&folder, "a.zip", b"PK\x03\x04rest");
    assert!(matches!(read(&archive), Err(DataError::Damaged { .. })));
    for (path, part) in [
        (given("list.orc"), "is ORC, not CSV; write it as Parquet, Arrow or CSV"),
        (given("list.pkl"), "is a pickle of Python, not CSV; write it as Parquet, Arrow or CSV"),
        (
            given("list.csv.bz2"),
            "is compressed (bzip2), not CSV; unpack it, or compress it with gzip",
        ),
        (given("list.csv.xz"), "is compressed (xz), not CSV; unpack it"),
        (
            given("records.json"),
            "is one JSON array; write one object a line: in pandas with to_json",
        ),
        (given("default.json"), "is one JSON object with all rows in it; write one object a line"),
        (put(&folder, "a.csv", b"[ {\"k\": 1}]"), "is one JSON array"),
        (put(&folder, "a.ndjson", b"\n[\n{\"k\": 1}]"), "is one JSON array"),
    ] {
        let error = refusal(&path);
        assert!(error.contains(part), "{error}");
    }
    for text in ["ORCID,n\na,1\n", "BZh,n\na,1\n", "[k],n\na,1\n"] {
        let table = read(&put(&folder, "fine.csv", text.as_bytes())).expect("CSV");
        assert_eq!(table.rows(), 1, "{text}");
    }
}

#[test]
fn brotli_is_a_compression_of_parquet() {
    let table = read(&given("brotli.parquet")).expect("a table");
    assert_eq!(texts(&table), [["k", "n"], ["a", "1"], ["b", "2"]]);
}

#[test]
fn dates_of_pandas_are_dates_and_other_times_are_none() {
    let table = read(&given("dates.parquet")).expect("a table");
    let keys = KeySet::build(&table, &"day:date".parse().expect("a key")).expect("keys");
    let plain = Table::parse("t".to_owned(), b"day\n2024-02-29\n".to_vec(), b',').expect("CSV");
    let expected = KeySet::build(&plain, &"day:date".parse().expect("a key")).expect("keys");
    assert_eq!(keys.digests(), expected.digests());
    assert_eq!((keys.invalid_rows(), keys.null_rows()), (1, 1));
}

#[test]
fn a_return_alone_ends_lines_only_where_it_ends_the_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = put(&folder, "old.csv", b"k,n\ra,1\r\rb,2\r");
    let plain = texts(&Table::parse("t".to_owned(), CSV.into(), b',').expect("CSV"));
    assert_eq!(texts(&read(&old).expect("lines end with CR")), plain);
    let doubled = put(&folder, "doubled.csv", b"k,n\r\na,1\r\r\nb,2\r\r\n");
    assert_eq!(texts(&read(&doubled).expect("lines end with LF")), plain);
    let quoted = put(&folder, "quoted.csv", b"k\n\"1\r2\"\n");
    assert_eq!(texts(&read(&quoted).expect("a field")), [["k"], ["1\r2"]]);
    for (text, line) in [("k\n1\r2\n", 2), ("k\r\n0\r\n1\r2\r\n", 3), ("k,n\n\"x\ny\",1\ra,2\n", 3)]
    {
        let path = put(&folder, "alone.csv", text.as_bytes());
        let error = refusal(&path);
        let part = format!("alone.csv, line {line}: a carriage return (CR) alone");
        assert!(error.contains(&part), "{text:?}: {error}");
        let scratch = Scratch::new(Some(folder.path().to_owned()), Some(0));
        let spilled = Table::read_within(&Source::File(path), None, &scratch);
        assert_eq!(spilled.err().expect("refused").to_string(), error);
    }
}

#[test]
fn a_record_that_is_too_long_for_a_list_on_disk_says_so() {
    const LONG: usize = 70 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let scratch = Scratch::new(Some(folder.path().to_owned()), Some(0));
    for (name, before, after) in [
        ("quoted.csv", "k\n1\n\"", "\"\n"),
        ("plain.csv", "k\n1\n", "\n"),
        ("line.ndjson", "{\"k\":0}\n{\"k\":\"", "\"}\n"),
    ] {
        let path = put(&folder, name, format!("{before}{}{after}", "x".repeat(LONG)).as_bytes());
        let source = Source::File(path);
        let error =
            Table::read_within(&source, None, &scratch).err().expect("too long").to_string();
        assert!(error.contains("goes on for more than 64 MiB"), "{error}");
        let line = if name == "line.ndjson" { 2 } else { 3 };
        assert!(error.contains(&format!("{name}, line {line}")), "{error}");
        assert_eq!(Table::read(&source, None).expect("in memory").rows(), 2);
    }
}
