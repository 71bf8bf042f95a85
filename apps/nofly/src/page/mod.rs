//! A page on this machine that shows a screening.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use veilset::data::Table;
use veilset::net::signals::{self, Wish};
use veilset::{Done, Input};

use crate::error::Failure;

mod board;
mod routes;

pub(crate) use board::Board;
use routes::{Shared, answers, files};

/// How long a page that has nothing new to tell is still answered: twice as long as a browser waits between two
/// questions (`PAUSE` in `page.js`), and some for a busy machine.
const FAREWELL: Duration = Duration::from_millis(1500);

/// How long the answer to a closing page has to leave this process, over loopback.
const LAST_ANSWER: Duration = Duration::from_millis(150);

/// A page that is open.
pub(crate) struct Page {
    board: Arc<Board>,
    address: String,
    closed: Receiver<()>,
    close: Sender<()>,
}

impl Page {
    /// Opens a page about `manifest` on a free port of this machine.
    ///
    /// # Errors
    /// When the system gives no port, thread or randomness, or a field of the manifest cannot be shown.
    pub(crate) fn open(manifest: &Table, peer: &str) -> Result<Self, Failure> {
        let columns: Vec<usize> = (0..manifest.header().len()).collect();
        manifest.for_each_row(&columns, |_, _| {})?;
        let board = Arc::new(Board::new(manifest.clone(), peer));
        let (close, closed) = channel();
        let answers = answers(Shared { board: Arc::clone(&board), close: close.clone() });
        let address = veilset_page::serve("nofly", 0, files(), answers).map_err(Failure::Page)?;
        Ok(Self { board, address, closed, close })
    }

    /// The address to give to a browser. It works once.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// What the page shows.
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// Shows the result until the user closes the page or interrupts the program, whose work is done.
    ///
    /// # Errors
    /// When signals cannot be heard.
    pub(crate) fn complete(&self, done: &Done, input: &Input) -> Result<(), Failure> {
        let close = self.close.clone();
        let heard = move |wish| {
            if wish != Wish::Reload {
                // Nobody waits any more if it fails.
                let _ = close.send(());
            }
        };
        signals::listen(heard).map_err(Failure::Signals)?;
        self.board.complete(done, input);
        // This side holds a sender, so that the channel stays open.
        let _ = self.closed.recv();
        sleep(LAST_ANSWER);
        Ok(())
    }

    /// Shows why there is no result, long enough for a browser to ask.
    pub(crate) fn fail(&self, why: &str) {
        self.board.fail(why);
        sleep(FAREWELL);
    }
}
