//! A page with tables in it.

use std::path::Path;

use crate::Failure;
use crate::grid::Grid;

/// A page with a place for a paper's tables.
pub(crate) struct Page<'a> {
    path: &'a Path,
    before: String,
    /// The tables, each with its title before it.
    tables: Vec<String>,
    after: String,
}

/// What stands before a title.
const HEADING: &str = "### ";

impl<'a> Page<'a> {
    /// The page in the file at `path`, taken apart at the place for `paper`.
    pub(crate) fn open(path: &'a Path, paper: &str) -> Result<Self, Failure> {
        Self::of(path, &std::fs::read_to_string(path)?, paper)
    }

    fn of(path: &'a Path, page: &str, paper: &str) -> Result<Self, Failure> {
        let marker = format!("<!-- paper {paper} -->\n");
        let missing = || {
            let place = path.display();
            Failure::Page(format!("{place} has no lines {} and <!-- end -->", marker.trim()))
        };
        let (before, rest) = page.split_once(&marker).ok_or_else(missing)?;
        let (tables, after) = rest.split_once("<!-- end -->").ok_or_else(missing)?;
        Ok(Self {
            path,
            before: before.to_owned() + &marker,
            tables: tables
                .split(HEADING)
                .skip(1)
                .map(|table| format!("{HEADING}{table}"))
                .collect(),
            after: format!("<!-- end -->{after}"),
        })
    }

    /// The tables that are there.
    pub(crate) fn grids(&self) -> Vec<Grid> {
        self.tables.iter().filter_map(|table| Grid::read(table)).collect()
    }

    /// Puts each table in the place of that with its title. The page then has what `titles` says, in that order.
    pub(crate) fn write(self, new: Vec<String>, titles: &[&str]) -> Result<(), Failure> {
        let path = self.path;
        Ok(std::fs::write(path, self.with(new, titles))?)
    }

    fn with(mut self, new: Vec<String>, titles: &[&str]) -> String {
        let title = |table: &String| {
            let first = table.lines().next().and_then(|line| line.strip_prefix(HEADING));
            titles.iter().position(|title| Some(*title) == first)
        };
        self.tables.retain(|old| new.iter().all(|new| title(new) != title(old)));
        self.tables.extend(new);
        self.tables.retain(|table| title(table).is_some());
        self.tables.sort_by_key(title);
        [&self.before, "\n", &self.tables.concat(), &self.after].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_its_title() {
        let table =
            |title: &str, cell: &str| format!("### {title}\n\n| n |\n|---|\n| {cell} |\n\n");
        let place = |tables: &[String]| {
            format!("above\n<!-- paper p -->\n\n{}<!-- end -->\nbelow\n", tables.concat())
        };
        let old = place(&[table("no more", "0"), table("one", "1"), table("three", "3")]);
        let page = Page::of(Path::new("page.md"), &old, "p").expect("a place");
        let cells = page.grids().into_iter().map(|grid| grid.rows[0][0].clone());
        assert_eq!(cells.collect::<Vec<_>>(), ["0", "1", "3"]);
        let new = vec![table("two", "2"), table("one", "8")];
        let now = [table("one", "8"), table("two", "2"), table("three", "3")];
        assert_eq!(page.with(new, &["one", "two", "three"]), place(&now));
    }
}
