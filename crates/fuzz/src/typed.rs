//! A user's Parquet or Arrow: a table whose every row can be read, or an error; what its libraries make of it is caught.

use std::io::Write;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

use veilset_data::{Arrivals, KeySet, KeySpec, Scratch, Table, is_caught};

use crate::Seed;

/// How much memory a list may take, as a part that is decoded at once may, so that a short input does not become a long one.
const MEMORY: u64 = 64 << 20;

/// A Parquet file.
pub fn parquet(data: &[u8]) {
    read("input.parquet", data);
}

/// An Arrow file or stream.
pub fn arrow(data: &[u8]) {
    read("input.arrow", data);
}

/// Reads a file of this name, and every row of it.
pub(crate) fn read(name: &str, data: &[u8]) {
    keep_quiet();
    let scratch = Scratch::new(None, Some(MEMORY));
    let mut arrivals = Arrivals::new(&scratch);
    arrivals.begin(name.to_owned());
    arrivals.write_all(data).expect("it fits in memory");
    let Ok(table) = arrivals.table(name.to_owned(), None) else { return };
    let mut columns = 0..table.header().len();
    let readable = !columns.is_empty() && columns.all(|column| reads(&table, column));
    // A column that cannot be read may say that it has any number of rows.
    if readable && let Ok(taken) = table.take(0..table.rows()) {
        let rows: usize = taken.iter().map(|batch| batch.num_rows()).sum();
        assert_eq!(rows, table.rows());
    }
}

/// Reads a column, and makes keys of it; false where it cannot be decoded, or is of a type without text.
fn reads(table: &Table, column: usize) -> bool {
    let mut rows = 0;
    let read = table.for_each_row(&[column], |row, fields| {
        assert_eq!(row, rows);
        rows += 1;
        drop(fields.get(0));
    });
    if read.is_err() {
        return false;
    }
    assert_eq!(rows, table.rows());
    let name = table.header()[column].replace('"', "\"\"");
    let Ok(spec) = format!("\"{name}\"").parse::<KeySpec>() else { return true };
    if let Ok(keys) = KeySet::build(table, &spec) {
        assert!(keys.len() + keys.duplicate_rows() + keys.null_rows() <= table.rows());
    }
    true
}

/// Panics that are caught say nothing, and do not end a program that fuzzes.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |panic| {
            if !is_caught() {
                told(panic);
            }
        }));
    });
}

/// A file of the tests of `veilset-data`.
macro_rules! given {
    ($name:literal) => {
        Seed::new($name, *include_bytes!(concat!("../../data/tests/", $name)))
    };
}

pub(crate) fn parquet_seeds() -> Vec<Seed> {
    vec![
        given!("typed/values.parquet"),
        given!("inputs/delta1.parquet"),
        given!("inputs/delta2.parquet"),
        given!("inputs/snappy.parquet"),
        given!("inputs/gzip.parquet"),
        given!("inputs/zstd.parquet"),
    ]
}

pub(crate) fn arrow_seeds() -> Vec<Seed> {
    vec![
        given!("typed/values.arrow"),
        given!("typed/values.arrows"),
        given!("inputs/lz4.arrow"),
        given!("inputs/lz4.arrows"),
        given!("inputs/zstd.arrow"),
        given!("inputs/zstd.arrows"),
    ]
}
