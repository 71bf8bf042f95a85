//! Room on a disk that is held for a file to come.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// A file without a name that takes the room, as long as what is still to be written: nothing is left of it however the
/// process ends.
#[derive(Debug, Default)]
pub(super) struct Room {
    file: Option<File>,
    pub(super) bytes: u64,
}

/// Why room is not held.
pub(super) enum NoRoom {
    /// There is less than this many bytes, which are needed.
    Full { needed: u64, free: u64 },
    /// Something else failed.
    Other(io::Error),
}

impl From<io::Error> for NoRoom {
    fn from(why: io::Error) -> Self {
        Self::Other(why)
    }
}

impl Room {
    /// Holds so many bytes more in `folder`, which is the same each time. Where the file system cannot hold them, they are
    /// free there now, and no more is known.
    pub(super) fn hold(&mut self, folder: &Path, more: u64) -> Result<(), NoRoom> {
        let needed = self.bytes.saturating_add(more);
        let full = |free: u64| Err(NoRoom::Full { needed, free });
        if let Some(longest) = longest_file().filter(|longest| *longest < needed) {
            return full(longest);
        }
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(folder)?,
        };
        match allocate(&file, needed) {
            Ok(()) => self.file = Some(file),
            Err(why) if is_full(why.kind()) => {
                drop(file);
                return full(free(folder)?.min(needed));
            }
            Err(_) if free(folder)? < needed => return full(free(folder)?),
            Err(_) => {}
        }
        self.bytes = needed;
        Ok(())
    }

    /// Gives so many bytes free, which are written now.
    fn give(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
        if let Some(file) = &self.file
            && file.set_len(self.bytes).is_err()
        {
            self.file = None;
        }
    }
}

/// Whether a file could not grow.
#[must_use]
pub fn is_full(why: ErrorKind) -> bool {
    matches!(why, ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded)
}

#[cfg(unix)]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;

    if bytes == 0 {
        return Ok(());
    }
    loop {
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}

/// A file takes as much room as it is long there.
#[cfg(windows)]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

/// Bytes that are free for this user where `folder` is.
#[cfg(unix)]
pub(crate) fn free(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Bytes that are free for this user where `folder` is.
#[cfg(windows)]
pub(crate) fn free(folder: &Path) -> io::Result<u64> {
    fs4::available_space(folder)
}

/// A browser has no files.
#[cfg(target_family = "wasm")]
fn allocate(_: &File, _: u64) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// A browser has no files.
#[cfg(target_family = "wasm")]
pub(crate) fn free(_: &Path) -> io::Result<u64> {
    Err(ErrorKind::Unsupported.into())
}

/// The longest file that this process may write, where Linux tells: a longer one would be its end by a signal.
fn longest_file() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file size"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A file that is written where room for it is held.
pub(super) struct Roomy<'a> {
    pub(super) file: &'a mut File,
    pub(super) room: Room,
}

impl Write for Roomy<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room.give(bytes.len() as u64);
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_shrinks_as_the_file_grows_and_has_no_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut room = Room::default();
        for more in [0, 3 << 20, 1 << 20] {
            assert!(room.hold(folder.path(), more).is_ok());
        }
        let length = |room: &Room| {
            let file = room.file.as_ref().expect("a file system that holds room");
            file.metadata().expect("open").len()
        };
        assert_eq!((room.bytes, length(&room)), (4 << 20, 4 << 20));
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
        let mut written = tempfile::tempfile_in(folder.path()).expect("a file");
        let mut out = Roomy { file: &mut written, room };
        out.write_all(&[7; 1 << 20]).expect("room");
        assert_eq!(length(&out.room), 3 << 20);
        out.write_all(&[7; 5 << 20]).expect("more than was held");
        assert_eq!((length(&out.room), written.metadata().expect("open").len()), (0, 6 << 20));
    }

    #[test]
    fn more_than_the_disk_has_is_refused_with_both_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let much = 1 << 60;
        match Room::default().hold(folder.path(), much) {
            Err(NoRoom::Full { needed, free }) => assert!(needed == much && free < much),
            _ => panic!("no disk has so much"),
        }
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    }
}
