//! The list that is served: always the newest that could be read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use veilset::data::{DataError, KeySpec, Source, Stamp};
use veilset::{Input, voice};

use crate::talk::{Talk, summary};

/// A list file and what was read of it last.
pub(crate) struct List {
    path: PathBuf,
    key: KeySpec,
    talk: Talk,
    held: Mutex<Held>,
}

struct Held {
    stamp: Option<Stamp>,
    input: Arc<Input>,
}

impl List {
    /// Reads the list for the first time.
    ///
    /// # Errors
    /// When the file cannot be read or lacks a column of the key.
    pub(crate) fn open(path: &Path, key: &KeySpec, talk: Talk) -> Result<Self, DataError> {
        let held = Mutex::new(read(path, key)?);
        let list = Self { path: path.to_owned(), key: key.clone(), talk, held };
        list.tell(&list.held().input);
        Ok(list)
    }

    /// The list as it stands in its file now. A file that cannot be read does not end the service: the last list that
    /// could be is served, and the operator is told at every screening.
    pub(crate) fn current(&self) -> Arc<Input> {
        let mut held = self.held();
        if held.stamp.is_none() || held.stamp != Stamp::of(&self.path) {
            self.replace(&mut held);
        }
        Arc::clone(&held.input)
    }

    /// Reads the file again, changed or not.
    pub(crate) fn reload(&self) {
        self.replace(&mut self.held());
    }

    fn replace(&self, held: &mut Held) {
        match read(&self.path, &self.key) {
            Ok(new) => {
                *held = new;
                self.tell(&held.input);
            }
            // Quiet or not: a list that is not the newest is worth a line.
            Err(why) => voice::say(format_args!(
                "warning: {why}; the list as it was read before, with {} distinct keys, stays in use",
                held.input.distinct()
            )),
        }
    }

    fn tell(&self, input: &Input) {
        self.talk.say(&summary(&self.path.display().to_string(), input));
        Talk::warn(&input.warnings());
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // A list is replaced whole, so none is half done.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stamp is older than what is read: a change in between is seen the next time.
fn read(path: &Path, key: &KeySpec) -> Result<Held, DataError> {
    let stamp = Stamp::of(path);
    let input = Input::read(&Source::File(path.to_owned()), None, key)?;
    Ok(Held { stamp, input: Arc::new(input) })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const QUIET: Talk = Talk { quiet: true };

    #[test]
    fn a_changed_file_counts_and_a_broken_one_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.csv");
        let write = |text: &str| fs::write(&path, text).expect("writable");
        let key: KeySpec = "id".parse().expect("a key");
        assert!(List::open(&path, &key, QUIET).is_err(), "there is no file yet");
        write("id\na\n");
        let list = List::open(&path, &key, QUIET).expect("a list");
        let first = list.current();
        assert!(Arc::ptr_eq(&first, &list.current()), "an unchanged file is read once");
        write("id\na\nb\n");
        assert_eq!((first.distinct(), list.current().distinct()), (1, 2));
        write("other\na\nb\nc\n");
        assert_eq!(list.current().distinct(), 2, "without its column");
        fs::remove_file(&path).expect("it is there");
        assert_eq!(list.current().distinct(), 2, "without its file");
        write("id\na\nb\nc\n");
        list.reload();
        assert_eq!(list.current().distinct(), 3);
    }
}
