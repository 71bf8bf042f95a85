//! A page with tables in it.

use std::path::Path;

use crate::Failure;

/// A page with a place for a paper's tables.
pub(crate) struct Page<'a> {
    path: &'a Path,
    before: String,
    after: String,
}

impl<'a> Page<'a> {
    /// The page in the file at `path`, taken apart at the place for `paper`.
    pub(crate) fn open(path: &'a Path, paper: &str) -> Result<Self, Failure> {
        let marker = format!("<!-- paper {paper} -->\n");
        let missing = || {
            let place = path.display();
            Failure::Page(format!("{place} has no lines {} and <!-- end -->", marker.trim()))
        };
        let page = std::fs::read_to_string(path)?;
        let (before, rest) = page.split_once(&marker).ok_or_else(missing)?;
        let (_, after) = rest.split_once("<!-- end -->").ok_or_else(missing)?;
        Ok(Self {
            path,
            before: before.to_owned() + &marker,
            after: format!("<!-- end -->{after}"),
        })
    }

    /// Puts the tables there.
    pub(crate) fn write(self, tables: &str) -> Result<(), Failure> {
        Ok(std::fs::write(self.path, [&self.before, "\n", tables, &self.after].concat())?)
    }
}
