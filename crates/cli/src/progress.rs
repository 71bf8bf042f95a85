//! What is said on standard error while a run goes on.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use veilset::net::Event;
use veilset::registry::Observer;
use veilset::voice;

use crate::args::Talk;

/// A bar for the long steps; silent where nobody looks.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Draws on standard error if that is a terminal and the user wants to be told.
    pub(crate) fn new(talk: &Talk) -> Self {
        let bar = ProgressBar::no_length();
        let seen = voice::is_seen() && !talk.quiet;
        bar.set_draw_target(if seen {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        let template = "  {msg:26} [{bar:30}] {percent:>3} %  {eta}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Bar {
    fn begin(&self, step: &'static str, total: u64) {
        self.0.reset();
        self.0.set_message(step);
        self.0.set_length(total);
    }

    fn advance(&self, units: u64) {
        self.0.inc(units);
    }
}

/// A line for the user.
pub(crate) fn say(talk: &Talk, line: &str) {
    if !talk.quiet {
        voice::say(line);
    }
}

/// A line for the user who asked for more.
pub(crate) fn detail(talk: &Talk, line: &str) {
    if talk.verbose {
        voice::say(line);
    }
}

/// What happens while a party waits for the other.
pub(crate) fn tell(talk: &Talk, event: &Event) {
    let speak = if matches!(event, Event::Retrying { .. }) { detail } else { say };
    speak(talk, &event.to_string());
}
