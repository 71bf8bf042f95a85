//! Every flag. Help comes from these definitions.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use serde_json::{Value, json};
use veilset::data::calendar::{Dates, Hours, Lengths, Zone, step};
use veilset::registry::Scheme;

use crate::units;

const EXAMPLES: &str = "\
Examples:
  appoint                                     everything is asked on the page
  appoint mine.ics --zone Europe/Berlin --peer bob --listen 0.0.0.0:7000
  appoint https://calendar.example/mine.ics --length 60m

The other side uses appoint, too, or `veilset agree`.

Exit codes:
  0 the page was closed    2 your input or flags    4 network
  6 policy refused    130, 143 interrupted";

/// Agree on a meeting with somebody, on a page in your browser; neither side sees the other's calendar.
///
/// Every flag fills in a field of the page, where you can change it; the flags under "How" have no field.
#[derive(Parser)]
#[command(name = "appoint", version, after_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Args {
    /// Your calendar: an iCalendar file (.ics), its https:// address, or - for standard input
    pub(crate) file: Option<String>,
    /// The days to search, in your zone, both ends included; both sides give the same
    #[arg(long, value_name = "DAY..DAY")]
    pub(crate) between: Option<Dates>,
    /// The length of the meeting, such as 60m or 2h, or several, the best first; both sides give the same, each in its own order
    #[arg(long, value_name = "DURATION,…")]
    pub(crate) length: Option<Lengths>,
    /// The time from one slot's start to the next, counted in UTC, a divisor of a day; both sides give the same
    #[arg(long, value_name = "DURATION", value_parser = step)]
    pub(crate) step: Option<u32>,
    /// The hours of a day that you offer, in your zone
    #[arg(long, value_name = "HH:MM-HH:MM", value_parser = hours)]
    pub(crate) hours: Option<String>,
    /// Your time zone, such as Europe/Berlin [default: your browser's]
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub(crate) zone: Option<String>,
    /// Offer Saturdays and Sundays too
    #[arg(long)]
    pub(crate) weekends: bool,
    /// The slots that you prefer: mornings, afternoons, early, late, or a file of rules, the best first
    #[arg(long, value_name = "WORD|FILE", value_parser = units::preference)]
    pub(crate) prefer: Option<units::Prefer>,
    /// The rule that combines both sides' preferences: sum-of-ranks or minimum-of-ranks; both sides give the same
    #[arg(long, value_name = "SCHEME")]
    pub(crate) scheme: Option<Scheme>,
    /// Wait for the other side at this address, or at a relay such as wss://relay.example
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "connect")]
    pub(crate) listen: Option<String>,
    /// Connect to the other side at this address, or at a relay
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// The other side: a pinned name, or its key
    #[arg(long, value_name = "NAME|KEY")]
    pub(crate) peer: Option<String>,
    #[command(flatten)]
    pub(crate) how: How,
    /// The page's port on this machine [default: any free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value = "0",
        hide_default_value = true,
        help_heading = "How"
    )]
    pub(crate) port: u16,
    /// Open the page in the browser that the system uses
    #[arg(long, help_heading = "How")]
    pub(crate) open: bool,
    /// Write the manual and the completions into this folder, for packages
    #[arg(long, hide = true, exclusive = true, value_name = "DIR")]
    pub(crate) reference: Option<PathBuf>,
}

/// How the two sides compute.
#[derive(clap::Args, Clone, Copy)]
#[command(next_help_heading = "How")]
pub(crate) struct How {
    /// The protocol, or auto for the planner's choice; see: veilset protocols
    #[arg(long, value_name = "auto|ID", default_value = "auto", value_parser = units::protocol)]
    pub(crate) protocol: units::Protocol,
    /// Threads for computing [default: all cores]
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub(crate) threads: Option<usize>,
    /// The longest wait for the other side to appear, such as 90s or 10m
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = units::duration)]
    pub(crate) deadline: Duration,
}

/// Checked here, shown on the page as it was given.
fn hours(text: &str) -> Result<String, veilset::data::calendar::TimeError> {
    text.parse::<Hours>().map(|_| text.to_owned())
}

fn zone(text: &str) -> Result<String, veilset::data::calendar::TimeError> {
    text.parse::<Zone>().map(|_| text.to_owned())
}

impl Args {
    /// What the page's fields hold at first; `null` where the page has its own default.
    pub(crate) fn presets(&self) -> Value {
        let dates = self.between.map(|dates| dates.to_string());
        let dates = dates.as_deref().and_then(|dates| dates.split_once(".."));
        let hours = self.hours.as_deref().and_then(|hours| hours.split_once('-'));
        json!({
            "first": dates.map(|(first, _)| first),
            "last": dates.map(|(_, last)| last),
            "length": self.length.as_ref().map(ToString::to_string),
            "step": self.step,
            "from": hours.map(|(from, _)| from),
            "to": hours.map(|(_, to)| to),
            "zone": self.zone,
            "weekends": self.weekends,
            "scheme": self.scheme.map(Scheme::name),
            "prefer": self.prefer.as_ref().map(|prefer| &prefer.word),
            "rules": self.prefer.as_ref().map(|prefer| &prefer.rules),
            "peer": self.peer,
            "waits": self.connect.is_none(),
            "address": self.listen.as_ref().or(self.connect.as_ref()),
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn help_shows_no_escapes() {
        let help = Args::command().render_long_help().to_string();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("flags under \"How\"") && !help.contains('\\'), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
