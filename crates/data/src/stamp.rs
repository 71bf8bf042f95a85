//! Whether a file is still the one that it was.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

/// What changes when a file is written, or replaced by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    number: u64,
}

impl Stamp {
    /// The stamp of the file at `path`; `None` when it cannot be looked at.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }

    /// The file's number in its file system: a file that is put in another's place has a new one.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        let (modified, length) = (metadata.modified().ok(), metadata.len());
        Self { modified, length, number: number(metadata) }
    }
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Here an open file is not replaced, so that one number does for all.
#[cfg(not(unix))]
fn number(_metadata: &Metadata) -> u64 {
    0
}
