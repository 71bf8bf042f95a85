//! What is said on standard error while a run goes on.

use std::cell::Cell;
use std::slice;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use veilset::data::{Warning, WarningCode};
use veilset::net::Event;
use veilset::registry::Observer;
use veilset::voice;

use crate::args::Talk;
use crate::layout::{INDENT, width_of_voice, wrapped};
use crate::units::until;

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

/// What the user should know, quiet or not.
pub(crate) fn warn(warnings: &[Warning]) {
    for warning in warnings {
        say_warning(&warning.text);
    }
}

/// A warning in a sentence.
pub(crate) fn say_warning(text: &str) {
    voice::say(wrapped(&format!("warning: {text}"), width_of_voice(), INDENT));
}

/// The first of many, as [`warn`] says them: two lines at most, so that with one of the pair of lists a run has three.
pub(crate) fn warn_some(warnings: &[Warning], rest: &str) {
    const MOST: usize = 2;
    match warnings {
        [first, others @ ..] if others.len() >= MOST => {
            warn(slice::from_ref(first));
            say_warning(&format!("and {} more{rest}", others.len()));
        }
        few => warn(few),
    }
}

/// What is to be said of the result alone; the rest was said before the run.
pub(crate) fn warn_after(warnings: &[Warning]) {
    if let Some(of_result) = warnings.iter().find(|w| w.code == WarningCode::NoMatch) {
        warn(slice::from_ref(of_result));
    }
}

/// A line for the user who asked for more.
pub(crate) fn detail(talk: &Talk, line: &str) {
    if talk.verbose {
        voice::say(line);
    }
}

/// What happens while a party waits for the other.
pub(crate) struct Waiting<'a> {
    talk: &'a Talk,
    /// Whom it waits for.
    peer: &'a str,
    longest: Duration,
    /// Whether an attempt failed, which is said once.
    retried: Cell<bool>,
}

impl<'a> Waiting<'a> {
    /// A wait for `peer` that ends after `longest`.
    pub(crate) fn new(talk: &'a Talk, peer: &'a str, longest: Duration) -> Self {
        Self { talk, peer, longest, retried: Cell::new(false) }
    }

    /// Says that the wait at `address`, which is the peer's, begins.
    pub(crate) fn call(&self, address: &str) {
        say(self.talk, &format!("calling {} at {address}, {}", self.peer, until(self.longest)));
    }

    /// Says that the wait for several begins.
    pub(crate) fn meet(&self) {
        say(self.talk, &format!("meeting {}, {}", self.peer, until(self.longest)));
    }

    /// Says what happens.
    pub(crate) fn tell(&self, event: &Event) {
        match event {
            // The call said so.
            Event::Waiting { .. } => detail(self.talk, &event.to_string()),
            Event::Listening(address) => {
                let (peer, until) = (self.peer, until(self.longest));
                say(self.talk, &format!("waiting for {peer} at {address}, {until}"));
            }
            Event::Retrying { addr, why, .. } if !self.retried.replace(true) => {
                say(self.talk, &format!("no answer at {addr} yet ({why}); trying again"));
            }
            Event::Retrying { .. } => detail(self.talk, &event.to_string()),
            _ => say(self.talk, &event.to_string()),
        }
    }
}
