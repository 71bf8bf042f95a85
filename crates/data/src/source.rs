//! Where rows come from.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::spill::Depot;
use crate::table::Store;
use crate::table::unpack::Packing;
use crate::table::unpack::split;
use crate::{DataError, Format};

/// A file, several, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input, written `-`.
    Stdin,
    /// A file, a folder of files, or a pattern that fits several.
    File(PathBuf),
}

impl Source {
    /// `-` is standard input, anything else a path.
    #[must_use]
    pub fn new(text: &str) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The file's path, without the name of a sheet behind it.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) if path.exists() => Some(path),
            Self::File(path) => Some(path.to_str().map_or(path, |name| Path::new(split(name).0))),
        }
    }

    /// The files that it stands for, by name: of a folder those in it, of a pattern with `*`, `?` or `[…]` those that it
    /// fits. Names that begin with a point or `_` are left out, as by other tools.
    pub(crate) fn files(&self) -> Result<Vec<Self>, DataError> {
        let Self::File(path) = self else { return Ok(vec![self.clone()]) };
        let fail = |why| DataError::Read { file: self.name(), why };
        let mut files: Vec<PathBuf> = if path.is_dir() {
            let entries = fs::read_dir(path).map_err(fail)?;
            let paths = entries.map(|entry| Ok(entry?.path()));
            paths.collect::<io::Result<_>>().map_err(fail)?
        } else if !path.exists() && is_pattern(path) {
            let pattern = glob::glob(&path.to_string_lossy());
            let pattern = pattern.map_err(|_| DataError::Pattern { pattern: self.name() })?;
            let paths = pattern.map(|entry| entry.map_err(io::Error::from));
            paths.collect::<io::Result<_>>().map_err(fail)?
        } else {
            return Ok(vec![self.clone()]);
        };
        files.retain(|file| file.is_file() && !is_hidden(file));
        files.sort_unstable();
        if files.is_empty() {
            return Err(DataError::NoFiles { place: self.name() });
        }
        Ok(files.into_iter().map(Self::File).collect())
    }

    /// Everything in it, in memory once.
    #[cfg(any(test, feature = "calendar"))]
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        let read = match self {
            Self::Stdin => io::stdin().lock().read_to_end(&mut bytes),
            Self::File(path) => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        read.map_err(|why| DataError::Read { file: self.name(), why })?;
        Ok(bytes)
    }

    /// How many bytes are in it; unknown of standard input, pipes, and what is compressed.
    pub(crate) fn size(&self) -> Result<Option<u64>, DataError> {
        let mut total = 0;
        for file in self.files()? {
            // What cannot be read is said when it is read.
            match file.path().map(|path| (path, fs::metadata(path))) {
                Some((path, Ok(about))) if about.is_file() && !is_packed(path) => {
                    total += about.len();
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(total))
    }

    /// How many of these bytes are in files of Arrow, by their names.
    pub(crate) fn arrow_size(&self) -> Result<u64, DataError> {
        let files = self.files()?;
        let arrow = files.iter().filter_map(Self::path).filter(|path| {
            matches!(Format::of_name(path), Some(Format::Arrow | Format::ArrowStream))
        });
        // What cannot be read is said when it is read.
        Ok(arrow.filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum())
    }

    /// Everything in it: in memory as far as `depot` keeps it there, else in a temporary file.
    pub(crate) fn store(&self, depot: &mut Depot<'_>) -> Result<Store, DataError> {
        let fail = |why| DataError::Read { file: self.name(), why };
        match self.path() {
            None => self.store_from(io::stdin().lock(), depot),
            Some(path) => self.store_from(File::open(path).map_err(fail)?, depot),
        }
    }

    fn store_from(&self, mut from: impl Read, depot: &mut Depot<'_>) -> Result<Store, DataError> {
        let mut bytes = Vec::new();
        let read = from.by_ref().take(depot.keep.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|why| DataError::Read { file: self.name(), why })?;
        if bytes.len() as u64 <= depot.keep {
            return Ok(Store::Memory(bytes));
        }
        Ok(Store::Spilled(Arc::new(depot.spill(&self.name(), bytes, from)?)))
    }
}

/// Whether a file begins as one that is compressed does.
fn is_packed(path: &Path) -> bool {
    let mut beginning = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && Packing::of(&beginning).is_some()
}

fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.as_encoded_bytes());
    matches!(name, Some([b'.' | b'_', ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_says_why_and_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |path: PathBuf| path.display().to_string();
        for (path, part) in [
            (name(folder.path().join("none.csv")), "no such file"),
            (name(folder.path().to_owned()), "is a folder"),
        ] {
            let error = Source::new(&path).bytes().expect_err("unreadable").to_string();
            assert!(error.starts_with(&format!("cannot read {path}: ")), "{error}");
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Source::new("-"), Source::Stdin);
        assert_eq!(Source::new("./-"), Source::File("./-".into()));
    }
}
