//! What a service tells its operator: lines with the time (UTC).

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};
use veilset::lookup::{Refusal, Told};
use veilset::net::{Event, Farewell, Note, Parting};
use veilset::party::{Peer, PublicKey, StoreError, guard};
use veilset::voice;

use super::guests::Guests;
use super::tally::{Case, Tally, What};
use crate::error::Failure;

/// Where the lines go, and what the keys in them are called.
pub(super) struct Log {
    quiet: bool,
    /// Where requests are logged, if not on standard error.
    requests: Option<Mutex<Requests>>,
    guests: RwLock<Guests>,
    tally: Mutex<Tally>,
    /// Guests that came with the key that they announced as their next.
    met: Mutex<Vec<(Peer, PublicKey)>>,
}

/// The file of `--log`.
struct Requests {
    path: PathBuf,
    file: File,
    /// Whether the last line could not be written, or not as a whole, which is said once.
    failed: bool,
}

impl Log {
    /// A log for these guests, with a file for requests if there is to be one.
    ///
    /// # Errors
    /// When it cannot be written, or others may change it or its folder.
    pub(super) fn open(path: Option<&Path>, guests: Guests, quiet: bool) -> Result<Self, Failure> {
        let requests = path.map(|path| {
            let (path, file) = (path.to_owned(), appended(path)?);
            Ok::<_, StoreError>(Mutex::new(Requests { path, file, failed: false }))
        });
        let (requests, guests) = (requests.transpose()?, RwLock::new(guests));
        Ok(Self { quiet, requests, guests, tally: Mutex::default(), met: Mutex::default() })
    }

    /// Opens the file anew: it may have been moved away.
    pub(super) fn reopen(&self) {
        let Some(mut requests) = self.requests() else { return };
        match appended(&requests.path) {
            Ok(file) => requests.file = file,
            Err(why) => {
                self.warn(format_args!("{why}; the server goes on with the log that it had"));
            }
        }
    }

    /// A line for the operator.
    pub(super) fn say(&self, line: impl Display) {
        if !self.quiet {
            speak(line);
        }
    }

    /// A line that is said, quiet or not.
    pub(super) fn warn(&self, line: impl Display) {
        speak(format_args!("warning: {line}"));
    }

    /// What happens beside answers, and who asked.
    pub(super) fn tell(&self, told: &Told<'_>) {
        match told {
            Told::Connection(note) => self.note(note),
            Told::Asked { client, items, refused } => self.request(client, *items, *refused),
        }
    }

    /// Those who may ask now.
    pub(super) fn guests(&self) -> RwLockReadGuard<'_, Guests> {
        self.guests.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// These may ask from now on.
    pub(super) fn replace_guests(&self, guests: Guests) {
        self.tell_counts(true);
        self.tally().keep(|client| guests.has(client));
        *self.guests.write().unwrap_or_else(PoisonError::into_inner) = guests;
    }

    /// Says how often what is not told any more one by one happened: when it is time, or `all` of it now.
    pub(super) fn tell_counts(&self, all: bool) {
        let counts = {
            let mut tally = self.tally();
            if all || tally.is_due(Instant::now()) { tally.tell() } else { Vec::new() }
        };
        for (Case { client, what }, times) in counts {
            let name = self.guests().label(&client);
            match what {
                What::Refused(why) => {
                    self.log(format_args!("{name} asked {times} times more: {why}"))
                }
                What::SentAway => {
                    self.say(format_args!("sent {name} away {times} times more: it may not ask"))
                }
            }
        }
    }

    fn note(&self, note: &Note) {
        match note {
            Note::Caller(Event::StrangerRefused { addr, why }) => {
                self.say(format_args!("turned away a caller from {addr}: {why}"));
            }
            Note::Caller(Event::StrangersRefused { count, why }) => {
                self.say(format_args!("turned away {count} more callers, the last: {why}"));
            }
            Note::Left(client, Parting::Sent(Farewell::Forbidden)) => {
                if self.is_told(*client, What::SentAway) {
                    let name = self.guests().label(client);
                    self.say(format_args!("sent {name} away: it may not ask"));
                }
            }
            Note::Caller(Event::Retrying { addr, why, .. }) => {
                self.warn(format_args!("nobody can come in at {addr} ({why}); trying again"));
            }
            Note::Caller(_) | Note::Joined(_) | Note::Left(..) => {}
        }
    }

    /// A client pays for answers with its quota, and for refusals with nothing.
    /// Guests that came with the key that they announced, since the last call.
    pub(super) fn met(&self) -> Vec<(Peer, PublicKey)> {
        mem::take(&mut *self.met.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn request(&self, client: &PublicKey, items: u64, refused: Option<Refusal>) {
        if let Some(peer) = self.guests().with_next(client) {
            self.met.lock().unwrap_or_else(PoisonError::into_inner).push((peer, *client));
        }
        let why = refused.map(Refusal::code);
        if why.is_none_or(|why| self.is_told(*client, What::Refused(why))) {
            let name = self.guests().label(client);
            self.log(format_args!("{name} asked for {items}: {}", why.unwrap_or("answered")));
        }
    }

    /// Counts what happens to a client, and returns whether it is told by itself.
    fn is_told(&self, client: PublicKey, what: What) -> bool {
        self.tally().add(Case { client, what }, Instant::now())
    }

    /// A line of what was asked.
    fn log(&self, line: impl Display) {
        let Some(mut requests) = self.requests() else { return self.say(line) };
        let failed = requests.failed;
        if let (Err(why), false) = (requests.write(line), failed) {
            self.warn(format_args!(
                "cannot write {}: {why}; the server logs no requests until this works",
                requests.path.display()
            ));
        }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> Option<MutexGuard<'_, Requests>> {
        // A line that a panic cut is at an end.
        self.requests
            .as_ref()
            .map(|requests| requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Requests {
    /// In one call, so that a line is there as a whole; one that a full disk cut is not continued by the next.
    fn write(&mut self, line: impl Display) -> io::Result<()> {
        let start = if self.failed { "\n" } else { "" };
        let written = self.file.write_all(format!("{start}{} {line}\n", now()).as_bytes());
        self.failed = written.is_err();
        written
    }
}

/// The file at `path`, to write at its end; a new one is its owner's alone.
///
/// # Errors
/// When it cannot be written, or others may change it or its folder.
fn appended(path: &Path) -> Result<File, StoreError> {
    let failed = |why| StoreError::Write { path: path.to_owned(), why };
    guard::check_folder(path)?;
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(failed)?;
    // Where a link led to no file, there is one only now.
    guard::check_folder(path)?;
    let about = file.metadata().map_err(failed)?;
    // All may write to a device, such as /dev/null.
    if about.is_file() {
        guard::check_unchanged_by_others(path, &about)?;
    }
    Ok(file)
}

/// A line for how many lines standard error did not take.
pub(super) fn dropped(count: u64) -> String {
    format!("{} warning: {count} lines were dropped: the reader was too slow", now())
}

fn speak(line: impl Display) {
    voice::say(format_args!("{} {line}", now()));
}

/// The time in UTC, such as `2027-03-29T09:00:00Z`.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
