//! The output of an alignment: one's own rows with their identifiers, then the identifiers that one does not hold.

use super::sheet::{Cells, Sheet, one};
use super::sizes::Rows;
use crate::{DataError, Destination, Table};

/// The column that an alignment adds.
pub const ID_COLUMN: &str = "veilset_id";

impl Table {
    /// Finds out before a run whether the column of identifiers can be added.
    ///
    /// # Errors
    /// When the table has a column of its name already.
    pub fn check_aligned(&self) -> Result<(), DataError> {
        if !self.header().iter().any(|column| column == ID_COLUMN) {
            return Ok(());
        }
        Err(DataError::NameTaken {
            what: self.name().to_owned(),
            column: ID_COLUMN.to_owned(),
            why: "that is the column which an alignment adds",
        })
    }
}

/// Digits of an identifier.
const ID: u64 = 32;

impl Destination {
    /// Holds room for what [`Destination::write_aligned`] adds to the rows of `table`, for which room is held already: their
    /// identifiers, and so many others.
    ///
    /// # Errors
    /// When there is too little.
    pub fn prepare_aligned(&self, table: &Table, others: u64) -> Result<(), DataError> {
        let rows = |count| Rows { count, text: ID, names: &[ID_COLUMN] };
        let sheet = aligned(table, Box::new(|_| vec![vec![None]]), Box::new(std::iter::empty()));
        self.hold(self.size_beside(&sheet, rows(table.rows() as u64), rows(others))?)
    }

    /// Writes all rows of `table`, byte for byte as they were, each with its identifier in the new last column
    /// [`ID_COLUMN`]: `ids` of the row's number, empty where that is nothing. Then a row for each of `others` that has
    /// nothing but that identifier.
    ///
    /// # Errors
    /// As [`Table::check_aligned`], and when writing fails; a file is then as it was before.
    pub fn write_aligned(
        &self,
        table: &Table,
        ids: &dyn Fn(usize) -> Option<String>,
        others: impl Iterator<Item = String>,
    ) -> Result<(), DataError> {
        table.check_aligned()?;
        let own = Box::new(|row| one(ids(row).unwrap_or_default()));
        self.write_sheet(aligned(table, own, Box::new(others.map(|id| vec![id]))))
    }
}

/// All rows of a table with one column more, and the rows that follow, which have nothing but that.
fn aligned<'a>(
    table: &'a Table,
    own: Box<dyn Fn(usize) -> Vec<Cells> + 'a>,
    more: Box<dyn Iterator<Item = Vec<String>> + 'a>,
) -> Sheet<'a> {
    let places = vec![table.header().len()];
    Sheet { added: vec![ID_COLUMN], own, places, more, ..Sheet::new(table, 0..table.rows()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(csv: &[u8]) -> Table {
        Table::parse("t.csv".into(), csv.to_vec(), b';').expect("a table")
    }

    fn aligned(table: &Table, others: &[&str]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        let ids = |row: usize| (row != 1).then(|| format!("id{row}"));
        Destination::file(path.clone(), false)
            .write_aligned(table, &ids, others.iter().map(|id| (*id).to_owned()))
            .expect("writable");
        std::fs::read_to_string(path).expect("written")
    }

    #[test]
    fn own_rows_get_their_identifiers_and_the_others_follow() {
        let own = table(b"a;\"b\"\r\n1;\"x;\"\r\n;\r\n3;y");
        let written = aligned(&own, &["p", "q"]);
        assert_eq!(
            written,
            "a;\"b\";veilset_id\r\n1;\"x;\";id0\r\n;;\r\n3;y;id2\r\n;;p\r\n;;q\r\n"
        );
        assert_eq!(aligned(&table(b"a"), &["p"]), "a;veilset_id\n;p\n");
        assert_eq!(aligned(&table(b"a"), &[]), "a;veilset_id\n");
    }

    #[test]
    fn a_table_that_has_the_column_is_refused_before_a_run_and_after_it() {
        let own = table(b"a;veilset_id\n1;2\n");
        let error = own.check_aligned().expect_err("taken").to_string();
        assert!(error.starts_with("t.csv has a column \"veilset_id\""), "{error}");
        assert!(Destination::Stdout.write_aligned(&own, &|_| None, std::iter::empty()).is_err());
        table(b"a;Veilset_ID\n").check_aligned().expect("another name");
    }
}
