//! How far a screening is, on the terminal and on the page.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use veilset::registry::Observer;
use veilset::voice;

use crate::page::Board;
use crate::talk::Talk;

/// Tells whoever looks.
pub(crate) struct Watch<'a> {
    bar: ProgressBar,
    board: Option<&'a Board>,
}

impl<'a> Watch<'a> {
    /// A bar where standard error is a terminal, and the page if there is one.
    pub(crate) fn new(talk: Talk, board: Option<&'a Board>) -> Self {
        let bar = ProgressBar::no_length();
        let seen = voice::is_seen() && !talk.quiet;
        bar.set_draw_target(if seen {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        if let Ok(style) = ProgressStyle::with_template("  {msg:26} [{bar:30}] {percent:>3} %") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, board }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Watch<'_> {
    fn begin(&self, step: &'static str, total: u64) {
        self.bar.reset();
        self.bar.set_message(step);
        self.bar.set_length(total);
        if let Some(board) = self.board {
            board.begin(step, total);
        }
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
        if let Some(board) = self.board {
            board.advance(units);
        }
    }
}
