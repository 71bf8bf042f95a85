//! One change at a time, between programs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::StoreError;

/// The pause between two attempts.
const BREATH: Duration = Duration::from_millis(20);

/// Held until it goes, or its program ends in whatever way: the system keeps it, not the file's existence.
pub struct Lock {
    _held: File,
}

impl Lock {
    /// Locks the file at `path`, which is made if need be and stays; waits for `patience` while somebody else has it.
    ///
    /// # Errors
    /// [`StoreError::Busy`], or [`StoreError::Write`] when the file cannot be opened or locked.
    pub(in crate::home) fn take(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let start = Instant::now();
        loop {
            match try_lock(path) {
                Ok(Some(held)) => return Ok(Self { _held: held }),
                Ok(None) if start.elapsed() < patience => sleep(BREATH),
                Ok(None) => return Err(StoreError::Busy { path: path.to_owned() }),
                Err(why) => return Err(StoreError::Write { path: path.to_owned(), why }),
            }
        }
    }
}

/// `None` while somebody else has it.
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) if why.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_at_a_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("lock");
        let first = Lock::take(&path, Duration::ZERO).expect("free");
        let second = Lock::take(&path, 2 * BREATH);
        assert!(matches!(second, Err(StoreError::Busy { .. })));
        drop(first);
        assert!(Lock::take(&path, Duration::ZERO).is_ok());
    }
}
