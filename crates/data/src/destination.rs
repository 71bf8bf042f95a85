//! Where results go: whole, or not at all.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use self::sheet::Sheet;
use self::terminal::ForTerminal;
use self::typed::BatchWriter;
use crate::{DataError, Format, Source, Table};

mod aligned;
mod delimited;
mod labelled;
mod objects;
mod share_batches;
mod shares;
mod sheet;
mod terminal;
mod typed;
mod union;

pub use aligned::ID_COLUMN;
pub use labelled::LABEL_COLUMN;
pub use shares::{ShareColumn, ShareEncoding, ShareTable};

/// A file, standard output, or a place beyond this machine.
#[derive(Debug, Clone)]
pub enum Destination {
    /// Standard output, written `-`.
    Stdout,
    /// A file that appears complete or not at all.
    File {
        /// Where.
        path: PathBuf,
        /// Whether an existing file may be replaced.
        force: bool,
    },
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
        if text == "-" { Self::Stdout } else { Self::File { path: text.into(), force } }
    }

    /// Finds out before a run whether the result could be written after it.
    ///
    /// # Errors
    /// When the file exists and may not be replaced, is the input, or its folder does not take files.
    pub fn check(&self, input: &Source) -> Result<(), DataError> {
        let (path, force) = match self {
            Self::Stdout => return Ok(()),
            Self::File { path, force } => (path, force),
            Self::Sink(sink) if sink.name() == input.name() => {
                return Err(DataError::OutputIsInput { file: sink.name() });
            }
            Self::Sink(sink) => return sink.check().map_err(DataError::Sink),
        };
        let file = path.display().to_string();
        if is_same(path, input) {
            return Err(DataError::OutputIsInput { file });
        }
        match occupant(path) {
            Occupant::Other => return Err(DataError::NotAFile { file }),
            Occupant::File if !force => return Err(DataError::Exists { file }),
            Occupant::File | Occupant::Nothing => {}
        }
        new_file(&target(path)).map(drop).map_err(|why| DataError::Write { file, why })
    }

    /// The format that the file's name says; CSV where it says none, and on standard output.
    #[must_use]
    pub fn format(&self) -> Format {
        let named = match self {
            Self::Stdout => None,
            Self::File { path, .. } => Format::of_name(path),
            Self::Sink(sink) => Format::of_name(Path::new(&sink.name())),
        };
        named.unwrap_or(Format::Csv)
    }

    /// Finds out before a run whether rows of `table` could be decoded and written after it.
    ///
    /// # Errors
    /// When a column has no text where text is needed, or no place in this format, or cannot be decoded.
    pub fn takes(&self, table: &Table) -> Result<(), DataError> {
        let all: Vec<usize> = (0..table.header().len()).collect();
        if matches!(self.format(), Format::Csv | Format::Ndjson) {
            table.check_text(&all)?;
        } else if let Err(why) = BatchWriter::new(self.format(), io::sink(), &table.schema()) {
            let file = table.name().to_owned();
            return Err(DataError::NoPlace { file, format: self.format().name(), why });
        }
        table.decode()
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
        self.write(|out| match self.format() {
            Format::Csv => sheet.write_delimited(out),
            Format::Ndjson if sheet.table.is_objects() => sheet.write_objects(out),
            format => sheet.write_typed(out, format),
        })
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
            Self::File { path, force } => {
                replace(path, *force, fill).map_err(fail(path.display().to_string()))
            }
            Self::Sink(sink) => {
                let mut bytes = Vec::new();
                fill_buffered(&mut bytes, fill).map_err(fail(sink.name()))?;
                sink.put(bytes).map_err(DataError::Sink)
            }
        }
    }
}

/// Has `fill` write to `out` through a buffer, which is flushed.
fn fill_buffered(
    out: &mut (dyn Write + Send),
    fill: impl FnOnce(&mut BufWriter<&mut (dyn Write + Send)>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
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
        Sheet::new(self, rows).write_delimited(out)?;
        out.flush()
    }
}

/// For what writes and reads in one pass; writing a destination tells the two apart again.
impl From<DataError> for io::Error {
    fn from(error: DataError) -> Self {
        Self::other(error)
    }
}

/// Fills a new file and puts it at `path` in one step; a failure leaves nothing behind.
fn replace(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut BufWriter<&mut (dyn Write + Send)>) -> io::Result<()>,
) -> io::Result<()> {
    let path = target(path);
    let mut file = new_file(&path)?;
    fill_buffered(file.as_file_mut(), fill)?;
    if let (true, Ok(replaced)) = (force, fs::metadata(&path)) {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    file.as_file().sync_all()?;
    let kept = if force { file.persist(&path) } else { file.persist_noclobber(&path) };
    kept.map(drop).map_err(|error| error.error)
}

/// A file beside `path` that vanishes unless it is kept; it has the rights of any new file of this user.
fn new_file(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".veilset-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// What is at an output's path.
enum Occupant {
    Nothing,
    File,
    /// A folder, a device, a pipe, or no name for a file at all.
    Other,
}

fn occupant(path: &Path) -> Occupant {
    let names_a_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if names_a_folder || path.file_name().is_none() {
        return Occupant::Other;
    }
    match (fs::metadata(path), fs::symlink_metadata(path)) {
        (Ok(there), _) if there.is_file() => Occupant::File,
        (Ok(_), _) => Occupant::Other,
        // A link to nowhere.
        (Err(_), Ok(_)) => Occupant::File,
        (Err(_), Err(_)) => Occupant::Nothing,
    }
}

/// The file itself, where `path` is a link to one: the file is replaced, not the link.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_same(path: &Path, input: &Source) -> bool {
    // What cannot be read is said when it is read.
    let files = input.files().unwrap_or_default();
    let same = |file: &Path| matches!((fs::canonicalize(path), fs::canonicalize(file)), (Ok(a), Ok(b)) if a == b);
    files.iter().filter_map(Source::path).any(same)
}

#[cfg(test)]
mod tests;
