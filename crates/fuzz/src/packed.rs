//! A user's workbook or compressed file: a table whose every row can be read, or an error.

use crate::Seed;
use crate::typed::read;

/// A workbook of Excel.
pub fn workbook(data: &[u8]) {
    read("input.xlsx", data);
}

/// A file that gzip compressed.
pub fn gzip(data: &[u8]) {
    read("input.csv.gz", data);
}

/// A file that Zstandard compressed.
pub fn zstd(data: &[u8]) {
    read("input.csv.zst", data);
}

/// A file of the tests of `veilset-data`.
macro_rules! given {
    ($name:literal) => {
        Seed::new($name, *include_bytes!(concat!("../../data/tests/inputs/", $name)))
    };
}

pub(crate) fn workbook_seeds() -> Vec<Seed> {
    vec![given!("shared.xlsx"), given!("one.xlsx"), given!("several.xlsx")]
}

pub(crate) fn gzip_seeds() -> Vec<Seed> {
    vec![given!("one.csv.gz"), given!("list.csv.gz")]
}

pub(crate) fn zstd_seeds() -> Vec<Seed> {
    vec![given!("one.csv.zst"), given!("list.csv.zst")]
}
