//! A table of any content.

/// Columns with names, and rows of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    /// As many cells a row as there are columns; empty where there is nothing to say.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        self.rows.push(row);
    }

    /// In Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.columns.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.columns) + &rule + &rows
    }
}

/// Seconds to three digits, or nothing.
pub(super) fn seconds(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 1.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_a_table_in_markdown() {
        let mut grid = Grid::new(&["k", "s"]);
        grid.push(vec!["2".into(), seconds(Some(0.25))]);
        grid.push(vec!["3".into(), seconds(None)]);
        assert_eq!(grid.markdown(), "| k | s |\n|---|---|\n| 2 | 0.2500 |\n| 3 |  |\n");
    }
}
