//! A row of a union from a peer that sends anything: cells or an error, and no two encodings of one row.
#![no_main]

use libfuzzer_sys::fuzz_target;
use veilset_data::decode;

fuzz_target!(|input: (u8, &[u8])| {
    let (cells, item) = input;
    let Ok(row) = decode(item, usize::from(cells)) else { return };
    assert_eq!(row.len(), usize::from(cells));
    let mut again = Vec::new();
    for cell in &row {
        let mut length = cell.len();
        while length >= 0x80 {
            again.push(length as u8 | 0x80);
            length >>= 7;
        }
        again.push(length as u8);
        again.extend_from_slice(cell.as_bytes());
    }
    assert!(item.starts_with(&again) && item[again.len()..].iter().all(|byte| *byte == 0));
});
