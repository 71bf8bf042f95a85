//! NDJSON: a JSON object a line, kept as it was.

use std::collections::HashMap;

use super::fields::{Fields, Row};
use super::records::LONGEST;
use super::store::Store;
use super::text::{Text, Window};
use crate::DataError;
use crate::error::{Place, Spot};
use crate::json::{members, text};

/// Rows of objects, each kept byte for byte; its columns are the members' names.
///
/// Costs 8 bytes a row, and the input's size where it stays in memory.
pub(super) struct Objects {
    name: String,
    text: Text,
    /// Where each row begins, then where the text ends.
    starts: Vec<u64>,
    names: Vec<String>,
    /// The first row with an object or array in a column, where there is one.
    nested: Vec<Option<usize>>,
}

impl Objects {
    /// Reads all lines; blank ones are skipped.
    pub(super) fn parse(name: String, store: Store) -> Result<Self, DataError> {
        let (text, fault) = Text::of(store)?;
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
        self.starts.len().saturating_sub(1)
    }

    /// The length of its text.
    pub(super) fn bytes(&self) -> u64 {
        self.text.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.text.memory() + 8 * self.starts.len()
    }

    /// For reading rows as they were.
    pub(super) fn window(&self) -> Window<'_> {
        self.text.window()
    }

    /// The line of row `index`, without its line end.
    pub(super) fn raw_row<'a>(
        &self,
        index: usize,
        window: &'a mut Window<'_>,
    ) -> Result<&'a str, DataError> {
        let lines = window.get(self.starts[index]..self.starts[index + 1])?;
        // Blank lines may follow, but no other.
        Ok(lines.trim())
    }

    pub(super) fn place_of_row(&self, index: usize) -> Place {
        self.place(self.starts[index])
    }

    /// The first row whose member `name` is an object or an array.
    pub(super) fn nested(&self, name: &str) -> Option<usize> {
        let column = self.names.iter().position(|other| other == name)?;
        self.nested[column]
    }

    /// Calls `visit` with the numbers of the given rows and their members of these names, up to the first error.
    pub(super) fn visit<E: From<DataError>>(
        &self,
        rows: impl Iterator<Item = usize>,
        names: &[&str],
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut window = self.text.window();
        for row in rows {
            let mut values = Vec::with_capacity(names.len());
            values.resize(names.len(), None);
            let read = members(self.raw_row(row, &mut window)?, |name, value| {
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
        let mut starts = Vec::new();
        let mut window = self.text.window();
        let mut at = 0;
        while at < self.text.len() {
            let Some(line) = line_from(&mut window, at)? else {
                return Err(DataError::TooLong { place: self.place(at) });
            };
            let marks = line.len() - line.trim_start_matches('\u{feff}').len();
            let next = at + line.len() as u64 + 1;
            let (start, object) = if at == 0 { (marks, &line[marks..]) } else { (0, line) };
            if !object.trim().is_empty() {
                let row = starts.len();
                let read = members(object, |name, value| columns.note(row, &name, value));
                if let Err((byte, what)) = read {
                    return Err(DataError::Json { place: self.place(at), byte, what });
                }
                starts.push(at + start as u64);
            }
            at = next;
        }
        if starts.is_empty() {
            return Err(DataError::Empty { file: self.name.clone() });
        }
        if starts.len() == 1 && !columns.nested.is_empty() && !columns.nested.contains(&None) {
            let what = "one JSON object with all rows in it";
            return Err(DataError::NotLines { file: self.name.clone(), what });
        }
        starts.push(self.text.len());
        starts.shrink_to_fit();
        (self.names, self.nested, self.starts) = (columns.names, columns.nested, starts);
        Ok(())
    }

    fn place(&self, at: u64) -> Place {
        let spot = Spot::Line(self.text.lines_at(at));
        Place { file: self.name.clone(), spot, column: None }
    }
}

/// The line that begins at byte `at`, without its LF; none where it would fill the memory.
fn line_from<'a>(window: &'a mut Window<'_>, at: u64) -> Result<Option<&'a str>, DataError> {
    let mut least = 1;
    let length = loop {
        let (text, last) = window.from(at, least)?;
        match text.find('\n') {
            Some(length) => break length,
            None if last => break text.len(),
            None if text.len() > LONGEST => return Ok(None),
            None => least = (2 * text.len().max(1)).min(LONGEST + 1),
        }
    };
    Ok(Some(&window.from(at, 1)?.0[..length]))
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
