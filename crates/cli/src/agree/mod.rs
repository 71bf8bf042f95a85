//! `veilset agree`: two calendars, one slot; or two lists in the order of preference, one row.

pub(crate) mod args;
mod row;

use std::time::SystemTime;

use veilset::data::calendar::{Preference, Search, Slot};
use veilset::data::{Destination, Scratch, Source};
use veilset::meeting::{self, Meeting};
use veilset::registry::Operation;
use veilset::{Job, json};

use self::args::{AgreeArgs, Asked, Search as SlotSearch, SlotArgs};
use crate::args::Talk;
use crate::device;
use crate::error::Failure;
use crate::escape::json_line;
use crate::operation::{Met, Party, deliver, phases};
use crate::order::job;
use crate::progress::say;
use crate::report;

/// Meets the peer, and tells the slot, or the row, that both prefer most.
pub(crate) fn run(args: &AgreeArgs, talk: &Talk) -> Result<(), Failure> {
    args.meet.log();
    device::choose(args.meet.device, talk)?;
    match args.asked() {
        Some(Asked::Slot(search)) => slot(args, &search, talk),
        Some(Asked::Row(list)) => row::run(args, &list, talk),
        None => Err(Failure::Bug("neither a calendar nor a list".to_owned())),
    }
}

/// Reads the calendar, ranks its free slots, meets the peer, and tells the slot.
fn slot(args: &AgreeArgs, search: &SlotSearch<'_>, talk: &Talk) -> Result<(), Failure> {
    let (mut file, mut slots) = (None, Vec::new());
    let party = Party {
        args: &args.meet,
        seats: None,
        wanted: &|peers| wanted(args, search, peers),
        place: &mut || {
            file = destination(args, search)?;
            Ok(None)
        },
        read: &mut |_| {
            slots = ranked(search, talk)?;
            Ok(meeting::input("slots".to_owned(), &slots)?)
        },
    };
    let Met { done, input, .. } = party.meet(talk)?;

    let placed = meeting::agreed(&done, &input, &slots);
    let agreed = placed.map(|(_, slot)| slot);
    if let (Some(slot), Some(destination)) = (agreed, &file) {
        let write = |to: &Destination| slot.write(to, SystemTime::now());
        deliver(destination, &Scratch::default(), talk, &write)?;
    }
    if args.meet.json {
        print_line!("{}", json_line(&json::of_meeting(&done, &input, agreed)))?;
    } else if let Some(slot) = agreed {
        print_line!("{}\t{}", slot.start(), slot.end())?;
    }
    say(talk, &told(args, search, placed, slots.len()));
    phases(&done.report.phases, talk);
    say(talk, &report::cost(&done.report));
    Ok(())
}

/// The job, with all that both sides must say alike.
fn wanted(args: &AgreeArgs, search: &SlotSearch<'_>, peers: Vec<String>) -> Job {
    let SlotSearch { dates, lengths, slots: &SlotArgs { step, .. }, .. } = *search;
    let job = job(Operation::Agree, &args.meet, peers);
    let scheme = job.choices.scheme.unwrap_or_default();
    Meeting { dates, lengths: lengths.clone(), step, scheme }.terms_of(job)
}

/// Where the slot goes, checked before anything else happens.
fn destination(args: &AgreeArgs, search: &SlotSearch<'_>) -> Result<Option<Destination>, Failure> {
    let Some(output) = &args.output else { return Ok(None) };
    if output == "-" {
        return Err(Failure::Flags(
            "the slot goes to standard output as it is: give --output a file".to_owned(),
        ));
    }
    let destination = veilset::destination(output, args.force)?;
    destination.check_place(&Source::new(search.file))?;
    Ok(Some(destination))
}

/// The free slots, the best first.
fn ranked(search: &SlotSearch<'_>, talk: &Talk) -> Result<Vec<Slot>, Failure> {
    let SlotSearch { file, dates, lengths, zone, slots } = *search;
    let preference: Preference = slots.prefer.parse()?;
    let calendar = meeting::calendar(file)?;
    let (hours, weekends, step) = (slots.hours, slots.weekends, slots.step);
    let search = Search { dates, hours, zone, weekends, lengths: lengths.clone(), step };
    let free = calendar.free(&search)?;
    let slots = preference.rank(free, zone);
    let summary = format!(
        "{}: {} events; {} slots of {} are free",
        calendar.name(),
        calendar.events(),
        slots.len(),
        lengths,
    );
    say(talk, &summary);
    Ok(slots)
}

fn told(
    args: &AgreeArgs,
    search: &SlotSearch<'_>,
    agreed: Option<(usize, &Slot)>,
    slots: usize,
) -> String {
    let Some((row, slot)) = agreed else {
        return "no slot is free for both; try other dates or hours, or a shorter --length"
            .to_owned();
    };
    let written = args.output.as_ref().map_or(String::new(), |out| format!("; written to {out}"));
    let place = row + 1;
    format!(
        "agreed: {} in your zone, number {place} of your {slots} slots{written}",
        slot.in_zone(search.zone)
    )
}
