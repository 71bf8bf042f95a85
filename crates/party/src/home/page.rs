//! Files in the store of a browser. The page is alone with them: the browser lets no other site read them, and the desk lets no
//! second tab open the store.

use std::collections::BTreeSet;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use veilset_host::page::store;
use veilset_host::time::Instant;
use zeroize::Zeroizing;

use crate::StoreError;

/// A file to read from its beginning.
pub type Stored = Cursor<Vec<u8>>;

/// The pause between two attempts.
const BREATH: Duration = Duration::from_millis(20);

static LOCKED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn locked() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LOCKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held until it goes.
pub struct Lock(PathBuf);

impl Lock {
    pub(super) fn take(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let start = Instant::now();
        while !locked().insert(path.to_owned()) {
            if start.elapsed() >= patience {
                return Err(StoreError::Busy { path: path.to_owned() });
            }
            sleep(BREATH);
        }
        Ok(Self(path.to_owned()))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        locked().remove(&self.0);
    }
}

/// The bytes of a file that decides whom a party trusts.
///
/// # Errors
/// When it is not there.
pub fn read_trusted(path: &Path) -> Result<Vec<u8>, StoreError> {
    let missing =
        || StoreError::Read { path: path.to_owned(), why: io::ErrorKind::NotFound.into() };
    store::read(&name(path)).ok_or_else(missing)
}

/// What the store calls it.
fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn kept(well: bool) -> io::Result<()> {
    let refused = "the browser did not keep it; free space on its disk or leave its private mode, and try again";
    if well { Ok(()) } else { Err(io::Error::other(refused)) }
}

pub(super) fn make(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

pub(super) fn is_there(_: &Path) -> Result<bool, StoreError> {
    Ok(true)
}

pub(super) fn open(path: &Path) -> Result<Option<Stored>, StoreError> {
    Ok(store::read(&name(path)).map(Cursor::new))
}

pub(super) fn open_secret(path: &Path) -> Result<Option<Stored>, StoreError> {
    open(path)
}

pub(super) fn write(_: &Path, path: &Path, bytes: &[u8], replace: bool) -> io::Result<bool> {
    let name = name(path);
    let written =
        if replace { Some(store::write(&name, Some(bytes))) } else { store::create(&name, bytes) };
    written.map_or(Ok(false), |well| kept(well).map(|()| true))
}

/// Bytes that are to be a file.
pub(super) struct Staged(Zeroizing<Vec<u8>>);

pub(super) fn stage(_: &Path, bytes: &[u8]) -> io::Result<Staged> {
    Ok(Staged(Zeroizing::new(bytes.to_vec())))
}

impl Staged {
    pub(super) fn put(self, folder: &Path, path: &Path, replace: bool) -> io::Result<bool> {
        write(folder, path, &self.0, replace)
    }
}

pub(super) fn append(_: &Path, path: &Path, keep: u64, bytes: &[u8]) -> io::Result<()> {
    let mut whole = store::read(&name(path)).unwrap_or_default();
    whole.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
    whole.extend_from_slice(bytes);
    kept(store::write(&name(path), Some(&whole)))
}

pub(super) fn remove(_: &Path, path: &Path) -> io::Result<()> {
    if has(path) { kept(store::write(&name(path), None)) } else { Ok(()) }
}

pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = store::read(&name(from)).ok_or(io::ErrorKind::NotFound)?;
    kept(store::write(&name(to), Some(&bytes)))
}

pub(super) fn has(path: &Path) -> bool {
    store::read(&name(path)).is_some()
}
