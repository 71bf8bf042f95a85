//! The output of a lookup: one's own rows that are listed, each with what the list says of it.

use std::collections::HashMap;

use super::sheet::Sheet;
use super::sizes::{Rows, Width};
use crate::{DataError, Destination, Table};

/// The column that a lookup adds.
pub const LABEL_COLUMN: &str = "veilset_label";

impl Table {
    /// Finds out before a lookup whether the column of labels can be added.
    ///
    /// # Errors
    /// When the table has a column of its name already.
    pub fn check_labelled(&self) -> Result<(), DataError> {
        if !self.header().iter().any(|column| column == LABEL_COLUMN) {
            return Ok(());
        }
        Err(DataError::NameTaken {
            what: self.name().to_owned(),
            column: LABEL_COLUMN.to_owned(),
            why: "that is the column which a lookup adds",
        })
    }
}

impl Destination {
    /// Holds room for labels of at most so many bytes beside the rows of `table`, for which room is held already.
    ///
    /// # Errors
    /// When there is too little.
    pub fn prepare_labelled(&self, table: &Table, longest: u64) -> Result<(), DataError> {
        let labels = Rows { count: table.rows() as u64, text: longest, names: &[LABEL_COLUMN] };
        self.hold(labels.size(self.format(), Width::text(1)))
    }

    /// Writes the given rows of `table`, ascending, byte for byte as they were, each with its label in the new last column
    /// [`LABEL_COLUMN`].
    ///
    /// # Errors
    /// As [`Table::check_labelled`], and when writing fails; a file is then as it was before.
    pub fn write_labelled(&self, table: &Table, rows: &[(usize, &str)]) -> Result<(), DataError> {
        table.check_labelled()?;
        let labels: HashMap<usize, &str> = rows.iter().copied().collect();
        self.write_sheet(Sheet {
            added: vec![LABEL_COLUMN],
            own: Box::new(|row| vec![labels.get(&row).copied().unwrap_or_default().to_owned()]),
            ..Sheet::new(table, rows.iter().map(|(row, _)| *row))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_they_were_and_labels_are_quoted() {
        let bytes = b"id,\"n, m\"\r\n1,\"a \"\"b\"\"\"\r\n2,c\r\n3,d\r\n".to_vec();
        let table = Table::parse("t".to_owned(), bytes, b',').expect("a table");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        let destination = Destination::new(&path.display().to_string(), false);
        destination.write_labelled(&table, &[(0, "x, \"y\""), (2, "")]).expect("writable");
        let out = std::fs::read(path).expect("readable");
        let want = "id,\"n, m\",veilset_label\r\n1,\"a \"\"b\"\"\",\"x, \"\"y\"\"\"\r\n3,d,\r\n";
        assert_eq!(String::from_utf8(out).expect("text"), want);
        let taken = Table::parse("t".to_owned(), b"veilset_label\n1\n".to_vec(), b',');
        let refused = taken.expect("a table").check_labelled();
        assert!(matches!(refused, Err(DataError::NameTaken { .. })));
    }
}
