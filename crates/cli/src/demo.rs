//! `veilset demo`: two parties in this process, over TLS on loopback, with bundled lists or the user's own two.

use std::thread;

use serde_json::json;
use veilset::data::{Destination, KeySpec, Scratch, Table};
use veilset::net::Options;
use veilset::registry::{Operation, Silent};
use veilset::{Connection, Done, Input, Job, Learn, Resources, table};

use crate::args::{DemoArgs, Talk};
use crate::error::Failure;
use crate::operation::CHECK;
use crate::progress::{say, warn_some};
use crate::report;
use crate::units::{show_bytes, show_duration};

const NORTH: &[u8] = include_bytes!("../../../examples/north.csv");
const SOUTH: &[u8] = include_bytes!("../../../examples/south.csv");

/// How many matching rows the demo shows.
const SHOWN: usize = 5;

/// A party of the demo: its name and its list.
struct Party {
    name: &'static str,
    input: Input,
}

/// Both sides' results of one run.
type Results = (Done, Done);

/// Runs a count that both learn, then an intersection that north alone learns.
pub(crate) fn run(args: &DemoArgs, talk: &Talk) -> Result<(), Failure> {
    let (north, south) = parties(args)?;
    let say = |line: &str| {
        if !args.json {
            say(talk, line)
        }
    };
    say(
        "Two parties on this machine, each with its own identity, over mutually authenticated TLS:",
    );
    for party in [&north, &south] {
        say(&format!("  {} holds {}", party.name, report::summary(&party.input)));
        warn_some(&party.input.warnings(), CHECK);
    }
    let what = if args.files.is_empty() { "customers" } else { "keys" };
    say(&format!("\nveilset count: how many {what} do they share?"));
    let count = meet(&north, &south, Operation::Count, Learn::Both, Learn::Both)?;
    say(&told(&north, &south, &count));
    say(&format!(
        "veilset intersect --learn me ({}), --learn peer ({}): which ones?",
        north.name, south.name
    ));
    let found = meet(&north, &south, Operation::Intersect, Learn::Me, Learn::Peer)?;
    say(&told(&north, &south, &found));
    if args.json {
        print_line!(
            "{}",
            veilset::json::versioned(
                json!({ "runs": [object(&north, &south, &count), object(&north, &south, &found)] })
            )
        )?;
        return Ok(());
    }
    show_rows(&north, &found.0)?;
    say(
        "\nYour own lists: veilset id, veilset peer add, then veilset intersect or count; see veilset --help",
    );
    Ok(())
}

fn parties(args: &DemoArgs) -> Result<(Party, Party), Failure> {
    let party = |name, table, key: &KeySpec| -> Result<Party, Failure> {
        Ok(Party { name, input: Input::of(table, key)? })
    };
    if let ([first, second], Some(key)) = (&args.files[..], &args.key) {
        let read = |file: &str| table(file, None, None, &Scratch::default());
        let other = args.other_key.as_ref().unwrap_or(key);
        return Ok((party("north", read(first)?, key)?, party("south", read(second)?, other)?));
    }
    let bundled = |file: &str, list: &[u8]| Table::parse(file.to_owned(), list.to_vec(), b',');
    let (north, south) = (bundled("north.csv", NORTH)?, bundled("south.csv", SOUTH)?);
    Ok((
        party("north", north, &"email:email".parse()?)?,
        party("south", south, &"E-Mail:email".parse()?)?,
    ))
}

/// Both sides at once.
fn meet(
    north: &Party,
    south: &Party,
    operation: Operation,
    north_learn: Learn,
    south_learn: Learn,
) -> Result<Results, Failure> {
    let (here, there) = Connection::pair(&Options::default())?;
    thread::scope(|scope| {
        let other = scope.spawn(|| take_part(south, north.name, there, operation, south_learn));
        let here = take_part(north, south.name, here, operation, north_learn);
        let there = other.join().map_err(|_| Failure::Bug("south's thread ended".to_owned()))?;
        Ok((here?, there?))
    })
}

fn take_part(
    party: &Party,
    peer: &str,
    way: Connection,
    operation: Operation,
    learn: Learn,
) -> Result<Done, Failure> {
    let job = Job { learn, ..Job::new(operation, [peer]) };
    let resources = Resources { threads: 1, observer: &Silent };
    Ok(job.offer(way, &party.input)?.run(&party.input, &resources)?)
}

fn told(north: &Party, south: &Party, results: &Results) -> String {
    let mut text = String::new();
    for (party, done) in [(north, &results.0), (south, &results.1)] {
        let (name, (learned, not)) = (party.name, learned(party, done));
        text.push_str(&format!("  {name} learned: {learned}\n  {name} did not learn: {not}\n"));
    }
    let report = &results.0.report;
    let wire = report.wire();
    text.push_str(&format!(
        "  {}: {}, {} over the wire, {} rounds\n",
        report.protocol,
        show_duration(report.time()),
        show_bytes((wire.sent + wire.received) as f64),
        report.rounds,
    ));
    text
}

/// What a party knows after a run, and what it does not.
fn learned(party: &Party, done: &Done) -> (String, String) {
    let report = &done.report;
    let peer_distinct = report.peer().distinct;
    let others = |count: u64| peer_distinct - count;
    match (report.count(), done.rows(&party.input).map(Iterator::count)) {
        (Some(count), Some(rows)) => (
            format!("{count} of its keys match, in {rows} of its rows"),
            format!("any of the other side's {} further keys, or its other columns", others(count)),
        ),
        (Some(count), None) => (
            format!("{count} keys match"),
            format!("which, or any of the other side's {} further keys", others(count)),
        ),
        (None, _) => (
            format!("the other side has {peer_distinct} distinct keys"),
            "which of its keys match, or how many".to_owned(),
        ),
    }
}

fn show_rows(north: &Party, done: &Done) -> Result<(), Failure> {
    let name = north.name;
    print_line!("The first {SHOWN} of {name}'s matching rows, as they stand in its file:")?;
    let rows = done.rows(&north.input).into_iter().flatten().take(SHOWN);
    Ok(north.input.write(rows, &Destination::Stdout)?)
}

fn object(north: &Party, south: &Party, results: &Results) -> serde_json::Value {
    let side = |party: &Party, done: &Done| veilset::json::of_run(done, &party.input);
    json!({ north.name: side(north, &results.0), south.name: side(south, &results.1) })
}
