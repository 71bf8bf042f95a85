//! Lists that several threads read say what one thread says of them.

use std::collections::HashMap;

use rayon::ThreadPoolBuilder;
use veilset_data::{KeySet, KeySpec, Scratch, Table};

use crate::support::{file, path, read, to};

/// More than three stretches of rows, and no whole number of them.
const ROWS: usize = 400_003;

/// The key of a row, if it has one: some rows share keys, near and far, and some have none.
fn key(row: usize) -> Option<String> {
    match row {
        row if row % 1_009 == 7 => None,
        row if row % 13 == 5 => Some(format!("k{}", row / 1_300)),
        row if row % 50_021 == 3 => Some("everywhere".to_owned()),
        row => Some(format!("k{row}x")),
    }
}

fn csv() -> String {
    let row = |row| match key(row) {
        // Fields that need quotes, and keys that are not written as they are compared.
        Some(key) if row % 3 == 0 => format!("\"{row}, \"\"{row}\"\"\n\",\" {key} \"\n"),
        Some(key) => format!("{row},{}\n", key.to_uppercase()),
        None if row % 2 == 0 => format!("{row},n/a\n"),
        None => format!("{row},\n"),
    };
    "note,key\n".to_owned() + &(0..ROWS).map(row).collect::<String>()
}

/// The number of each row's key, and the keys' digests, as the definition has them.
fn oracle() -> (Vec<Option<usize>>, Vec<[u8; 32]>) {
    let (mut numbers, mut digests) = (HashMap::new(), Vec::new());
    let number = |row| {
        let key = key(row)?;
        Some(*numbers.entry(key.clone()).or_insert_with(|| {
            let length = u32::try_from(key.len()).expect("short").to_le_bytes();
            digests.push(*blake3::hash(&[&length, key.as_bytes()].concat()).as_bytes());
            digests.len() - 1
        }))
    };
    let of_rows = (0..ROWS).map(number).collect();
    (of_rows, digests)
}

fn assert_keys(table: &Table, expected: &(Vec<Option<usize>>, Vec<[u8; 32]>)) {
    let spec: KeySpec = "key:email".parse().expect("a key");
    let keys = KeySet::build(table, &spec).expect("a column");
    assert_eq!(keys.digests(), expected.1);
    assert_eq!((0..ROWS).map(|row| keys.key_of(row)).collect::<Vec<_>>(), expected.0);
    let without: Vec<usize> = (0..ROWS).filter(|row| key(*row).is_none()).collect();
    let placeholders = without.iter().filter(|row| *row % 2 == 0).count();
    assert_eq!(keys.placeholder_rows(), placeholders);
    assert_eq!(keys.null_rows(), without.len() - placeholders);
    assert_eq!(keys.duplicate_rows(), ROWS - without.len() - expected.1.len());
}

#[test]
fn keys_are_those_of_the_definition_in_every_format_and_on_any_threads() {
    let expected = oracle();
    let folder = tempfile::tempdir().expect("a folder");
    let csv = Table::parse("list.csv".into(), csv().into_bytes(), b',').expect("a table");
    let mut tables = vec![csv];
    for name in ["list.parquet", "list.arrow", "list.ndjson"] {
        let place = path(&folder, name);
        to(&place).write_rows(&tables[0], 0..ROWS).expect("written");
        tables.push(read(&place));
        // The same list where memory is short, which lies in a temporary file.
        let scratch = Scratch::new(Some(folder.path().to_owned()), Some(40 << 20));
        tables.push(Table::read_within(&file(&place), None, &scratch).expect("a table"));
    }
    for threads in [1, 2, 5] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        pool.install(|| tables.iter().for_each(|table| assert_keys(table, &expected)));
    }
}
