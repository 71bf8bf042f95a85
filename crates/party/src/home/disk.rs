//! Files in a directory.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::StoreError;
use crate::guard::{check_secret, check_unchanged_by_others};

pub use super::lock::Lock;

/// A file to read from its beginning.
pub type Stored = File;

/// Makes the folder, which only this user may change.
pub(super) fn make(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|why| StoreError::Write { path: folder.to_owned(), why })?;
    is_there(folder).map(|_| ())
}

/// Whether the folder is there, which only this user may change.
pub(super) fn is_there(folder: &Path) -> Result<bool, StoreError> {
    let read = |why| StoreError::Read { path: folder.to_owned(), why };
    match unless_missing(fs::metadata(folder)).map_err(read)? {
        Some(metadata) => check_unchanged_by_others(folder, &metadata).map(|()| true),
        None => Ok(false),
    }
}

/// A file that only this user may change.
pub(super) fn open(path: &Path) -> Result<Option<Stored>, StoreError> {
    let Some((file, metadata)) = opened(path)? else { return Ok(None) };
    check_unchanged_by_others(path, &metadata)?;
    Ok(Some(file))
}

/// A file that only this user may read.
pub(super) fn open_secret(path: &Path) -> Result<Option<Stored>, StoreError> {
    let Some((file, metadata)) = opened(path)? else { return Ok(None) };
    check_secret(path, &metadata)?;
    Ok(Some(file))
}

/// With what the system says of the very file that was opened.
fn opened(path: &Path) -> Result<Option<(File, Metadata)>, StoreError> {
    let opened = File::open(path).and_then(|file| file.metadata().map(|about| (file, about)));
    unless_missing(opened).map_err(|why| StoreError::Read { path: path.to_owned(), why })
}

/// Puts the bytes there at once or not at all; whether it did, which it does not over another file unless it may `replace` that.
pub(super) fn write(folder: &Path, path: &Path, bytes: &[u8], replace: bool) -> io::Result<bool> {
    stage(folder, bytes)?.put(folder, path, replace)
}

/// A file under another name, which goes unless it is put in its place.
pub(super) struct Staged(NamedTempFile);

/// Writes the bytes beside where they are to be.
pub(super) fn stage(folder: &Path, bytes: &[u8]) -> io::Result<Staged> {
    // Temporary files are made with mode 0600.
    let file = NamedTempFile::new_in(folder);
    // A temporary name says nothing to a user.
    let mut file = file.map_err(|why| io::Error::from(why.kind()))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all())?;
    Ok(Staged(file))
}

impl Staged {
    /// Puts it in its place; whether it did, which it does not over another file unless it may `replace` that.
    pub(super) fn put(self, folder: &Path, path: &Path, replace: bool) -> io::Result<bool> {
        let Self(file) = self;
        let written = if replace { file.persist(path) } else { file.persist_noclobber(path) };
        match written {
            Ok(_) => sync(folder).map(|()| true),
            Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(refused) => Err(refused.error),
        }
    }
}

/// Keeps so many bytes of the file, and puts others behind them.
pub(super) fn append(folder: &Path, path: &Path, keep: u64, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.set_len(keep)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    sync(folder)
}

/// Takes the file away, if it is there.
pub(super) fn remove(folder: &Path, path: &Path) -> io::Result<()> {
    unless_missing(fs::remove_file(path)).and_then(|_| sync(folder))
}

/// Gives a file a second name; where a file has one name alone, it is copied.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

/// Whether something has this name.
pub(super) fn has(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A new name is there after a power cut once its folder is written.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn unless_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
