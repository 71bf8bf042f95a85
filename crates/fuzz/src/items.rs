//! A row of a union, and the rows of a match, from a peer that sends anything: cells or an error, and no two encodings of one row.

use veilset_data::{check_rows, decode, decode_rows};

use crate::Seed;
use crate::bytes::Fields;

/// The most rows of a match.
const MOST: u64 = 300;

/// A number of cells, and a row, or rows.
pub fn items(data: &[u8]) {
    let mut fields = Fields::new(data);
    let (cells, item) = (fields.byte(), fields.rest());
    rows_of_a_match(item, usize::from(cells.max(1)));
    let Ok(row) = decode(item, usize::from(cells)) else { return };
    assert_eq!(row.len(), usize::from(cells));
    let again = encoded(row.iter().map(String::as_str));
    assert!(item.starts_with(&again) && item[again.len()..].iter().all(|byte| *byte == 0));
}

fn rows_of_a_match(item: &[u8], columns: usize) {
    let checked = check_rows(item, columns, MOST);
    let rows = decode_rows(item, columns, MOST);
    assert_eq!(checked.err(), rows.as_ref().err().copied());
    let Ok(rows) = rows else { return };
    assert!(!rows.is_empty() && rows.len() as u64 <= MOST);
    assert!(rows.iter().all(|row| row.len() == columns));
    let mut again = Vec::new();
    put_length(&mut again, rows.len());
    again.extend(encoded(rows.iter().flatten().map(String::as_str)));
    assert!(item.starts_with(&again) && item[again.len()..].iter().all(|byte| *byte == 0));
}

/// Each cell behind its length, seven bits a byte.
fn encoded<'a>(cells: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for cell in cells {
        put_length(&mut bytes, cell.len());
        bytes.extend_from_slice(cell.as_bytes());
    }
    bytes
}

fn put_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

pub(crate) fn seeds() -> Vec<Seed> {
    let long = "é".repeat(100);
    let rows =
        [("cells", vec!["a", "", "bc"]), ("a long cell", vec![&long, "x"]), ("nothing", vec![])];
    let seed = |(name, cells): (&str, Vec<&str>)| {
        let count = u8::try_from(cells.len()).expect("few");
        Seed::new(name, [&[count], &encoded(cells)[..], &[0; 5]].concat())
    };
    let matched = Seed::new("two rows", b"\x02\x02\x01a\x00\x02bc\x01d\0\0".to_vec());
    rows.map(seed).into_iter().chain([matched]).collect()
}
