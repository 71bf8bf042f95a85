//! Where rows come from.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::DataError;

/// A file or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input, written `-`.
    Stdin,
    /// A file.
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

    /// Everything in it, in memory once.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, DataError> {
        self.read().map_err(|why| DataError::Read { file: self.name(), why })
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Self::Stdin => io::stdin().lock().read_to_end(&mut bytes)?,
            Self::File(path) => File::open(path)?.read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }
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
