//! NDJSON: a JSON object a line, kept as it was.

use std::collections::HashMap;

use super::fields::{Fields, Row};
use super::text::valid_text;
use crate::DataError;
use crate::error::{Place, Spot};
use crate::json::{members, text};

/// Rows of objects, each kept byte for byte; its columns are the members' names.
///
/// Costs the input's size and 8 bytes a row.
pub(super) struct Objects {
    name: String,
    text: String,
    /// Where each row begins.
    starts: Vec<u64>,
    names: Vec<String>,
    /// The first row with an object or array in a column, where there is one.
    nested: Vec<Option<usize>>,
}

impl Objects {
    /// Reads all lines; blank ones are skipped.
    pub(super) fn parse(name: String, bytes: Vec<u8>) -> Result<Self, DataError> {
        let (text, fault) = valid_text(bytes);
        let mut objects =
            Self { name, text, starts: Vec::new(), names: Vec::new(), nested: Vec::new() };
        if let Some(what) = fault {
            let place = objects.place(objects.text.len());
            return Err(DataError::NotText { place, what });
        }
        objects.index()?;
        Ok(objects)
    }

    /// The members' names in the order in which they first occur.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.text.len() + 8 * self.starts.len()
    }

    /// The line of row `index`, without its line end.
    pub(super) fn raw_row(&self, index: usize) -> &str {
        let rest = &self.text[self.starts[index] as usize..];
        let end = rest.find('\n').unwrap_or(rest.len());
        rest[..end].trim()
    }

    pub(super) fn place_of_row(&self, index: usize) -> Place {
        self.place(self.starts[index] as usize)
    }

    /// The first row whose member `name` is an object or an array.
    pub(super) fn nested(&self, name: &str) -> Option<usize> {
        let column = self.names.iter().position(|other| other == name)?;
        self.nested[column]
    }

    /// Calls `visit` with the numbers of the given rows and their members of these names, up to the first error.
    pub(super) fn visit<E>(
        &self,
        rows: impl Iterator<Item = usize>,
        names: &[&str],
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut values = Vec::with_capacity(names.len());
        for row in rows {
            values.clear();
            values.resize(names.len(), None);
            let read = members(self.raw_row(row), |name, value| {
                for (place, wanted) in names.iter().enumerate() {
                    if *wanted == name {
                        values[place] = Some(value);
                    }
                }
                Ok(())
            });
            debug_assert!(read.is_ok(), "every row was read before");
            visit(row, &Fields(Row::Object { values: &values }))?;
        }
        Ok(())
    }

    fn index(&mut self) -> Result<(), DataError> {
        let mut columns = Columns::default();
        let mut at = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
        while at < self.text.len() {
            let line = self.text[at..].split('\n').next().unwrap_or_default();
            if !line.trim().is_empty() {
                let row = self.starts.len();
                let read = members(line, |name, value| columns.note(row, &name, value));
                if let Err((byte, what)) = read {
                    return Err(DataError::Json { place: self.place(at), byte, what });
                }
                self.starts.push(at as u64);
            }
            at += line.len() + 1;
        }
        if self.starts.is_empty() {
            return Err(DataError::Empty { file: self.name.clone() });
        }
        (self.names, self.nested) = (columns.names, columns.nested);
        self.starts.shrink_to_fit();
        Ok(())
    }

    fn place(&self, at: usize) -> Place {
        let line = 1 + self.text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        Place { file: self.name.clone(), spot: Spot::Line(line as u64), column: None }
    }
}

/// The columns as they turn up.
#[derive(Default)]
struct Columns {
    places: HashMap<String, usize>,
    names: Vec<String>,
    nested: Vec<Option<usize>>,
    /// The last row that has a member in each.
    last: Vec<usize>,
}

impl Columns {
    /// Takes note of the member of an object, and refuses one that no list can have.
    fn note(&mut self, row: usize, name: &str, value: &str) -> Result<(), &'static str> {
        let column = match self.places.get(name) {
            Some(column) if self.last[*column] == row => {
                return Err("two members of the object have the same name");
            }
            Some(column) => *column,
            None => self.add(name),
        };
        self.last[column] = row;
        if value.starts_with(['{', '[']) {
            self.nested[column].get_or_insert(row);
        }
        text(value).map(drop)
    }

    fn add(&mut self, name: &str) -> usize {
        let column = self.names.len();
        self.places.insert(name.to_owned(), column);
        self.names.push(name.to_owned());
        self.nested.push(None);
        self.last.push(usize::MAX);
        column
    }
}
