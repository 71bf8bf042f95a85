//! One change at a time, between programs.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::StoreError;

/// The pause between two attempts.
const BREATH: Duration = Duration::from_millis(20);

/// Held until it goes, or its program ends in whatever way: the system keeps it, not the file's existence.
pub(crate) struct Lock {
    _held: Held,
}

impl Lock {
    /// Locks the file at `path`, which is made if need be and stays; waits for `patience` while somebody else has it.
    ///
    /// # Errors
    /// [`StoreError::Busy`], or [`StoreError::Write`] when the file cannot be opened or locked.
    pub(crate) fn take(path: &Path, patience: Duration) -> Result<Self, StoreError> {
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

#[cfg(unix)]
type Held = nix::fcntl::Flock<File>;

/// `None` while somebody else has it.
#[cfg(unix)]
fn try_lock(path: &Path) -> io::Result<Option<Held>> {
    use nix::errno::Errno;
    use nix::fcntl::{Flock, FlockArg};
    use std::os::unix::fs::OpenOptionsExt;

    let file =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(held) => Ok(Some(held)),
        Err((_, Errno::EWOULDBLOCK | Errno::EINTR)) => Ok(None),
        Err((_, why)) => Err(why.into()),
    }
}

#[cfg(windows)]
type Held = File;

/// `None` while somebody else has it: an open file that is not shared opens once.
#[cfg(windows)]
fn try_lock(path: &Path) -> io::Result<Option<Held>> {
    use std::os::windows::fs::OpenOptionsExt;

    const SHARING_VIOLATION: i32 = 32;
    let opened =
        OpenOptions::new().write(true).create(true).truncate(false).share_mode(0).open(path);
    match opened {
        Err(why) if why.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        other => other.map(Some),
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
