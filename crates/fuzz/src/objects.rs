//! A user's NDJSON: a table or an error, and every row comes back as it was.

use veilset_data::{KeySet, KeySpec, Table, check};

use crate::Seed;

/// An NDJSON file.
pub fn objects(data: &[u8]) {
    let Ok(table) = Table::parse_ndjson("input".to_owned(), data.to_vec()) else { return };
    let mut raw_rows = table.raw_rows();
    for row in 0..table.rows() {
        let raw = raw_rows.get(row).expect("in memory").expect("text").as_bytes();
        assert!(raw.starts_with(b"{") && raw.ends_with(b"}"));
        assert!(data.windows(raw.len()).any(|window| window == raw));
    }
    let columns: Vec<usize> = (0..table.header().len()).collect();
    let read = table.for_each_row(&columns, |_, fields| {
        columns.iter().for_each(|column| drop(fields.get(*column)));
    });
    assert!(read.is_ok());
    for column in table.header() {
        let Ok(spec) = format!("\"{}\"", column.replace('"', "\"\"")).parse::<KeySpec>() else {
            continue;
        };
        let Ok(keys) = KeySet::build(&table, &spec) else { continue };
        let skipped = keys.null_rows() + keys.placeholder_rows();
        assert_eq!(keys.len() + keys.duplicate_rows() + skipped, table.rows());
        assert_eq!(check(&table, &spec, &[]).expect("the column is there").distinct, keys.len());
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    vec![
        Seed::new("plain", "{\"k\": \"a\", \"v\": 1}\n{\"k\": \"b\", \"v\": 2.5e3}\n"),
        Seed::new(
            "nested",
            "{\"k\":\"\\u00e4\\ud83d\\ude00\",\"o\":{\"x\":[1,null,true]}}\r\n\n{\"k\":null}",
        ),
        Seed::new("missing", "{\"k\":\"a\"}\n{\"other\":\"b\",\"k\":\"a\"}\n{}\n"),
    ]
}
