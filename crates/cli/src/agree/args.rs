//! The flags of `veilset agree`.

use clap::{ArgGroup, Args};
use veilset::data::calendar::{Dates, Hours, Zone};
use veilset::units::{minutes, step};

use crate::args::{MeetArgs, RESULT};

const SLOTS: &str = "Slots and preferences";

/// What the command is called with beside the way to the peer.
pub(crate) const CALENDAR: &str = "<FILE> --between <DAY..DAY> --length <DURATION>";

#[derive(Args)]
#[command(group(ArgGroup::new("other").required(true).args(["peer"])))]
pub(crate) struct AgreeArgs {
    /// Your calendar: an iCalendar file (.ics), its https:// address, or - for standard input
    pub(crate) file: String,
    /// The days to search, in your zone, both ends included; both sides give the same
    #[arg(long, help_heading = SLOTS, value_name = "DAY..DAY")]
    pub(crate) between: Dates,
    /// The length of a slot, such as 60m or 2h; both sides give the same
    #[arg(long, help_heading = SLOTS, value_name = "DURATION", value_parser = minutes)]
    pub(crate) length: u32,
    /// The time from one slot's start to the next, counted in UTC, a divisor of a day; both sides give the same
    #[arg(long, help_heading = SLOTS, value_name = "DURATION", default_value = "30m", value_parser = step)]
    pub(crate) step: u32,
    /// The hours of a day that you offer, in your zone
    #[arg(long, help_heading = SLOTS, value_name = "HH:MM-HH:MM", default_value = "09:00-18:00")]
    pub(crate) hours: Hours,
    /// Your time zone, such as Europe/Berlin
    #[arg(long, help_heading = SLOTS, value_name = "ZONE")]
    pub(crate) zone: Zone,
    /// Offer Saturdays and Sundays too
    #[arg(long, help_heading = SLOTS)]
    pub(crate) weekends: bool,
    /// The slots that you prefer: mornings, afternoons, early, late, or a file of rules, the best first
    #[arg(long, help_heading = SLOTS, value_name = "WORD|FILE", default_value = "early")]
    pub(crate) prefer: String,
    #[command(flatten)]
    pub(crate) meet: MeetArgs,
    /// Write the agreed slot to this file, as a calendar (.ics)
    #[arg(long, help_heading = RESULT, short, value_name = "OUT")]
    pub(crate) output: Option<String>,
    /// Overwrite the output file
    #[arg(long, help_heading = RESULT)]
    pub(crate) force: bool,
}
