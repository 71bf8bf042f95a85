//! `nofly add` and `nofly remove`: changes of a list, whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use veilset::data::{DataError, Destination, KeySpec, Stamp, Table};

use crate::args::EditArgs;
use crate::error::Failure;
use crate::talk::Talk;

/// Puts the value on the list, in a row whose other columns are empty.
pub(crate) fn add(args: &EditArgs, talk: Talk) -> Result<(), Failure> {
    let value = value(args)?;
    let edit = Edit::open(args)?;
    let wanted = edit.wanted(&value)?;
    if edit.rows_with(&wanted)?.contains(&true) {
        talk.say("it is on the list already; nothing changed");
        return Ok(());
    }
    let rows = edit.table.rows();
    let mut bytes = Vec::new();
    edit.table.write_rows(&mut bytes, 0..rows)?;
    bytes.extend_from_slice(edit.row(&value).as_bytes());
    let table = Table::parse(edit.table.name().to_owned(), bytes, b',')?;
    edit.write(&table, 0..=rows)?;
    talk.say(&format!("added; the list has {} rows", rows + 1));
    Ok(())
}

/// Takes every row that carries the value off the list.
pub(crate) fn remove(args: &EditArgs, talk: Talk) -> Result<(), Failure> {
    let value = value(args)?;
    let edit = Edit::open(args)?;
    let goes = edit.rows_with(&edit.wanted(&value)?)?;
    let kept: Vec<usize> = (0..goes.len()).filter(|row| !goes[*row]).collect();
    let removed = goes.len() - kept.len();
    if removed == 0 {
        return Err(Failure::Flags(format!(
            "no row of {} has this value in column {:?}; nothing changed",
            edit.table.name(),
            edit.key.columns()[0].name
        )));
    }
    let left = kept.len();
    edit.write(&edit.table, kept)?;
    talk.say(&format!("removed {removed} rows; the list has {left} rows"));
    Ok(())
}

/// The value from the command line, or from standard input without its line end.
fn value(args: &EditArgs) -> Result<String, Failure> {
    if args.value != "-" {
        return Ok(args.value.clone());
    }
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.map_err(|why| DataError::Read { file: "standard input".to_owned(), why })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// A list that nobody else changes meanwhile.
struct Edit<'a> {
    path: &'a Path,
    table: Table,
    key: KeySpec,
    /// Where the key's column stands.
    column: usize,
    _lock: File,
}

impl<'a> Edit<'a> {
    fn open(args: &'a EditArgs) -> Result<Self, Failure> {
        let path = args.list.as_path();
        let name = path.display().to_string();
        let fail = |why| DataError::Read { file: name.clone(), why };
        let mut lock = locked(path).map_err(fail)?;
        let mut bytes = Vec::new();
        lock.read_to_end(&mut bytes).map_err(fail)?;
        let table = Table::parse(name.clone(), bytes, b',')?;
        let key = match &args.key {
            Some(key) => key.clone(),
            None => only_column(&table)?,
        };
        let [column] = key.locate(&table)?[..] else {
            return Err(Failure::Flags("a value is in one column: give --key one".to_owned()));
        };
        Ok(Self { path, table, key, column, _lock: lock })
    }

    /// The key that a field stands for; empty if it stands for none.
    fn normalised(&self, field: &str) -> String {
        let mut out = String::new();
        self.key.normalise(0, field, &mut out);
        out
    }

    fn wanted(&self, value: &str) -> Result<String, Failure> {
        let wanted = self.normalised(value);
        if wanted.is_empty() {
            return Err(Failure::Flags(format!(
                "the value is empty, a placeholder such as n/a, or no key by the preset {}: it would never match",
                self.key.canonical()
            )));
        }
        Ok(wanted)
    }

    /// For each row, whether it stands for the key `wanted`.
    fn rows_with(&self, wanted: &str) -> Result<Vec<bool>, DataError> {
        let mut found = Vec::with_capacity(self.table.rows());
        self.table.for_each_row(&[self.column], |_, fields| {
            found.push(self.normalised(&fields.get(0)) == wanted);
        })?;
        Ok(found)
    }

    /// A row with `value` in the key's column.
    fn row(&self, value: &str) -> String {
        let width = self.table.header().len();
        let quoted = format!("\"{}\"", value.replace('"', "\"\""));
        let plain = !value.contains(['"', ',', '\r', '\n']);
        let field = if plain { value } else { &quoted };
        let cells = (0..width).map(|column| if column == self.column { field } else { "" });
        cells.collect::<Vec<_>>().join(",")
    }

    fn write(&self, table: &Table, rows: impl IntoIterator<Item = usize>) -> Result<(), DataError> {
        let destination = Destination::file(self.path.to_owned(), true);
        destination.write_rows(table, rows.into_iter())
    }
}

fn only_column(table: &Table) -> Result<KeySpec, Failure> {
    match table.header() {
        [only] => Ok(format!("\"{}\"", only.replace('"', "\"\"")).parse()?),
        several => Err(Failure::Flags(format!(
            "{} has {} columns: say which one holds the value, with --key COL[:PRESET]",
            table.name(),
            several.len()
        ))),
    }
}

/// Opens the file and locks it against other edits, of which each puts a new file in its place: a lock on a file that
/// was replaced meanwhile is worth nothing.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file = File::open(path)?;
        file.lock()?;
        if Stamp::from(&file.metadata()?).number() == Stamp::from(&fs::metadata(path)?).number() {
            return Ok(file);
        }
    }
}
