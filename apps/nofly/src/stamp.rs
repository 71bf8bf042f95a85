//! Whether a file is still the one that it was.

use std::fs::Metadata;
use std::time::SystemTime;

/// What changes when a file is written, or replaced by another.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    number: u64,
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        let (modified, length) = (metadata.modified().ok(), metadata.len());
        Self { modified, length, number: number(metadata) }
    }
}

/// The file's number in its file system: a file that is put in another's place has a new one.
#[cfg(unix)]
pub(crate) fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Here an open file is not replaced, so that one number does for all.
#[cfg(not(unix))]
pub(crate) fn number(_metadata: &Metadata) -> u64 {
    0
}
