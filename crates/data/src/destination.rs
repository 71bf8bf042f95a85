//! Where results go: whole, or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::{DataError, Source, Table};

/// A file or standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

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
        let Self::File { path, force } = self else { return Ok(()) };
        let file = path.display().to_string();
        if is_same(path, input) {
            return Err(DataError::OutputIsInput { file });
        }
        if path.exists() && !force {
            return Err(DataError::Exists { file });
        }
        new_file(path).map(drop).map_err(|why| DataError::Write { file, why })
    }

    /// Writes the header and the given rows of `table`, byte for byte as they were.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write_rows(
        &self,
        table: &Table,
        rows: impl Iterator<Item = usize>,
    ) -> Result<(), DataError> {
        match self {
            Self::Stdout => print(&mut io::stdout().lock(), table, rows)
                .map_err(|why| DataError::Write { file: "standard output".to_owned(), why }),
            Self::File { path, .. } => self
                .replace(path, |out| print(out, table, rows))
                .map_err(|why| DataError::Write { file: path.display().to_string(), why }),
        }
    }

    fn replace(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = new_file(path)?;
        let mut out = BufWriter::new(file.as_file_mut());
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        file.as_file().sync_all()?;
        let force = matches!(self, Self::File { force: true, .. });
        let kept = if force { file.persist(path) } else { file.persist_noclobber(path) };
        kept.map(drop).map_err(|error| error.error)
    }
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

fn is_same(path: &Path, input: &Source) -> bool {
    match input {
        Source::Stdin => false,
        Source::File(source) => {
            matches!((fs::canonicalize(path), fs::canonicalize(source)), (Ok(a), Ok(b)) if a == b)
        }
    }
}

fn print(out: &mut impl Write, table: &Table, rows: impl Iterator<Item = usize>) -> io::Result<()> {
    let end = table.line_end();
    out.write_all(table.raw_header())?;
    out.write_all(end)?;
    for row in rows {
        out.write_all(table.raw_row(row))?;
        out.write_all(end)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let csv = b"\xef\xbb\xbf\"id\",note\r\n007,\"a \"\"b\"\"\r\nc\"\r\n\r\n8,\"\"".to_vec();
        Table::parse("t.csv".into(), csv, b',').expect("a table")
    }

    fn file(folder: &Path, force: bool) -> Destination {
        Destination::File { path: folder.join("out.csv"), force }
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    #[test]
    fn rows_come_back_byte_for_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        file(folder.path(), false).write_rows(&table(), [0, 1].into_iter()).expect("writable");
        let written = fs::read(folder.path().join("out.csv")).expect("written");
        assert_eq!(written, b"\"id\",note\r\n007,\"a \"\"b\"\"\r\nc\"\r\n8,\"\"\r\n");
        assert_eq!(names(folder.path()), 1);
    }

    #[test]
    fn an_existing_file_is_kept_unless_forced_and_the_input_always() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("writable");
        let kept = file(folder.path(), false);
        assert!(matches!(kept.check(&Source::Stdin), Err(DataError::Exists { .. })));
        assert!(kept.write_rows(&table(), [0].into_iter()).is_err());
        assert_eq!(fs::read(&path).expect("there"), b"old");
        let forced = file(folder.path(), true);
        let same = forced.check(&Source::File(path.clone()));
        assert!(matches!(same, Err(DataError::OutputIsInput { .. })));
        forced.check(&Source::Stdin).expect("may be replaced");
        forced.write_rows(&table(), std::iter::empty()).expect("writable");
        assert_eq!(fs::read(&path).expect("there"), b"\"id\",note\r\n");
        assert_eq!(names(folder.path()), 1);
    }

    #[test]
    fn a_missing_folder_is_said_before_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let nowhere = file(&folder.path().join("none"), false);
        assert!(matches!(nowhere.check(&Source::Stdin), Err(DataError::Write { .. })));
        assert_eq!(names(folder.path()), 0);
    }
}
