use proptest::strategy::Strategy;

use super::*;

fn parse(bytes: &[u8]) -> Result<Table, DataError> {
    Table::parse("t.csv".into(), bytes.to_vec(), b',')
}

fn fields(table: &Table) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let width = table.header().len();
    let columns: Vec<usize> = (0..width).collect();
    let visited = table.for_each_row(&columns, |_, fields| {
        rows.push(columns.iter().map(|column| fields.get(*column).into_owned()).collect());
    });
    visited.expect("text");
    rows
}

fn raw_header(table: &Table) -> &str {
    table.delimited().expect("text").raw_header()
}

fn raw_row(table: &Table, row: usize) -> String {
    table.raw_rows().get(row).expect("readable").expect("text").to_owned()
}

fn line(table: &Table, row: usize) -> u64 {
    let Spot::Line(line) = table.place_of_row(row, None).spot() else { panic!("a line") };
    line
}

#[test]
fn reads_what_the_standard_allows() {
    let table =
        parse(b"\xef\xbb\xbf\"a,1\",\"b\"\"\"\r\n007,\"x\r\ny\"\r\n\r\n,last").expect("valid");
    assert_eq!(table.header(), ["a,1", "b\""]);
    assert_eq!(fields(&table), [["007", "x\r\ny"], ["", "last"]]);
    assert_eq!(raw_header(&table), "\"a,1\",\"b\"\"\"");
    assert_eq!([raw_row(&table, 0), raw_row(&table, 1)], ["007,\"x\r\ny\"", ",last"]);
    assert_eq!((line(&table, 0), line(&table, 1)), (2, 5));
    let line_end = |bytes| parse(bytes).expect("valid").delimited().expect("text").line_end();
    assert_eq!(table.delimited().expect("text").line_end(), "\r\n");
    assert_eq!(line_end(b"a\n1\r\n"), "\n");
    assert_eq!(line_end(b"a\r1"), "\r");
    assert_eq!(line_end(b"a"), "\n");
    let semicolons = Table::parse("t".into(), b"a;b\n1,5;2\n".to_vec(), b';').expect("valid");
    assert_eq!(fields(&semicolons), [["1,5", "2"]]);
}

#[test]
fn a_header_alone_is_a_table_without_rows() {
    for bytes in [&b"a,b"[..], b"a,b\n", b"a,b\r\n\r\n\n"] {
        assert_eq!(parse(bytes).expect("valid").rows(), 0);
    }
}

#[test]
fn byte_order_marks_and_blank_lines_before_the_header_are_no_part_of_it() {
    for bytes in ["\u{feff}\u{feff}a\n1", "\r\n\u{feff}a\n1", "\u{feff}\n\na\n1"] {
        let table = parse(bytes.as_bytes()).expect("valid");
        assert_eq!((table.header(), raw_header(&table)), (&["a".to_owned()][..], "a"));
        assert_eq!(table.rows(), 1);
    }
}

#[test]
fn a_quote_inside_an_unquoted_field_is_text() {
    assert_eq!(fields(&parse(b"a\n5\" pipe").expect("valid")), [["5\" pipe"]]);
}

#[test]
fn bad_input_is_refused_with_its_line_and_without_its_value() {
    for (bytes, part) in [
        (&b""[..], "is empty"),
        (b"\n\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"a,b\n1,2\nsecret\n", "line 3: the number of fields is 1, and in the header 2"),
        (b"a,b\n\"x\ny\",2\n1,secret,3\n", "line 4: the number of fields is 3"),
        (b"a,b\r1,2\rsecret\r", "line 3: the number of fields is 1"),
        (b"a,b\n1,2\n\n3,\"secret\n4,5\n", "line 4, column 2 (\"b\"): a quoted field opens"),
        (b"\"a,b\n1,2\n", "line 1, column 1: a quoted field opens"),
        (b"a,b\n\"x\ny\",\"secret\" \n", "line 3, column 2 (\"b\"): text follows"),
        (b"a,b\n1,\"secret\n2,\"secret\"\n", "line 3, column 2 (\"b\"): text follows"),
        (b"a\nok\nsecret\xff\n", "line 3, column 1 (\"a\"): bytes that are not UTF-8"),
        (b"a,b\n1,2\n3,\xff\n", "line 3, column 2 (\"b\"): bytes that are not UTF-8"),
        (b"a,b\n1,2\n\xff\n", "line 3, column 1 (\"a\"): bytes that are not UTF-8"),
        (b"a,b\n1,\"secret\n\xff\"\n", "line 3, column 2 (\"b\"): bytes that are not UTF-8"),
        (b"a,b\n1,2,3,\xff\n", "line 2, column 4: bytes that are not UTF-8"),
        (b"a,\xff\n1,2\n", "line 1, column 2: bytes that are not UTF-8"),
        (b"a\n\"x\"y\n\xff\n", "line 3: bytes that are not UTF-8"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"a\0secret", "line 1, column 1: a zero byte"),
        (b"PK\x03\x04rest", "spreadsheet"),
        (b"PAR1rest", "Parquet"),
        (b"\xd0\xcf\x11\xe0rest", "an old or a locked spreadsheet"),
        (b"\x1f\x8brest", "gzip"),
    ] {
        let error = parse(bytes).err().expect("refused").to_string();
        assert!(error.contains(part) && error.contains("t.csv"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn a_delimiter_is_an_ascii_byte_that_means_nothing_else() {
    for delimiter in [b'"', b'\n', b'\r', 0, 0xc3] {
        let refused = Table::parse("t".into(), b"a\n".to_vec(), delimiter);
        assert!(matches!(refused, Err(DataError::Delimiter)), "{delimiter}");
    }
}

#[test]
fn a_table_costs_its_text_and_eight_bytes_a_row() {
    let csv = "k\n".to_owned() + &"0123456789\n".repeat(1000);
    assert_eq!(parse(csv.as_bytes()).expect("valid").memory(), csv.len() as u64 + 8 * 1001);
}

#[test]
fn wide_and_long_rows_grow_the_buffers() {
    let header: Vec<String> = (0..300).map(|column| format!("c{column}")).collect();
    let row: Vec<String> = (0..300).map(|column| "x".repeat(column)).collect();
    let csv = format!("{}\n{}\n", header.join(","), row.join(","));
    assert_eq!(fields(&parse(csv.as_bytes()).expect("valid")), [row]);
}

proptest::proptest! {
    #[test]
    fn reads_what_another_library_writes(
        rows in proptest::collection::vec(proptest::collection::vec("[a\",\r\n é]{0,6}", 3), 1..12),
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &rows {
            writer.write_record(row).expect("to memory");
        }
        let bytes = writer.into_inner().expect("to memory");
        let table = parse(&bytes).expect("valid");
        proptest::prop_assert_eq!(table.header(), &rows[0][..]);
        proptest::prop_assert_eq!(fields(&table), &rows[1..]);

        // Raw rows under the raw header are the same table again.
        let mut again = raw_header(&table).to_owned();
        for row in 0..table.rows() {
            again.push('\n');
            again.push_str(&raw_row(&table, row));
        }
        proptest::prop_assert_eq!(fields(&parse(again.as_bytes()).expect("valid")), fields(&table));
    }

    #[test]
    fn any_bytes_are_a_table_or_an_error(
        bytes in proptest::collection::vec(
            proptest::prelude::prop_oneof![
                60 => proptest::sample::select(b"a\",\r\n".to_vec()).prop_map(|byte| vec![byte]),
                3 => proptest::strategy::Just("\u{feff}".as_bytes().to_vec()),
                1 => proptest::num::u8::ANY.prop_map(|byte| vec![byte]),
            ],
            0..40,
        ),
    ) {
        let bytes = bytes.concat();
        if let Ok(table) = parse(&bytes) {
            proptest::prop_assert!(fields(&table).iter().all(|row| row.len() == table.header().len()));
            for row in 0..table.rows() {
                let raw = raw_row(&table, row).into_bytes();
                proptest::prop_assert!(bytes.windows(raw.len()).any(|part| part == raw));
                proptest::prop_assert!(line(&table, row) >= 2);
            }
            let mut written = Vec::new();
            table.write_rows(&mut written, 0..table.rows()).expect("to memory");
            proptest::prop_assert_eq!(fields(&parse(&written).expect("valid")), fields(&table));
        }
    }
}
