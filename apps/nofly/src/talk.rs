//! What is said beside the result.

use veilset::data::Warning;
use veilset::net::Event;
use veilset::{Briefing, Input, voice};

/// How much the user wants to hear.
#[derive(Clone, Copy)]
pub(crate) struct Talk {
    pub(crate) quiet: bool,
}

impl Talk {
    /// A line on standard error.
    pub(crate) fn say(self, line: &str) {
        if !self.quiet {
            voice::say(line);
        }
    }

    /// What happens while a party waits for the other.
    pub(crate) fn tell(self, event: &Event) {
        match event {
            Event::Listening(_) | Event::Waiting { .. } | Event::Retrying { .. } => {}
            Event::StrangerRefused { addr, why } => {
                self.say(&format!("turned away a caller from {addr}: {why}"));
            }
            Event::StrangersRefused { count, why } => {
                self.say(&format!("turned away {count} more callers, the last: {why}"));
            }
            Event::Connected { addr } => {
                self.say(&format!("connected to {addr}; the peer's key is the pinned one"));
            }
            Event::Lost { .. }
            | Event::Returned { .. }
            | Event::NextKey
            | Event::FormerKeyKept { .. } => self.say(&event.to_string()),
        }
    }

    /// The agreed terms.
    pub(crate) fn show(self, briefing: &Briefing) {
        self.say(&briefing.learned);
        let group = briefing.choices.group_name().map(|group| format!(" on {group}"));
        self.say(&format!("protocol {}{}", briefing.protocol, group.unwrap_or_default()));
        Self::warn(&briefing.warnings);
        for leak in &briefing.leaks {
            self.say(&format!("leaks: {leak}"));
        }
        self.say(&briefing.peer().has);
    }

    /// What the user should know, quiet or not.
    pub(crate) fn warn(warnings: &[Warning]) {
        for warning in warnings {
            voice::say(format_args!("warning: {}", warning.text));
        }
    }
}

/// A list in a sentence.
pub(crate) fn summary(name: &str, input: &Input) -> String {
    let (empty, invalid) = input.skipped();
    let mut text = format!("{name}: {} rows, {} distinct keys", input.rows(), input.distinct());
    let placeholders = input.placeholders();
    for (rows, what) in [
        (empty, "without a key"),
        (placeholders, "with a placeholder"),
        (invalid, "with an unreadable key"),
    ] {
        if rows > 0 {
            text.push_str(&format!(", {rows} rows {what} (they never match)"));
        }
    }
    text
}
