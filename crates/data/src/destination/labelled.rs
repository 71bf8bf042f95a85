//! One's own rows, each with a text more: those that are listed with their labels.

use super::sheet::{Sheet, one};
use super::sizes::Rows;
use crate::{DataError, Destination, Table};

/// The column that a lookup adds.
pub const LABEL_COLUMN: &str = "veilset_label";

/// The column that an intersection by several keys adds.
pub const KEY_COLUMN: &str = "veilset_key";

impl Table {
    /// Finds out before a run whether `column`, such as [`LABEL_COLUMN`] or [`KEY_COLUMN`], can be added.
    ///
    /// # Errors
    /// When the table has a column of its name already.
    pub fn check_labelled(&self, column: &'static str) -> Result<(), DataError> {
        if !self.header().iter().any(|name| name == column) {
            return Ok(());
        }
        Err(DataError::NameTaken {
            what: self.name().to_owned(),
            column: column.to_owned(),
            why: match column {
                LABEL_COLUMN => "that is the column which a lookup adds",
                KEY_COLUMN => "that is the column which an intersection by several keys adds",
                _ => "that is the column which this command adds",
            },
        })
    }
}

impl Destination {
    /// Holds room for texts of `column` of at most so many bytes beside the rows of `table`, for which room is held already.
    ///
    /// # Errors
    /// When there is too little.
    pub fn prepare_labelled(
        &self,
        table: &Table,
        column: &'static str,
        longest: u64,
    ) -> Result<(), DataError> {
        let labels = Rows { count: table.rows() as u64, text: longest, names: &[column] };
        let sheet = Sheet {
            added: vec![column],
            own: Box::new(|_| vec![vec![None]]),
            ..Sheet::new(table, 0..table.rows())
        };
        self.hold(self.size_beside(&sheet, labels, Rows::NONE)?)
    }

    /// Writes the given rows of `table`, ascending, byte for byte as they were, each with its text in the new last column
    /// `column`.
    ///
    /// # Errors
    /// As [`Table::check_labelled`], and when writing fails; a file is then as it was before.
    pub fn write_labelled(
        &self,
        table: &Table,
        column: &'static str,
        rows: &[(usize, &str)],
    ) -> Result<(), DataError> {
        table.check_labelled(column)?;
        let text = |row| {
            let place = rows.binary_search_by_key(&row, |(row, _)| *row);
            place.map_or("", |place| rows[place].1).to_owned()
        };
        self.write_sheet(Sheet {
            added: vec![column],
            own: Box::new(move |row| one(text(row))),
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
        destination
            .write_labelled(&table, LABEL_COLUMN, &[(0, "x, \"y\""), (2, "")])
            .expect("writable");
        let out = std::fs::read(path).expect("readable");
        let want = "id,\"n, m\",veilset_label\r\n1,\"a \"\"b\"\"\",\"x, \"\"y\"\"\"\r\n3,d,\r\n";
        assert_eq!(String::from_utf8(out).expect("text"), want);
        let taken = Table::parse("t".to_owned(), b"veilset_label\n1\n".to_vec(), b',');
        let refused = taken.expect("a table").check_labelled(LABEL_COLUMN);
        assert!(matches!(refused, Err(DataError::NameTaken { .. })));
    }
}
