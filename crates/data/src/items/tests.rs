use super::*;
use crate::Linkage;

fn table(csv: &str) -> Table {
    Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table")
}

fn build(csv: &str, spec: &str, extra: &[&str]) -> Result<Items, DataError> {
    let (table, spec) = (table(csv), spec.parse().expect("a key"));
    let keys = KeySet::build(&table, &spec).expect("columns exist");
    let extra: Vec<String> = extra.iter().map(|name| (*name).to_owned()).collect();
    Items::build(&table, &keys, &spec, &extra)
}

#[test]
fn an_item_is_the_first_row_of_its_key_as_it_is_in_the_file() {
    let csv = "n,mail,x\n1, A@b.c ,\"p\"\"q\"\n2,,skipped\n3,a@b.c,later\n4,d@e.f,\n";
    let items = build(csv, "mail:email", &["x", "n"]).expect("short");
    assert_eq!((items.width(), items.columns().len()), (14, 2));
    assert_eq!(items.bytes(), b"\x07 A@b.c \x03p\"q\x011\x05d@e.f\x00\x014\0\0\0\0\0");
    let cells: Vec<_> = items.bytes().chunks(14).map(|item| decode(item, 3)).collect();
    let owned = |cells: [&str; 3]| Ok(cells.map(str::to_owned).to_vec());
    assert_eq!(cells, [owned([" A@b.c ", "p\"q", "1"]), owned(["d@e.f", "", "4"])]);
    let none = build("k\n", "k", &[]).expect("empty");
    assert_eq!((none.width(), none.bytes()), (0, &b""[..]));
}

#[test]
fn a_long_row_is_refused_with_its_line() {
    // 2 bytes of length a cell.
    let longest = "s".repeat(MAX_ITEM - 2);
    let fits = build(&format!("k\n1\n{longest}\n"), "k", &[]).expect("fits");
    assert_eq!((fits.width(), fits.bytes().len()), (MAX_ITEM, 2 * MAX_ITEM));
    let error = build(&format!("k\n1\ns{longest}\n"), "k", &[]).err().expect("refused").to_string();
    assert!(error.starts_with("t.csv, line 3: "), "{error}");
    assert!(error.contains("4096") && error.contains("--send") && !error.contains("ss"), "{error}");
    let without_key = build(&format!("k,x\n1,\n,s{longest}\n"), "k", &["x"]).expect("not sent");
    assert_eq!(without_key.width(), 3);
}

#[test]
fn columns_are_looked_up_and_sent_once() {
    let refusal =
        |extra: &[&str]| build("k,x,x,y\n", "k", extra).err().expect("refused").to_string();
    assert!(refusal(&["z"]).contains("did you mean"));
    assert!(refusal(&["x"]).contains("2 columns named"));
    assert!(refusal(&["y", "y"]).starts_with("--send \"y\": "));
    assert!(refusal(&["k"]).starts_with("--send \"k\": "));
}

#[test]
fn what_is_no_item_is_told_apart() {
    for (item, cells, expected) in [
        (&b""[..], 1, BadItem::Cut),
        (b"\x80", 1, BadItem::Cut),
        (b"\x02a", 1, BadItem::Cut),
        (b"\x01a", 2, BadItem::Cut),
        (b"\xff\xff\x7f", 1, BadItem::Cut),
        (b"\x81\x00a", 1, BadItem::Length),
        (b"\x80\x80\x80\x01", 1, BadItem::Length),
        (b"\x01\xff", 1, BadItem::NotText),
        (b"\x01\0", 1, BadItem::NotText),
        (b"\x01a\0\x01", 1, BadItem::TooLong),
        (b"\x01", 0, BadItem::TooLong),
    ] {
        assert_eq!(decode(item, cells), Err(expected), "{item:?}");
    }
    assert_eq!(decode(b"", 0), Ok(vec![]));
    assert_eq!(decode(b"\0\0\0\0", 2), Ok(vec![String::new(); 2]));
}

/// An item written by another route: lengths by division.
fn encoded(cells: &[String]) -> Vec<u8> {
    let mut item = Vec::new();
    for cell in cells {
        let (low, mut rest) = (cell.len() % 128, cell.len() / 128);
        let mut digits = vec![low];
        while rest > 0 {
            digits.push(rest % 128);
            rest /= 128;
        }
        let last = digits.pop().expect("one digit");
        item.extend(digits.into_iter().map(|digit| u8::try_from(digit + 128).expect("a byte")));
        item.push(u8::try_from(last).expect("a byte"));
        item.extend_from_slice(cell.as_bytes());
    }
    item
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_an_item_or_an_error(
        item in proptest::collection::vec(proptest::prop_oneof![0u8..4, 0x61u8..0x64, 0x80u8..=255], 0..24),
        cells in 0usize..5,
    ) {
        if let Ok(decoded) = decode(&item, cells) {
            proptest::prop_assert_eq!(decoded.len(), cells);
            // Only one way to write it: the encoding, and zeros.
            let mut again = encoded(&decoded);
            again.resize(item.len(), 0);
            proptest::prop_assert_eq!(again, item);
        }
    }

    #[test]
    fn rows_come_out_as_they_went_in(
        rows in proptest::collection::btree_map("[a-c\"]{1,3}", ("[é,\n]{0,90}", "[x ]{0,3}"), 1..8),
    ) {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let lines: String =
            rows.iter().map(|(key, (a, b))| format!("{},{},{}\n", quoted(key), quoted(a), quoted(b))).collect();
        let items = build(&format!("k,a,b\n{lines}"), "k", &["b", "a"]).expect("short");
        let expected: Vec<Vec<String>> =
            rows.iter().map(|(key, (a, b))| vec![key.clone(), b.clone(), a.clone()]).collect();
        proptest::prop_assert_eq!(items.width(), expected.iter().map(|cells| encoded(cells).len()).max().unwrap_or(0));
        for (item, cells) in items.bytes().chunks(items.width()).zip(expected) {
            proptest::prop_assert_eq!(decode(item, cells.len()), Ok(cells));
        }
    }
}

#[test]
fn numbers_may_be_labels_and_a_key_has_one() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};

    let list = |scores: Vec<f64>| {
        let columns: [(&str, ArrayRef); 2] = [
            ("k", Arc::new(StringArray::from(vec!["a", "b", "A"]))),
            ("score", Arc::new(Float64Array::from(scores))),
        ];
        let batch = RecordBatch::try_from_iter(columns).expect("of one length");
        let table = Table::from_batches("list".to_owned(), batch.schema(), vec![batch]);
        let table = table.expect("a table");
        let keys = KeySet::build(&table, &"k:name".parse().expect("a key")).expect("keys");
        Items::texts_of_keys(&table, &keys, "score")
    };
    assert_eq!(list(vec![0.5, 2.0, 0.5]).expect("one each"), ["0.5", "2"]);
    let why = list(vec![0.5, 2.0, 0.25]).expect_err("two").to_string();
    assert!(why.contains("list, row 3, column 2") && why.contains("row 1"), "{why}");
}

/// A list with columns to send.
struct Sending {
    table: Table,
    linkage: Linkage,
    columns: SentColumns,
}

impl Sending {
    fn items(&self, numbers: &[u32], matched: &[u32], count: usize) -> Vec<u8> {
        let Self { table, linkage, columns } = self;
        RowsToSend { table, linkage, columns }
            .items(numbers, matched, count)
            .expect("a table in memory")
            .to_vec()
    }
}

fn sending(csv: &str, keys: &[&str], columns: &[&str]) -> Result<Sending, DataError> {
    let specs: Vec<KeySpec> = keys.iter().map(|key| key.parse().expect("a key")).collect();
    let table = table(csv);
    let linkage = Linkage::build(&table, &specs)?;
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let columns = SentColumns::of(&table, &linkage, &columns)?;
    Ok(Sending { table, linkage, columns })
}

const PEOPLE: &str = "mail,phone,n\na@x,1,one\n,2,\nA@x,1,three\n,,four\n";

#[test]
fn an_item_for_matches_has_all_rows_of_its_key() {
    let list = sending(PEOPLE, &["mail:email", "phone"], &["n"]).expect("short");
    let columns = &list.columns;
    assert_eq!((list.linkage.len(), columns.width(), columns.rows_of_key()), (3, 11, 2));
    let items = list.items(&[0, 1, 2], &[], 4);
    let expected = [&b"\x02\x03one\x05three"[..], b"\x02\x03one\x05three", b"\x01\x00"];
    for (item, expected) in items.chunks(11).zip(expected) {
        assert!(item.starts_with(expected) && item[expected.len()..].iter().all(|b| *b == 0));
        check_rows(item, 1, 2).expect("it is rows");
        let rows = decode_rows(item, 1, 2).expect("it is rows");
        assert_eq!(rows.len(), usize::from(expected[0]));
    }
    assert_eq!(items[33..], [0; 11]);
    let some = [&items[22..33], &items[..11]].concat();
    assert_eq!(list.items(&[2, 0], &[], 0), some);
    let none = sending("k,n\n,x\n", &["k"], &["n"]).expect("empty");
    assert_eq!((none.columns.width(), none.columns.rows_of_key()), (0, 0));
    assert!(none.items(&[], &[], 0).is_empty());
}

#[test]
fn rows_that_have_matched_leave_the_items_of_their_other_values() {
    let list = sending(PEOPLE, &["mail:email", "phone"], &["n"]).expect("short");
    // The second row alone has not matched by the address.
    assert_eq!(list.items(&[2], &[0], 1), list.items(&[0, 1, 2], &[], 3)[22..]);
    let csv = "mail,phone,n\na@x,1,one\nb@x,1,two\n,1,three\n";
    let list = sending(csv, &["mail:email", "phone"], &["n"]).expect("short");
    assert!(list.items(&[2], &[1], 1).starts_with(b"\x02\x03one\x05three\0"));
}

#[test]
fn what_is_no_rows_is_told_apart() {
    for (item, columns, most, expected) in [
        (&b""[..], 1, 1, BadItem::Cut),
        (b"\x00", 1, 1, BadItem::Rows),
        (b"\x02\x01a\x01b", 1, 1, BadItem::Rows),
        (b"\x02\x01a", 1, 2, BadItem::Cut),
        (b"\x01\x01a\x01", 1, 2, BadItem::TooLong),
        (b"\x01\x01\xff", 1, 2, BadItem::NotText),
        (b"\xff\xff\x7f\x00", 1, u64::MAX, BadItem::Cut),
    ] {
        assert_eq!(check_rows(item, columns, most), Err(expected), "{item:?}");
        assert_eq!(decode_rows(item, columns, most), Err(expected), "{item:?}");
    }
}

#[test]
fn rows_of_one_key_are_refused_where_they_are_too_long_together() {
    let long = "s".repeat(MAX_ITEM / 2 - 2);
    let two = format!("k,n\na,{long}\nb,{long}\nb,{long}\n");
    let error = sending(&two, &["k"], &["n"]).err().expect("refused").to_string();
    assert!(error.starts_with("t.csv, line 4: this row is number 2 of its key"), "{error}");
    assert!(error.contains("--most-per-key") && !error.contains("sss"), "{error}");
    let one = format!("k,n\na,s{}\n", "s".repeat(MAX_ITEM));
    let error = sending(&one, &["k"], &["n"]).err().expect("refused").to_string();
    assert!(error.starts_with("t.csv, line 2: the chosen columns take more"), "{error}");
}
