//! A user's file: a table or an error, and every row comes back as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use veilset_data::{KeySet, KeySpec, Table, check};

fuzz_target!(|bytes: &[u8]| {
    let Ok(table) = Table::parse("input".to_owned(), bytes.to_vec(), b',') else { return };
    for row in 0..table.rows() {
        let raw = table.raw_row(row).expect("text").as_bytes();
        assert!(bytes.windows(raw.len().max(1)).any(|window| window == raw) || raw.is_empty());
    }
    let column = table.header()[0].replace('"', "\"\"");
    for preset in ["raw", "email-gmail", "phone-us", "name", "ip", "date"] {
        let Ok(spec) = format!("\"{column}\":{preset}").parse::<KeySpec>() else { continue };
        let Ok(keys) = KeySet::build(&table, &spec) else { continue };
        let skipped = keys.null_rows() + keys.invalid_rows();
        assert_eq!(keys.len() + keys.duplicate_rows() + skipped, table.rows());
        let report = check(&table, &spec).expect("the column is there");
        assert_eq!(report.distinct, keys.len());
    }
});
