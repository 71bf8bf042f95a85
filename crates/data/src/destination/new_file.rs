//! A file that appears whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::{NamedTempFile, TempPath};

use super::fill_buffered;
use super::room::{NoRoom, Room, Roomy};
use crate::{DataError, Source};

/// A file that is to be written, and what is held for it before.
#[derive(Debug, Clone)]
pub struct NewFile {
    pub(super) path: PathBuf,
    /// Whether an existing file may be replaced.
    force: bool,
    /// What is filled where it is, and put nowhere: a file for this user alone.
    own: Option<Arc<File>>,
    /// Clones share it.
    room: Arc<Mutex<Room>>,
}

impl NewFile {
    pub(super) fn new(path: PathBuf, force: bool) -> Self {
        Self { path, force, own: None, room: Arc::default() }
    }

    /// A new file in `folder` for this user alone, which vanishes with its name unless that is kept.
    pub(super) fn private(folder: &Path, suffix: &str) -> io::Result<(Self, TempPath)> {
        let named =
            tempfile::Builder::new().prefix("veilset-").suffix(suffix).tempfile_in(folder)?;
        let (file, path) = named.into_parts();
        Ok((Self { own: Some(Arc::new(file)), ..Self::new(path.to_path_buf(), false) }, path))
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Finds out before a run whether it could be written after it.
    pub(super) fn check(&self, input: &Source) -> Result<(), DataError> {
        let (path, file) = (&self.path, self.name());
        if is_same(path, input) {
            return Err(DataError::OutputIsInput { file });
        }
        match occupant(path) {
            Occupant::Other => return Err(DataError::NotAFile { file }),
            Occupant::File if !self.force => return Err(DataError::Exists { file }),
            Occupant::File | Occupant::Nothing => {}
        }
        temporary(&target(path)).map(drop).map_err(|why| DataError::Write { file, why })
    }

    /// Holds room for so many bytes more.
    pub(super) fn hold(&self, more: u64) -> Result<(), DataError> {
        let path = target(&self.path);
        let folder = folder_of(&path);
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.hold(folder, more).map_err(|why| match why {
            NoRoom::Full { needed, free } => {
                DataError::NoRoomForResult { file: self.name(), needed, free }
            }
            NoRoom::Other(why) => DataError::Write { file: self.name(), why },
        })
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        self.room.lock().expect("no panic").bytes
    }

    /// Fills a new file, in the room that was held, and puts it at the path in one step; a failure leaves nothing behind. Until
    /// then only this user can read it.
    pub(super) fn write(
        &self,
        fill: impl FnOnce(&mut BufWriter<&mut (dyn Write + Send)>) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(own) = &self.own {
            let _unfinished = Unfinished::new(&self.path);
            fill_buffered(&mut &**own, fill)?;
            return own.sync_all();
        }
        let path = target(&self.path);
        let rights = self.rights(&path);
        let mut file = temporary(&path)?;
        let _unfinished = Unfinished::new(file.path());
        let room = std::mem::take(&mut *self.room.lock().unwrap_or_else(PoisonError::into_inner));
        fill_buffered(&mut Roomy { file: file.as_file_mut(), room }, fill)?;
        if let Ok(rights) = rights {
            give(file.as_file(), rights);
        }
        file.as_file().sync_all()?;
        let kept = if self.force { file.persist(&path) } else { file.persist_noclobber(&path) };
        kept.map(drop).map_err(|error| error.error)
    }

    /// The rights of the file that is replaced, or of any new file of this user in that folder.
    fn rights(&self, path: &Path) -> io::Result<Permissions> {
        if let (true, Ok(replaced)) = (self.force, fs::metadata(path)) {
            return Ok(replaced.permissions());
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".veilset-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(builder.tempfile_in(folder_of(path))?.as_file().metadata()?.permissions())
    }
}

/// Gives a file rights, where the file system has such: what it does not take, the result does not fail for.
fn give(file: &File, rights: Permissions) {
    if file.metadata().is_ok_and(|about| about.permissions() != rights) {
        let _ = file.set_permissions(rights);
    }
}

/// Files that are being filled.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file on that list, as long as this lives.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|unfinished| *unfinished != self.0);
    }
}

/// Removes results that are being written: for a process that ends without waiting for whoever writes.
pub fn remove_unfinished() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // Where that fails it stays, for this user alone.
        let _ = fs::remove_file(path);
    }
}

/// A file beside `path` that vanishes unless it is kept, for this user alone.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".veilset-").tempfile_in(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
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
