//! An interrupt: the peer is told, and the user what became of the run.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::thread::{self, park};
use std::time::Duration;

use veilset::data::remove_unfinished;
use veilset::net::{Stop, signals};
use veilset::{exit_code, voice};

use crate::error::Failure;
use crate::units::show_duration;

/// How long the peer may take to hear of it.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Ends the program when a signal asks for it.
pub(crate) struct Interrupt {
    /// Ends the connection, and tells the peer.
    pub(crate) stop: Stop,
    stage: Arc<AtomicU8>,
}

/// What a program does, one after another: either it writes its result, or it is ended.
const RUNNING: u8 = 0;
const WRITING: u8 = 1;
const ENDING: u8 = 2;

impl Interrupt {
    /// Listens for signals from now on, and ends the run after `limit`, if there is one.
    pub(crate) fn heed(limit: Option<Duration>) -> Result<Self, Failure> {
        let (stop, stage) = (Stop::new(), Arc::new(AtomicU8::new(RUNNING)));
        let heeding = Self { stop: stop.clone(), stage: Arc::clone(&stage) };
        let heard = {
            let (stop, stage) = (stop.clone(), Arc::clone(&stage));
            move |code: u8| {
                let was = stage.compare_exchange(RUNNING, ENDING, SeqCst, SeqCst);
                let told = match was {
                    Err(WRITING) => {
                        "interrupted while the result was written; the peer has its own"
                    }
                    _ => "interrupted; nothing was written",
                };
                // A terminal shows the key that was pressed.
                end(&stop, &format!("{}{told}", if voice::is_seen() { "\n" } else { "" }), code);
            }
        };
        let cannot = |why| Failure::Service { what: "listen for signals", why };
        signals::ends(heard).map_err(cannot)?;
        if let Some(limit) = limit {
            thread::spawn(move || {
                thread::sleep(limit);
                if stage.compare_exchange(RUNNING, ENDING, SeqCst, SeqCst).is_ok() {
                    let limit = show_duration(limit);
                    let told = format!(
                        "error: the run took longer than --time-limit allows ({limit}); nothing was written"
                    );
                    end(&stop, &told, exit_code::NETWORK);
                }
            });
        }
        Ok(heeding)
    }

    /// How the run ended, unless it was interrupted: then the program ends, and has said so.
    pub(crate) fn over<T, E>(&self, ended: Result<T, E>) -> Result<T, E> {
        while self.stage.compare_exchange(RUNNING, WRITING, SeqCst, SeqCst) == Err(ENDING) {
            park();
        }
        ended
    }
}

/// Ends the program once the peer was told.
fn end(stop: &Stop, told: &str, code: u8) {
    stop.stop();
    voice::say(told);
    stop.settle(LAST_WORD);
    remove_unfinished();
    process::exit(code.into());
}
