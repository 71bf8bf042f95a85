//! `veilset demo`: two parties in this process, over TLS on loopback, with bundled lists.

use std::thread;

use serde_json::json;
use veilset::data::{Destination, KeySpec, Table};
use veilset::net::Options;
use veilset::registry::{Operation, Silent};
use veilset::{Connection, Done, Input, Job, Learn, Means};

use crate::args::{DemoArgs, Talk};
use crate::error::Failure;
use crate::progress::say;
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
    let north = party("north", "north.csv", NORTH, "email:email")?;
    let south = party("south", "south.csv", SOUTH, "E-Mail:email")?;
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
    }
    say("\nveilset count: how many customers do they share?");
    let count = meet(&north, &south, Operation::Count, (Learn::Both, Learn::Both))?;
    say(&told(&north, &south, &count));
    say("veilset intersect --learn me (north), --learn peer (south): which ones?");
    let found = meet(&north, &south, Operation::Intersect, (Learn::Me, Learn::Peer))?;
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

fn party(name: &'static str, file: &str, list: &'static [u8], key: &str) -> Result<Party, Failure> {
    let table = Table::parse(file.to_owned(), list.to_vec(), b',')?;
    let input = Input::of(table, &key.parse::<KeySpec>()?)?;
    Ok(Party { name, input })
}

/// Both sides at once.
fn meet(
    north: &Party,
    south: &Party,
    operation: Operation,
    (north_learn, south_learn): (Learn, Learn),
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
    let job = Job { learn, ..Job::new(operation, peer.to_owned()) };
    let means = Means { threads: 1, observer: &Silent };
    Ok(job.offer(way, &party.input)?.run(&party.input, &means)?)
}

fn told(north: &Party, south: &Party, results: &Results) -> String {
    let mut text = String::new();
    for (party, done) in [(north, &results.0), (south, &results.1)] {
        let (name, (learned, not)) = (party.name, learned(party, done));
        text.push_str(&format!("  {name} learned: {learned}\n  {name} did not learn: {not}\n"));
    }
    let report = &results.0.report;
    text.push_str(&format!(
        "  {}: {}, {} over the wire, {} rounds\n",
        report.protocol,
        show_duration(report.time()),
        show_bytes((report.wire.sent + report.wire.received) as f64),
        report.rounds,
    ));
    text
}

/// What a party knows after a run, and what it does not.
fn learned(party: &Party, done: &Done) -> (String, String) {
    let report = &done.report;
    let others = |count: u64| report.peer_distinct - count;
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
            format!("the other side has {} distinct keys", report.peer_distinct),
            "which of its keys match, or how many".to_owned(),
        ),
    }
}

fn show_rows(north: &Party, done: &Done) -> Result<(), Failure> {
    print_line!("The first {SHOWN} of north's matching rows, as they stand in its file:")?;
    let rows = done.rows(&north.input).into_iter().flatten().take(SHOWN);
    Ok(north.input.write(rows, &Destination::Stdout)?)
}

fn object(north: &Party, south: &Party, results: &Results) -> serde_json::Value {
    let side = |party: &Party, done: &Done| veilset::json::of_run(done, &party.input);
    json!({ north.name: side(north, &results.0), south.name: side(south, &results.1) })
}
