use super::*;

fn parse(bytes: &[u8]) -> Result<Table, DataError> {
    Table::parse("t.csv".into(), bytes.to_vec(), b',')
}

fn fields(table: &Table) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let width = table.header().len();
    table.for_each_row(|_, fields| {
        rows.push((0..width).map(|column| fields.get(column).to_owned()).collect());
    });
    rows
}

#[test]
fn reads_what_the_standard_allows() {
    let table =
        parse(b"\xef\xbb\xbf\"a,1\",\"b\"\"\"\r\n007,\"x\r\ny\"\r\n\r\n,last").expect("valid");
    assert_eq!(table.header(), ["a,1", "b\""]);
    assert_eq!(fields(&table), [["007", "x\r\ny"], ["", "last"]]);
    assert_eq!(table.raw_header(), b"\"a,1\",\"b\"\"\"");
    assert_eq!((table.raw_row(0), table.raw_row(1)), (&b"007,\"x\r\ny\""[..], &b",last"[..]));
    assert_eq!((table.line(0), table.line(1)), (2, 5));
    assert_eq!(table.line_end(), b"\r\n");
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
fn a_quote_inside_an_unquoted_field_is_text() {
    assert_eq!(fields(&parse(b"a\n5\" pipe").expect("valid")), [["5\" pipe"]]);
}

#[test]
fn bad_input_is_refused_with_its_line_and_without_its_value() {
    for (bytes, part) in [
        (&b""[..], "is empty"),
        (b"\n\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"a,b\n1,2\nsecret\n", "line 3: 1 fields, the header has 2"),
        (b"a,b\n\"x\ny\",2\n1,secret,3\n", "line 4: 3 fields"),
        (b"a,b\n1,2\n\n3,\"secret\n4,5\n", "line 4: a quoted field"),
        (b"\"a,b\n1,2\n", "line 1: a quoted field"),
        (b"a\nok\nsecret\xff\n", "line 3: not UTF-8"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"a\0secret", "binary"),
        (b"PK\x03\x04rest", "spreadsheet"),
        (b"PAR1rest", "Parquet"),
    ] {
        let error = parse(bytes).err().expect("refused").to_string();
        assert!(error.contains(part) && error.contains("t.csv"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    let missing = Table::read(&Source::new("/nowhere/x.csv"), b',').err().expect("missing");
    assert!(missing.to_string().contains("cannot read /nowhere/x.csv"), "{missing}");
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
        let mut again = table.raw_header().to_vec();
        for row in 0..table.rows() {
            again.push(b'\n');
            again.extend_from_slice(table.raw_row(row));
        }
        proptest::prop_assert_eq!(fields(&parse(&again).expect("valid")), fields(&table));
    }

    #[test]
    fn any_bytes_are_a_table_or_an_error(bytes in "[a\",\r\n\u{feff}é\0]{0,40}", cut in 0usize..4) {
        let bytes = &bytes.as_bytes()[..bytes.len().saturating_sub(cut)];
        if let Ok(table) = parse(bytes) {
            proptest::prop_assert!(fields(&table).iter().all(|row| row.len() == table.header().len()));
            for row in 0..table.rows() {
                let _ = (table.raw_row(row), table.line(row));
            }
        }
    }
}
