//! An interrupt: the peer is told, and the user what became of the run.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
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
    writing: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for signals from now on, and ends the run after `limit`, if there is one.
    pub(crate) fn heed(limit: Option<Duration>) -> Result<Self, Failure> {
        let (stop, writing) = (Stop::new(), Arc::new(AtomicBool::new(false)));
        let heeding = Self { stop: stop.clone(), writing: Arc::clone(&writing) };
        let heard = {
            let (stop, writing) = (stop.clone(), Arc::clone(&writing));
            move |code: u8| {
                stop.stop();
                let told = match writing.load(Relaxed) {
                    true => "interrupted while the result was written; the peer has its own",
                    false => "interrupted; nothing was written",
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
                if !writing.load(Relaxed) {
                    stop.stop();
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
        while ended.is_err() && self.stop.is_stopped() {
            park();
        }
        self.writing.store(true, Relaxed);
        ended
    }
}

/// Ends the program once the peer was told.
fn end(stop: &Stop, told: &str, code: u8) {
    voice::say(told);
    stop.settle(LAST_WORD);
    remove_unfinished();
    process::exit(code.into());
}
