//! What a result is made of, whatever it is written as.

use crate::Table;

/// Cells of added columns, or nothing, which is null where a format has that.
pub(super) type Cells = Vec<Option<String>>;

/// One cell, which is nothing where it is empty.
pub(super) fn one(cell: String) -> Vec<Cells> {
    vec![vec![Some(cell).filter(|cell| !cell.is_empty())]]
}

/// Rows of a table, columns added to them, and rows of cells that follow.
pub(super) struct Sheet<'a> {
    pub(super) table: &'a Table,
    /// Numbers of the table's rows, ascending.
    pub(super) rows: Vec<usize>,
    /// The names of the added columns, which are the last.
    pub(super) added: Vec<&'a str>,
    /// What the table's row of this number has in them, each time that it is written.
    pub(super) own: Box<dyn Fn(usize) -> Vec<Cells> + 'a>,
    /// The columns that the cells of the rows that follow go to; all else in them is empty.
    pub(super) places: Vec<usize>,
    /// The rows that follow.
    pub(super) more: Box<dyn Iterator<Item = Vec<String>> + 'a>,
}

impl<'a> Sheet<'a> {
    /// Rows of a table alone.
    pub(super) fn new(table: &'a Table, rows: impl Iterator<Item = usize>) -> Self {
        Self {
            table,
            rows: rows.collect(),
            added: Vec::new(),
            own: Box::new(|_| vec![Vec::new()]),
            places: Vec::new(),
            more: Box::new(std::iter::empty()),
        }
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.table.header().len() + self.added.len()
    }
}
