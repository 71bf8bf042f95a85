//! A row of a union from a peer that sends anything: cells or an error, and no two encodings of one row.

use veilset_data::decode;

use crate::Seed;
use crate::bytes::Fields;

/// A number of cells, and a row.
pub fn items(data: &[u8]) {
    let mut fields = Fields::new(data);
    let (cells, item) = (fields.byte(), fields.rest());
    let Ok(row) = decode(item, usize::from(cells)) else { return };
    assert_eq!(row.len(), usize::from(cells));
    let again = encoded(row.iter().map(String::as_str));
    assert!(item.starts_with(&again) && item[again.len()..].iter().all(|byte| *byte == 0));
}

/// Each cell behind its length, seven bits a byte.
fn encoded<'a>(cells: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for cell in cells {
        let mut length = cell.len();
        while length >= 0x80 {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend_from_slice(cell.as_bytes());
    }
    bytes
}

pub(crate) fn seeds() -> Vec<Seed> {
    let long = "é".repeat(100);
    let rows =
        [("cells", vec!["a", "", "bc"]), ("a long cell", vec![&long, "x"]), ("nothing", vec![])];
    let seed = |(name, cells): (&str, Vec<&str>)| {
        let count = u8::try_from(cells.len()).expect("few");
        Seed::new(name, [&[count], &encoded(cells)[..], &[0; 5]].concat())
    };
    rows.map(seed).into()
}
