//! An interrupt: the peer is told, and the user what became of the run.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::park;
use std::time::Duration;

use veilset::data::remove_unfinished;
use veilset::net::{Stop, signals};
use veilset::voice;

use crate::error::Failure;

/// How long the peer may take to hear of it.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Ends the program when a signal asks for it.
pub(crate) struct Interrupt {
    /// Ends the connection, and tells the peer.
    pub(crate) stop: Stop,
    writing: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for signals from now on.
    pub(crate) fn heed() -> Result<Self, Failure> {
        let (stop, writing) = (Stop::new(), Arc::new(AtomicBool::new(false)));
        let heeding = Self { stop: stop.clone(), writing: Arc::clone(&writing) };
        let heard = move |code: u8| {
            stop.stop();
            let told = match writing.load(Relaxed) {
                true => "interrupted while the result was written; the peer has its own",
                false => "interrupted; nothing was written",
            };
            // A terminal shows the key that was pressed.
            voice::say(format_args!("{}{told}", if voice::is_seen() { "\n" } else { "" }));
            stop.settle(LAST_WORD);
            remove_unfinished();
            process::exit(code.into());
        };
        let cannot = |why| Failure::Service { what: "listen for signals", why };
        signals::ends(heard).map_err(cannot)?;
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
