//! Where results go: whole, or not at all.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::sheet::Sheet;
use self::terminal::ForTerminal;
use crate::table::Delimited;
use crate::{DataError, Format, Source, Table};

mod aligned;
mod delimited;
mod dictionaries;
mod joined;
mod kinds;
mod labelled;
mod new_file;
mod objects;
mod room;
mod share_batches;
mod shares;
mod sheet;
mod sizes;
mod terminal;
mod typed;
mod union;

pub use aligned::ID_COLUMN;
pub use joined::{JoinedColumns, JoinedRow};
pub use labelled::{KEY_COLUMN, LABEL_COLUMN};
pub use new_file::{NewFile, remove_unfinished};
pub(crate) use room::free;
pub use room::is_full;
pub use shares::{ShareColumn, ShareEncoding, ShareTable};

/// A file, standard output, or a place beyond this machine.
#[derive(Debug, Clone)]
pub enum Destination {
    /// Standard output, written `-`.
    Stdout,
    /// A file that appears complete or not at all.
    File(NewFile),
    /// What takes a result whole, somewhere else.
    Sink(Arc<dyn Sink>),
}

/// A place beyond this machine that takes a result: whole, or not at all.
pub trait Sink: fmt::Debug + Send + Sync {
    /// Its name in messages, whose ending says the format.
    fn name(&self) -> String;

    /// Finds out before a run whether the result could be put there after it.
    ///
    /// # Errors
    /// What keeps it from there.
    fn check(&self) -> Result<(), SinkError>;

    /// Puts the result there.
    ///
    /// # Errors
    /// What kept it from there.
    fn put(&self, bytes: Vec<u8>) -> Result<(), SinkError>;
}

/// Why a [`Sink`] does not take a result.
pub type SinkError = Box<dyn Error + Send + Sync>;

impl Destination {
    /// `-` is standard output, anything else a path.
    #[must_use]
    pub fn new(text: &str, force: bool) -> Self {
        if text == "-" { Self::Stdout } else { Self::file(text, force) }
    }

    /// A file, whatever its name; with `force` it may take the place of another.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>, force: bool) -> Self {
        Self::File(NewFile::new(path.into(), force))
    }

    /// Finds out before a run whether rows could be written after it.
    ///
    /// # Errors
    /// As [`Destination::check_place`], and when the name ends like no format of rows.
    pub fn check(&self, input: &Source) -> Result<(), DataError> {
        self.check_place(input)?;
        let unknown =
            |path: &PathBuf| path.extension().is_some() && Format::of_name(path).is_none();
        match self.path().filter(unknown) {
            Some(path) => Err(DataError::NoFormat { file: path.display().to_string() }),
            None => Ok(()),
        }
    }

    /// Finds out before a run whether anything could be written after it.
    ///
    /// # Errors
    /// When the file exists and may not be replaced, is the input, or its folder does not take files.
    pub fn check_place(&self, input: &Source) -> Result<(), DataError> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(file) => file.check(input),
            Self::Sink(sink) if sink.name() == input.name() => {
                Err(DataError::OutputIsInput { file: sink.name() })
            }
            Self::Sink(sink) => sink.check().map_err(DataError::Sink),
        }
    }

    /// What stands between the fields of delimited text, where the name says it.
    fn delimiter(&self) -> Option<u8> {
        let path = self.path()?;
        let ending = path.extension().and_then(OsStr::to_str)?;
        ending.eq_ignore_ascii_case("tsv").then_some(b'\t')
    }

    /// Whether delimited text stays byte for byte what it is in `table`.
    fn keeps(&self, table: &Table) -> bool {
        let same = |text: &Delimited| self.delimiter().is_none_or(|own| own == text.delimiter());
        table.delimited().is_some_and(same)
    }

    /// Its name, where it has one.
    fn path(&self) -> Option<PathBuf> {
        match self {
            Self::Stdout => None,
            Self::File(file) => Some(file.path.clone()),
            Self::Sink(sink) => Some(sink.name().into()),
        }
    }

    /// The format that the file's name says; CSV where it says none, and on standard output.
    #[must_use]
    pub fn format(&self) -> Format {
        self.path().and_then(|path| Format::of_name(&path)).unwrap_or(Format::Csv)
    }

    /// Finds out before a run whether rows of `table` could be decoded and written after it, and holds room for all of
    /// them in a file's folder.
    ///
    /// # Errors
    /// When a column has no text where text is needed, or no place in this format, or cannot be decoded; when there is too
    /// little room.
    pub fn prepare(&self, table: &Table) -> Result<(), DataError> {
        let all: Vec<usize> = (0..table.header().len()).collect();
        match self.format() {
            Format::Csv | Format::Ndjson => table.check_text(&all)?,
            _ => table.check_whole(&all)?,
        }
        match self {
            Self::Stdout => table.decode(),
            Self::File(_) | Self::Sink(_) => self.hold(self.size_of_own(table)?),
        }
    }

    /// Holds room for so many bytes more where it is known what is free: not on standard output, nor beyond this machine.
    fn hold(&self, more: u64) -> Result<(), DataError> {
        match self {
            Self::Stdout | Self::Sink(_) => Ok(()),
            Self::File(file) => file.hold(more),
        }
    }

    /// Writes the given rows of `table`, in the format that the file's name says: text byte for byte as it was where it
    /// stays in its format, typed columns as they are where the format has types.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    ///
    /// # Panics
    /// As [`Table::take`].
    pub fn write_rows(
        &self,
        table: &Table,
        rows: impl Iterator<Item = usize>,
    ) -> Result<(), DataError> {
        self.write_sheet(Sheet::new(table, rows))
    }

    fn write_sheet(&self, sheet: Sheet<'_>) -> Result<(), DataError> {
        self.write(|out| self.fill(sheet, out))
    }

    /// Writes it all in this format.
    fn fill(&self, sheet: Sheet<'_>, out: &mut (impl Write + Send)) -> io::Result<()> {
        match self.format() {
            Format::Csv => sheet.write_delimited(out, self.delimiter()),
            Format::Ndjson if sheet.table.is_objects() => sheet.write_objects(out),
            format => sheet.write_typed(out, format),
        }
    }

    /// Has `write` put the result, which did not get where it was to go, into a new file of the same format in `folder` that
    /// only this user may read. Returns its name.
    ///
    /// # Errors
    /// When that cannot be written either; nothing is left of it then.
    pub fn write_instead(
        &self,
        folder: &Path,
        write: impl FnOnce(&Self) -> Result<(), DataError>,
    ) -> Result<PathBuf, DataError> {
        let failure = |why| DataError::Write { file: folder.display().to_string(), why };
        let path = self.path();
        let ending = path.as_ref().and_then(|path| path.extension()).and_then(OsStr::to_str);
        let suffix = format!(".{}", ending.unwrap_or("csv"));
        let (file, name) = NewFile::private(folder, &suffix).map_err(failure)?;
        write(&Self::File(file))?;
        name.keep().map_err(|error| failure(error.error))
    }

    /// Writes a text, such as a picture as SVG.
    ///
    /// # Errors
    /// When that fails; a file is then as it was before.
    pub fn write_text(&self, text: &str) -> Result<(), DataError> {
        self.write(|out| out.write_all(text.as_bytes()))
    }

    /// Writes bytes, such as a message to somebody who runs something else.
    ///
    /// # Errors
    /// As [`write_text`](Self::write_text).
    pub fn write_bytes(&self, bytes: &[u8]) -> Result<(), DataError> {
        self.write(|out| out.write_all(bytes))
    }

    /// Has `fill` write everything, through a buffer.
    pub(crate) fn write(
        &self,
        fill: impl FnOnce(&mut BufWriter<&mut (dyn Write + Send)>) -> io::Result<()>,
    ) -> Result<(), DataError> {
        let fail = |file: String| {
            move |why: io::Error| {
                why.downcast().unwrap_or_else(|why| DataError::Write { file, why })
            }
        };
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout();
                let filled = if stdout.is_terminal() {
                    fill_buffered(&mut ForTerminal::new(stdout), fill)
                } else {
                    fill_buffered(&mut stdout, fill)
                };
                filled.map_err(fail("standard output".to_owned()))
            }
            Self::File(file) => file.write(fill).map_err(fail(file.name())),
            Self::Sink(sink) => {
                let mut bytes = Vec::new();
                fill_buffered(&mut bytes, fill).map_err(fail(sink.name()))?;
                sink.put(bytes).map_err(DataError::Sink)
            }
        }
    }
}

/// Bytes that are written at once: room that is held is given free as often.
const BUFFER: usize = 1 << 18;

/// Has `fill` write to `out` through a buffer, which is flushed.
fn fill_buffered(
    out: &mut (dyn Write + Send),
    fill: impl FnOnce(&mut BufWriter<&mut (dyn Write + Send)>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    fill(&mut out)?;
    out.flush()
}

impl Table {
    /// Writes the header and the given rows as delimited text: byte for byte as they were where the table is such text,
    /// each with the header's line end; else each field's text. `out` is flushed, and should be buffered.
    ///
    /// # Errors
    /// What `out` says, or as [`Table::for_each_row`].
    ///
    /// # Panics
    /// As [`Table::take`].
    pub fn write_rows(
        &self,
        out: &mut impl Write,
        rows: impl Iterator<Item = usize>,
    ) -> io::Result<()> {
        Sheet::new(self, rows).write_delimited(out, None)?;
        out.flush()
    }
}

/// For what writes and reads in one pass; writing a destination tells the two apart again.
impl From<DataError> for io::Error {
    fn from(error: DataError) -> Self {
        Self::other(error)
    }
}

#[cfg(test)]
mod tests;
