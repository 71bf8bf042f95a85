//! Tables to files and back.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use veilset_data::{Destination, Source, Table};

pub(crate) fn path(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

pub(crate) fn file(path: &Path) -> Source {
    Source::File(path.to_owned())
}

pub(crate) fn read(path: &Path) -> Table {
    Table::read(&file(path), None).expect("a table")
}

pub(crate) fn to(path: &Path) -> Destination {
    Destination::file(path.to_owned(), true)
}

pub(crate) fn texts(table: &Table) -> Vec<Vec<String>> {
    let columns: Vec<usize> = (0..table.header().len()).collect();
    let mut rows = Vec::new();
    let visited = table.for_each_row(&columns, |_, fields| {
        rows.push(columns.iter().map(|column| fields.get(*column).into_owned()).collect());
    });
    visited.expect("text");
    rows
}
