//! How many items each client may ask for in an hour.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use veilset_party::guard::{check_folder, check_unchanged_by_others};
use veilset_party::{PublicKey, StoreError};

use crate::Refusal;
use crate::disk::{lock_file, put};

const HOUR: u64 = 3600;

/// A bound on the items of each client in each hour of the clock (UTC), kept in a file: a restart gives nobody more. What
/// was counted since the last [`Quota::save`] is lost where the program or the machine stops without one.
///
/// A client can ask for twice as many in the minutes around the full hour.
pub struct Quota {
    most: Option<u64>,
    file: Option<CountsFile>,
    state: Mutex<State>,
}

struct CountsFile {
    path: PathBuf,
    /// Keeps other services from counting in the same file.
    _lock: File,
    /// Held from looking at the counts to the end of writing them: what is older never replaces what is newer.
    writing: Mutex<()>,
}

#[derive(Default)]
struct State {
    hour: u64,
    used: HashMap<PublicKey, u64>,
    changed: bool,
}

/// Items that were counted for a request, to be given back if it gets no answer.
#[must_use]
pub struct Charge {
    client: PublicKey,
    items: u64,
    hour: u64,
}

impl Quota {
    /// No bound: a client that may ask without end learns which of all items that it can think of are listed.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { most: None, file: None, state: Mutex::default() }
    }

    /// At most `most` items an hour, with what was asked this hour in the file at `path`; if there is none, nobody asked.
    ///
    /// # Errors
    /// When the file cannot be read, says something else, others may change it or its folder, or another service counts in it.
    pub fn per_hour(most: u64, path: &Path) -> io::Result<Self> {
        let named = |kind, why: String| io::Error::new(kind, format!("{}: {why}", path.display()));
        check_folder(path).map_err(refused)?;
        let lock = lock_file(path).map_err(|why| named(why.kind(), why.to_string()))?;
        lock.try_lock().map_err(|why| {
            let why = format!("another service counts there, or it cannot be locked ({why})");
            named(ErrorKind::WouldBlock, why)
        })?;
        let state = match File::open(path) {
            Ok(mut file) => {
                check_unchanged_by_others(path, &file.metadata()?).map_err(refused)?;
                let mut text = String::new();
                let read = file.read_to_string(&mut text);
                read.map_err(|why| named(why.kind(), why.to_string()))?;
                parse(&text).ok_or_else(|| {
                    let why = "these are no counts; remove the file to count from nothing";
                    named(ErrorKind::InvalidData, why.to_owned())
                })?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => State::default(),
            Err(error) => return Err(named(error.kind(), error.to_string())),
        };
        let file = CountsFile { path: path.to_owned(), _lock: lock, writing: Mutex::new(()) };
        Ok(Self { most: Some(most), file: Some(file), state: Mutex::new(state) })
    }

    /// Counts so many items of a client, if it may have them.
    ///
    /// # Errors
    /// [`Refusal::Quota`] with the seconds until the next hour; nothing is counted then.
    pub fn take(
        &self,
        client: &PublicKey,
        items: u64,
        now: SystemTime,
    ) -> Result<Option<Charge>, Refusal> {
        let Some(most) = self.most else { return Ok(None) };
        let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut state = self.state();
        state.turn_to(seconds / HOUR);
        let hour = state.hour;
        let used = state.used.entry(*client).or_default();
        match used.checked_add(items).filter(|used| *used <= most) {
            Some(more) => {
                *used = more;
                state.changed = true;
                Ok(Some(Charge { client: *client, items, hour }))
            }
            None => Err(Refusal::Quota(((hour + 1) * HOUR - seconds) as u32)),
        }
    }

    /// Takes back what was counted for a request that got no answer.
    pub fn give_back(&self, charge: Charge) {
        let mut state = self.state();
        if state.hour == charge.hour
            && let Some(used) = state.used.get_mut(&charge.client)
        {
            *used = used.saturating_sub(charge.items);
            state.changed = true;
        }
    }

    /// Writes the file if anything was counted since the last time; it is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written; the next time tries again.
    pub fn save(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let _writing = file.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let text = {
            let mut state = self.state();
            if !std::mem::take(&mut state.changed) {
                return Ok(());
            }
            state.encode()
        };
        let written = put(&file.path, &[text.as_bytes()], true);
        if written.is_err() {
            self.state().changed = true;
        }
        written
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment, so none is half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What others may change is not counted in.
fn refused(why: StoreError) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, why)
}

impl State {
    /// A new hour begins with no counts. A clock that is set back, by an hour at most, does not give the hour anew; one that
    /// was ahead by more was wrong, and what was counted then is counted in this hour.
    fn turn_to(&mut self, hour: u64) {
        if hour > self.hour {
            *self = Self { hour, changed: true, ..Self::default() };
        } else if hour + 1 < self.hour {
            self.hour = hour;
            self.changed = true;
        }
    }

    fn encode(&self) -> String {
        let lines = self.used.iter().map(|(key, used)| format!("{key} {used}\n"));
        format!("hour {}\n{}", self.hour, lines.collect::<String>())
    }
}

fn parse(text: &str) -> Option<State> {
    let (first, lines) = text.split_once('\n')?;
    let hour = first.strip_prefix("hour ")?.parse().ok()?;
    let line = |line: &str| {
        let (key, used) = line.split_once(' ')?;
        Some((key.parse().ok()?, used.parse().ok()?))
    };
    Some(State { hour, used: lines.lines().map(line).collect::<Option<_>>()?, changed: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Whether so many are taken; what they are charged is kept.
    fn take(quota: &Quota, client: &PublicKey, items: u64, now: u64) -> Result<(), Refusal> {
        quota.take(client, items, at(now)).map(drop)
    }

    #[test]
    fn an_hour_is_an_hour_and_a_restart_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("used");
        let [one, other] = [1, 2].map(|byte| PublicKey::from_bytes([byte; 32]));
        let quota = Quota::per_hour(10, &path).expect("no file yet");
        let now = 7200 * 1000;
        assert_eq!(take(&quota, &one, 8, now), Ok(()));
        assert_eq!(take(&quota, &one, 3, now + 600), Err(Refusal::Quota(3000)));
        assert_eq!(take(&quota, &one, 2, now + 600), Ok(()), "what was refused was not counted");
        assert_eq!(take(&quota, &other, 10, now + 600), Ok(()));
        quota.save().expect("writable");
        let busy = Quota::per_hour(10, &path).err().expect("two would each give all of it");
        assert!(busy.to_string().contains("another service"), "{busy}");
        drop(quota);
        let again = Quota::per_hour(10, &path).expect("readable");
        assert_eq!(take(&again, &one, 1, now + 3599), Err(Refusal::Quota(1)));
        assert_eq!(take(&again, &one, 1, now - 3600), Err(Refusal::Quota(7200)), "set back");
        assert_eq!(take(&again, &one, 10, now + 3600), Ok(()), "the next hour");
        assert_eq!(take(&again, &one, u64::MAX, now + 3600), Err(Refusal::Quota(3600)));
    }

    #[test]
    fn what_gets_no_answer_is_given_back_in_its_hour_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let quota = Quota::per_hour(10, &folder.path().join("used")).expect("no file yet");
        let one = PublicKey::from_bytes([1; 32]);
        let charge = quota.take(&one, 10, at(0)).expect("as many as it may").expect("a charge");
        assert_eq!(take(&quota, &one, 1, 0), Err(Refusal::Quota(3600)));
        quota.give_back(charge);
        let charge = quota.take(&one, 10, at(0)).expect("as before").expect("a charge");
        assert_eq!(take(&quota, &one, 10, 3600), Ok(()));
        quota.give_back(charge);
        assert_eq!(take(&quota, &one, 1, 3600), Err(Refusal::Quota(3600)), "that was another hour");
    }

    #[test]
    fn a_clock_that_was_ahead_shuts_nobody_out_and_gives_nobody_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("used");
        let one = PublicKey::from_bytes([1; 32]);
        let quota = Quota::per_hour(10, &path).expect("no file yet");
        assert_eq!(take(&quota, &one, 7, 900 * HOUR), Ok(()), "ahead");
        quota.save().expect("writable");
        drop(quota);
        let quota = Quota::per_hour(10, &path).expect("readable");
        assert_eq!(take(&quota, &one, 4, 100 * HOUR), Err(Refusal::Quota(3600)));
        assert_eq!(take(&quota, &one, 3, 100 * HOUR), Ok(()));
        assert_eq!(take(&quota, &one, 10, 101 * HOUR), Ok(()));
    }

    #[test]
    fn what_could_not_be_written_is_written_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("writable");
        let path = inner.join("used");
        let one = PublicKey::from_bytes([1; 32]);
        let quota = Quota::per_hour(10, &path).expect("no file yet");
        assert_eq!(take(&quota, &one, 7, 0), Ok(()));
        fs::rename(&inner, folder.path().join("away")).expect("writable");
        assert!(quota.save().is_err(), "the folder is gone");
        fs::rename(folder.path().join("away"), &inner).expect("writable");
        quota.save().expect("the folder is back");
        assert_eq!(fs::read_to_string(&path).expect("there"), format!("hour 0\n{one} 7\n"));
    }

    #[test]
    fn a_broken_file_is_refused_and_no_quota_refuses_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("used");
        let one = PublicKey::from_bytes([1; 32]);
        for text in ["", "hour x\n", "hour 5\nveilset1 7\n", "hour 5\n7\n"] {
            fs::write(&path, text).expect("writable");
            let refused = Quota::per_hour(1, &path).err().expect("no counts");
            assert_eq!(refused.kind(), ErrorKind::InvalidData, "{text:?}");
            assert!(refused.to_string().contains("used: "), "{refused}");
        }
        assert_eq!(take(&Quota::unlimited(), &one, u64::MAX, 0), Ok(()));
        assert!(Quota::unlimited().save().is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn counts_that_others_may_change_or_remove_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("used");
        let allow = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("own");
        };
        drop(Quota::per_hour(1, &path).expect("no file yet"));
        fs::write(&path, "hour 0\n").expect("writable");
        allow(&path, 0o600);
        for (open, mode, shut) in [
            (folder.path(), 0o777, 0o700),
            (folder.path(), 0o1777, 0o700),
            (&path, 0o620, 0o600),
            (&folder.path().join("used.lock"), 0o606, 0o600),
        ] {
            allow(open, mode);
            let why = Quota::per_hour(1, &path).err().expect("others may change it");
            assert!(why.to_string().contains("chmod go-w"), "{why}");
            allow(open, shut);
        }
        assert!(Quota::per_hour(1, &path).is_ok());
    }
}
