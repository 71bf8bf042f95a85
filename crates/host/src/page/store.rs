//! Files that the browser keeps for this page: all of them in memory, each change in the browser's own store as well.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::border;

/// The files, and the changes that are on their way into the browser's store.
struct Store {
    files: BTreeMap<String, Vec<u8>>,
    next: u32,
    /// Whether each went well, once that is known.
    changes: BTreeMap<u32, Option<bool>>,
}

static STORE: Mutex<Store> =
    Mutex::new(Store { files: BTreeMap::new(), next: 0, changes: BTreeMap::new() });
/// Held by whoever changes a file: one at a time.
static CHANGING: Mutex<()> = Mutex::new(());
static DONE: Condvar = Condvar::new();

fn store() -> MutexGuard<'static, Store> {
    STORE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn stored(name: String, bytes: Vec<u8>) {
    store().files.insert(name, bytes);
}

pub(super) fn kept(number: u32, well: bool) {
    store().changes.insert(number, Some(well));
    DONE.notify_all();
}

/// The bytes of a file, if there is one of this name.
#[must_use]
pub fn read(name: &str) -> Option<Vec<u8>> {
    store().files.get(name).cloned()
}

fn alone() -> MutexGuard<'static, ()> {
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts a file there, or takes it away, and waits until the browser has that; whether it has. If not, nothing changed.
#[must_use]
pub fn write(name: &str, bytes: Option<&[u8]>) -> bool {
    change(name, bytes, &alone())
}

/// Puts a file there if there is none; nothing where there is one.
#[must_use]
pub fn create(name: &str, bytes: &[u8]) -> Option<bool> {
    let alone = alone();
    read(name).is_none().then(|| change(name, Some(bytes), &alone))
}

fn change(name: &str, bytes: Option<&[u8]>, _: &MutexGuard<'_, ()>) -> bool {
    let mut store = store();
    store.next += 1;
    let number = store.next;
    store.changes.insert(number, None);
    border::keep(number, name, bytes);
    while store.changes.get(&number) == Some(&None) {
        store = DONE.wait(store).unwrap_or_else(PoisonError::into_inner);
    }
    let well = store.changes.remove(&number).flatten().unwrap_or_default();
    if well {
        match bytes {
            Some(bytes) => store.files.insert(name.to_owned(), bytes.to_vec()),
            None => store.files.remove(name),
        };
    }
    well
}
