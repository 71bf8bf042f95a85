//! What keeps a service in step with its files while it runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

use veilset::data::Stamp;
use veilset::lookup::{LookupService, open};
use veilset::party::Identity;

use super::guests::Sources;
use super::log::Log;
use crate::error::Failure;

/// How often the file is looked at and the quotas are written.
const TICK: Duration = Duration::from_millis(250);

/// Ticks between two attempts to read what could not be read: two seconds.
const PAUSE: u32 = 8;

/// Keeps what is served in step with its file.
pub(super) struct ListKeeper {
    pub(super) file: PathBuf,
    pub(super) identity: Arc<Identity>,
    pub(super) service: Arc<LookupService>,
    pub(super) log: Arc<Log>,
    pub(super) reload: Arc<AtomicU64>,
}

/// Keeps who may ask, and what was asked, in step with their files.
pub(super) struct GuestKeeper<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) service: &'a LookupService,
    pub(super) log: &'a Log,
    pub(super) reload: &'a AtomicU64,
}

impl ListKeeper {
    /// For as long as the program lasts, which can end in the middle of it: a large list for encrypted questions takes a while,
    /// and nothing is written.
    pub(super) fn keep(&self, stamp: Option<Stamp>) -> ! {
        let (mut list, mut before) = (Due::default(), (stamp, 0));
        loop {
            sleep(TICK);
            // Looked at before it is read: what changes meanwhile is read again.
            let now = (Stamp::of(&self.file), self.reload.load(Relaxed));
            if now != before {
                (before, list) = (now, Due::now());
            }
            list.try_with(|again| self.load(again));
        }
    }

    /// A list that cannot be read does not end the service: the last one stays in use.
    fn load(&self, again: bool) -> bool {
        let before = self.service.engine();
        let loaded = open(&self.file, &self.identity, Some(&before)).map_err(veilset::Error::from);
        self.service.metrics().loaded(loaded.is_ok());
        match loaded {
            Ok(engine) => {
                let (version, items) = (engine.about().version, engine.about().items);
                self.service.replace(engine);
                self.log.say(format_args!("serving version {version}, {items} items"));
                true
            }
            Err(why) => stays(&self.log, &why.into(), "list", again),
        }
    }
}

impl GuestKeeper<'_> {
    /// Until it is over, and what was asked is written.
    pub(super) fn keep(&self, over: &AtomicBool) {
        let (mut guests, mut asked, mut written) = (Due::default(), 0, true);
        loop {
            let last = over.load(Relaxed);
            written = keep_up(self.service, self.log, !written);
            self.log.tell_counts(last);
            if last {
                return;
            }
            sleep(TICK);
            let now = self.reload.load(Relaxed);
            if now != asked {
                (asked, guests) = (now, Due::now());
                self.log.reopen();
            }
            for (peer, key) in self.log.met() {
                match peer.met(key) {
                    Ok(true) => {
                        let name = &peer.name;
                        self.log.say(format_args!(
                            "{name} has the key that it announced; its former key is refused from now on"
                        ));
                        guests = Due::now();
                    }
                    Ok(false) => {}
                    Err(why) => self.log.warn(why),
                }
            }
            guests.try_with(|again| self.load(again));
        }
    }

    /// An entry that lets nobody ask any more takes its name's right away at once, whatever is wrong with others. Only where a
    /// file as a whole cannot be read nothing is known, and those of before go on.
    fn load(&self, again: bool) -> bool {
        match self.sources.read() {
            Ok((guests, missing)) => {
                let changes = guests.changes(&self.log.guests(), &missing);
                self.service.take(guests.callers());
                self.log.replace_guests(guests);
                changes.lines.iter().for_each(|line| self.log.say(line));
                changes.warnings.iter().for_each(|line| self.log.warn(line));
                true
            }
            Err(why) => stays(self.log, &why, "set of keys", again),
        }
    }
}

/// Says, quiet or not, that something is not the newest; once is enough.
fn stays(log: &Log, why: &Failure, what: &str, again: bool) -> bool {
    if !again {
        log.warn(format_args!("{why}; the server uses the {what} that it had until this works"));
    }
    false
}

/// Writes what was asked, which must not be lost with the program, and returns whether that worked; once is enough to say
/// that it did not.
pub(super) fn keep_up(service: &LookupService, log: &Log, again: bool) -> bool {
    let kept = service.keep_up();
    if let (Err(why), false) = (&kept, again) {
        log.warn(format_args!("cannot write the counts of this hour: {why}"));
    }
    kept.is_ok()
}

/// Something to be done, again and again until it works.
#[derive(Default)]
struct Due {
    /// Ticks until the next attempt; `None` where nothing is to be done.
    wait: Option<u32>,
    failed: bool,
}

impl Due {
    fn now() -> Self {
        Self { wait: Some(0), failed: false }
    }

    /// Has `attempt`, which is told whether it failed before, tried when it is time.
    fn try_with(&mut self, attempt: impl FnOnce(bool) -> bool) {
        match &mut self.wait {
            None => {}
            Some(0) if attempt(self.failed) => *self = Self::default(),
            Some(0) => *self = Self { wait: Some(PAUSE), failed: true },
            Some(wait) => *wait -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_tried_again_until_it_works() {
        let mut due = Due::now();
        let mut tried = Vec::new();
        for tick in 0..100 {
            due.try_with(|again| {
                tried.push((tick, again));
                tried.len() == 3
            });
        }
        let pause = PAUSE + 1;
        assert_eq!(tried, [(0, false), (pause, true), (2 * pause, true)]);
        Due::default().try_with(|_| panic!("nothing is to be done"));
    }
}
