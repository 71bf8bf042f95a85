//! The flags of `veilset agree`.

use clap::Args;
use veilset::data::KeySpec;
use veilset::data::calendar::{Dates, Hours, Lengths, Zone, step};

use crate::args::{LIST, MeetArgs, PlaceArgs, RESULT, WAY, usage};
use crate::units;

const SLOTS: &str = "Slots and preferences";

/// How the command is called.
pub(crate) fn calls() -> String {
    let list = usage("agree", &["--list <FILE> --key <COL[:PRESET],…>", WAY]);
    let calendar = "<FILE> --between <DAY..DAY> --length <DURATION,…>";
    format!("{}\n       {list}", usage("agree", &[calendar, "--zone <ZONE>", WAY]))
}

#[derive(Args)]
pub(crate) struct AgreeArgs {
    /// Your calendar: an iCalendar file (.ics), its https:// address, or - for standard input
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    file: Option<String>,
    #[command(flatten)]
    slots: SlotArgs,
    #[command(flatten)]
    list: OrderedArgs,
    #[command(flatten)]
    pub(crate) meet: MeetArgs,
    /// Write the agreed slot to this file, as a calendar (.ics), or the agreed row, in the format that the name says
    #[arg(long, help_heading = RESULT, short, value_name = "OUT")]
    pub(crate) output: Option<String>,
    /// Overwrite the output file
    #[arg(long, help_heading = RESULT)]
    pub(crate) force: bool,
}

/// A calendar with its flags, or a list with its.
pub(crate) enum Asked<'a> {
    Slot(Search<'a>),
    Row(Ordered<'a>),
}

impl AgreeArgs {
    /// What the command asks for.
    pub(crate) fn asked(&self) -> Option<Asked<'_>> {
        let OrderedArgs { list, key, query, delimiter } = &self.list;
        if let (Some(list), Some(key)) = (list, key) {
            let (file, query) = (list.clone(), query.clone());
            let place = PlaceArgs { file, query, delimiter: *delimiter };
            return Some(Asked::Row(Ordered { place, key }));
        }
        let (file, slots) = (self.file.as_deref()?, &self.slots);
        let (dates, lengths, zone) = (slots.between?, slots.length.as_ref()?, slots.zone?);
        Some(Asked::Slot(Search { file, dates, lengths, zone, slots }))
    }
}

/// Where to look for a slot.
pub(crate) struct Search<'a> {
    pub(crate) file: &'a str,
    pub(crate) dates: Dates,
    pub(crate) lengths: &'a Lengths,
    pub(crate) zone: Zone,
    pub(crate) slots: &'a SlotArgs,
}

/// A list in the order of preference.
pub(crate) struct Ordered<'a> {
    pub(crate) place: PlaceArgs,
    pub(crate) key: &'a KeySpec,
}

#[derive(Args)]
#[command(next_help_heading = LIST)]
struct OrderedArgs {
    /// A list in place of a calendar, in the order of your preference, the best row first: any that the other operations take
    #[arg(long, value_name = "FILE", requires = "key")]
    list: Option<String>,
    /// The key columns of the list, each with its preset: COL[:PRESET][,COL[:PRESET]…]
    #[arg(long, value_name = "COL[:PRESET],…", requires = "list")]
    key: Option<KeySpec>,
    /// The select statement whose rows are the list, if a database holds it
    #[arg(long, value_name = "SQL", requires = "list")]
    query: Option<String>,
    /// The delimiter of the list: one ASCII character, or tab [default: a comma; in .tsv a tab]
    #[arg(long, requires = "list", value_parser = units::delimiter)]
    delimiter: Option<u8>,
}

#[derive(Args)]
#[command(next_help_heading = SLOTS)]
pub(crate) struct SlotArgs {
    /// The days to search, in your zone, both ends included; both sides give the same
    #[arg(
        long,
        value_name = "DAY..DAY",
        required_unless_present = "list",
        conflicts_with = "list"
    )]
    between: Option<Dates>,
    /// The length of a slot, such as 60m or 2h, or several, the best first; both sides give the same, each in its own order
    #[arg(
        long,
        value_name = "DURATION,…",
        required_unless_present = "list",
        conflicts_with = "list"
    )]
    length: Option<Lengths>,
    /// The time from one slot's start to the next, counted in UTC, a divisor of a day; both sides give the same
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = step, conflicts_with = "list")]
    pub(crate) step: u32,
    /// The hours of a day that you offer, in your zone
    #[arg(
        long,
        value_name = "HH:MM-HH:MM",
        default_value = "09:00-18:00",
        conflicts_with = "list"
    )]
    pub(crate) hours: Hours,
    /// Your time zone, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", required_unless_present = "list", conflicts_with = "list")]
    zone: Option<Zone>,
    /// Offer Saturdays and Sundays too
    #[arg(long, conflicts_with = "list")]
    pub(crate) weekends: bool,
    /// The slots that you prefer: mornings, afternoons, early, late, or a file of rules, the best first
    #[arg(long, value_name = "WORD|FILE", default_value = "early", conflicts_with = "list")]
    pub(crate) prefer: String,
}
