//! What a service tells its operator: lines with the time (UTC).

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};
use veilset::lookup::{Refusal, Told};
use veilset::net::{Event, Farewell, Note, Parting, PublicKey};
use veilset::voice;

use super::guests::Guests;
use crate::error::Failure;

/// Where the lines go, and what the keys in them are called.
pub(super) struct Log {
    quiet: bool,
    /// Where requests are logged, if not on standard error.
    requests: Option<Mutex<Requests>>,
    guests: RwLock<Guests>,
}

/// The file of `--log`.
struct Requests {
    path: PathBuf,
    file: File,
    /// Whether the last line could not be written, which is said once.
    failed: bool,
}

impl Log {
    /// A log for these guests, with a file for requests if there is to be one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn open(path: Option<&Path>, guests: Guests, quiet: bool) -> Result<Self, Failure> {
        let requests = path.map(|path| {
            let file = appended(path);
            let file = file.map_err(|why| Failure::Service { what: "write the log", why })?;
            Ok::<_, Failure>(Mutex::new(Requests { path: path.to_owned(), file, failed: false }))
        });
        let requests = requests.transpose()?;
        Ok(Self { quiet, requests, guests: RwLock::new(guests) })
    }

    /// Opens the file anew: it may have been moved away.
    pub(super) fn reopen(&self) {
        let Some(mut requests) = self.requests() else { return };
        match appended(&requests.path) {
            Ok(file) => (requests.file, requests.failed) = (file, false),
            Err(why) => self.warn(format_args!(
                "cannot write {}: {why}; requests are logged where they were",
                requests.path.display()
            )),
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

    pub(super) fn replace_guests(&self, guests: Guests) {
        *self.guests.write().unwrap_or_else(PoisonError::into_inner) = guests;
    }

    fn note(&self, note: &Note) {
        match note {
            Note::Stranger(Event::StrangerRefused { addr, why }) => {
                self.say(format_args!("turned away a caller from {addr}: {why}"));
            }
            Note::Stranger(Event::StrangersRefused { count, why }) => {
                self.say(format_args!("turned away {count} more callers, the last: {why}"));
            }
            Note::Left(client, Parting::Sent(Farewell::Forbidden)) => {
                let name = self.guests().label(client);
                self.say(format_args!("sent {name} away, who is not allowed to ask"));
            }
            Note::Stranger(_) | Note::Joined(_) | Note::Left(..) => {}
        }
    }

    fn request(&self, client: &PublicKey, items: u64, refused: Option<Refusal>) {
        let result = refused.map_or("answered", Refusal::code);
        let name = self.guests().label(client);
        let line = format!("{name} asked for {items}: {result}");
        match self.requests() {
            None => self.say(line),
            Some(mut requests) => {
                let written = writeln!(requests.file, "{} {line}", now());
                let failed = std::mem::replace(&mut requests.failed, written.is_err());
                if let (Err(why), false) = (written, failed) {
                    self.warn(format_args!(
                        "cannot write {}: {why}; requests are not logged until this works",
                        requests.path.display()
                    ));
                }
            }
        }
    }

    fn requests(&self) -> Option<MutexGuard<'_, Requests>> {
        // A line that a panic cut is at an end.
        self.requests
            .as_ref()
            .map(|requests| requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The file at `path`, to write at its end; a new one is its owner's alone.
fn appended(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display())))
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
