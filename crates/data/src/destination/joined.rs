//! One's own rows with columns of the peer's rows that match them.

use std::borrow::Cow;

use super::labelled::KEY_COLUMN;
use super::sheet::{Cells, Sheet};
use super::sizes::Rows;
use crate::escape::{self, escaped};
use crate::{DataError, Destination, Format, Table};

/// The columns that a join adds to those of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedColumns {
    /// Their names, which differ from one another and from the table's.
    names: Vec<String>,
    /// Whether the first is [`KEY_COLUMN`].
    has_key: bool,
    /// Whether cells are written as the peer sent them.
    raw: bool,
}

impl JoinedColumns {
    /// The columns of these names from `peer`, behind [`KEY_COLUMN`] where rows say by which key they match. A name that the table has is
    /// `peer.name`.
    ///
    /// # Errors
    /// When two columns would have one name.
    pub fn new(
        table: &Table,
        peer: &str,
        names: &[String],
        has_key: bool,
        raw: bool,
    ) -> Result<Self, DataError> {
        let mut all: Vec<String> = Vec::new();
        if has_key {
            table.check_labelled(KEY_COLUMN)?;
            all.push(KEY_COLUMN.to_owned());
        }
        for name in names {
            let taken = |name: &String| table.header().contains(name) || all.contains(name);
            let name = if taken(name) { format!("{peer}.{name}") } else { name.clone() };
            if taken(&name) {
                return Err(DataError::NameTaken {
                    what: table.name().to_owned(),
                    column: name,
                    why: "a column that the peer sends would have that name",
                });
            }
            all.push(name);
        }
        Ok(Self { names: all, has_key, raw })
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The cells of a row in the format of an output.
    fn cells(&self, JoinedRow { key, cells }: JoinedRow, format: Format) -> Cells {
        let key = self.has_key.then(|| key.to_string());
        let cells = cells.into_iter().map(|cell| self.written(cell, format));
        key.into_iter().chain(cells).map(Some).collect()
    }

    /// A cell or a name of the peer's as it is written.
    fn written(&self, text: String, format: Format) -> String {
        if self.raw || format != Format::Csv {
            return text;
        }
        match escaped(&text) {
            Cow::Owned(escaped) => escaped,
            Cow::Borrowed(_) => text,
        }
    }

    /// All names as they are written.
    fn written_names(&self, format: Format) -> Vec<String> {
        let written = |name: &String| self.written(name.clone(), format);
        self.names.iter().map(written).collect()
    }
}

/// What a row of the peer's has that matches a row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedRow {
    /// The number of the key by which they match, from 1.
    pub key: usize,
    /// Its cells.
    pub cells: Vec<String>,
}

impl Destination {
    /// Holds room for what [`Destination::write_joined`] adds to the rows of `table`, for which room is held already: each becomes
    /// `most` rows at most, with `text` bytes of cells in all of them together.
    ///
    /// # Errors
    /// When there is too little.
    pub fn prepare_joined(
        &self,
        table: &Table,
        columns: &JoinedColumns,
        most: u64,
        text: u64,
    ) -> Result<(), DataError> {
        let names = columns.written_names(self.format());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = if self.format() == Format::Csv { escape::MOST * text } else { text };
        let rows = |text| Rows { count: table.rows() as u64, text, names: &names };
        let sheet = Sheet {
            added: names.clone(),
            own: Box::new(|_| vec![vec![None; names.len()]]),
            ..Sheet::new(table, 0..table.rows())
        };
        let once = self.size_beside(&sheet, rows(text), Rows::NONE)?;
        if most <= 1 {
            return self.hold(once);
        }
        let blank = self.size_beside(&sheet, rows(0), Rows::NONE)?;
        let again = self.size_of_own(table)?.saturating_add(blank).saturating_mul(most - 1);
        self.hold(once.saturating_add(again))
    }

    /// Writes the given rows of `table`, ascending, byte for byte as they were: each as often as `matches` has rows for it, with
    /// their cells in new columns; where there are none, once with nothing in these.
    ///
    /// In delimited text a name or a cell that a spreadsheet would take for a formula has an apostrophe before it, and control
    /// characters are escapes, unless `columns` has it otherwise.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write_joined(
        &self,
        table: &Table,
        columns: &JoinedColumns,
        rows: impl Iterator<Item = usize>,
        matches: &dyn Fn(usize) -> Vec<JoinedRow>,
    ) -> Result<(), DataError> {
        let format = self.format();
        let own = |row| {
            let matches = matches(row);
            if matches.is_empty() {
                return vec![vec![None; columns.names.len()]];
            }
            matches.into_iter().map(|row| columns.cells(row, format)).collect()
        };
        let names = columns.written_names(format);
        self.write_sheet(Sheet {
            added: names.iter().map(String::as_str).collect(),
            own: Box::new(own),
            ..Sheet::new(table, rows)
        })
    }
}
