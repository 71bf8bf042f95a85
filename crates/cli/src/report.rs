//! What is said after a run.

use veilset::data::{ColumnSum, Spread, Values, counted};
use veilset::registry::{Gives, Operation, Outcome};
use veilset::{Done, GroupDone, Input, Matching, Report, json};

use crate::args::Talk;
use crate::error::Failure;
use crate::escape::{json_line, shown};
use crate::operation::phases;
use crate::order::Order;
use crate::progress::{say, warn_after};
use crate::units::{show_bytes, show_duration};

/// Prints the result of a run: JSON, or the numbers on standard output and a summary beside them.
pub(crate) fn print(done: &Done, input: &Input, order: &Order, talk: &Talk) -> Result<(), Failure> {
    let report = &done.report;
    if order.party.meet.json {
        print_line!("{}", json_line(&json::of_run(done, input)))?;
    } else {
        numbers(done, input)?;
    }
    say(talk, &outcome(done, input, order.output()));
    warn_after(&report.warnings);
    phases(&report.phases, talk);
    say(talk, &cost(report));
    Ok(())
}

/// The numbers that are the whole result of an operation.
fn numbers(done: &Done, input: &Input) -> Result<(), Failure> {
    let spec = done.report.operation.spec();
    if let (Gives::Numbers, Some(withheld)) = (spec.gives, done.report.withheld) {
        return Ok(print_line!("{withheld}")?);
    }
    if let Some(groups) = done.groups(input) {
        return by_group(groups, done, input);
    }
    let (Gives::Numbers, Some(count)) = (spec.gives, done.report.count()) else { return Ok(()) };
    if let Some(keys) = done.shared_keys() {
        for shared in &keys.shared {
            print_line!("{}\t{}", keys.names(&shared.of), shared.count)?;
        }
        return Ok(());
    }
    if !spec.has_values() {
        return Ok(print_line!("{count}")?);
    }
    print_line!("count\t{count}")?;
    for ColumnSum { name, sum, spread } in done.sums(input).into_iter().flatten() {
        print_line!("{name}\t{sum}")?;
        for (what, number) in SPREAD.iter().zip(spread_of(spread)) {
            print_line!("{name} ({what})\t{number}")?;
        }
    }
    Ok(())
}

/// What is said of a column beside its sum.
const SPREAD: [&str; 2] = ["mean", "variance"];

/// The numbers of that, where they were asked for; nothing of no key.
fn spread_of(spread: Option<Spread>) -> Vec<String> {
    let numbers = spread.map(|Spread { mean, variance }| [mean, variance]);
    numbers.into_iter().flatten().map(Option::unwrap_or_default).collect()
}

/// A line for each group: its cells, how many of its keys match, and the sums over these.
fn by_group<'a>(
    groups: impl Iterator<Item = GroupDone<'a>>,
    done: &Done,
    input: &Input,
) -> Result<(), Failure> {
    let mut columns_of_values: Vec<String> = Vec::new();
    for name in input.values().map(Values::chosen).unwrap_or_default() {
        columns_of_values.push(name.clone());
        if input.values().is_some_and(Values::has_squares) {
            columns_of_values.extend(SPREAD.map(|what| format!("{name} ({what})")));
        }
    }
    let columns = done.group_columns(input);
    let names = columns.iter().map(|name| shown(name)).chain(["count".into()]);
    let names = names.chain(columns_of_values.iter().map(|name| name.as_str().into()));
    print_line!("{}", names.collect::<Vec<_>>().join("\t"))?;
    for GroupDone { names, known } in groups {
        let least = done.report.release.least.unwrap_or_default();
        let (count, sums) = match known {
            Some((count, sums)) => {
                let of = |sum: ColumnSum| [vec![sum.sum], spread_of(sum.spread)].concat();
                (count.to_string(), sums.into_iter().flat_map(of).collect())
            }
            None => (format!("fewer than {least}"), vec![String::new(); columns_of_values.len()]),
        };
        let cells = names.iter().map(|cell| shown(cell)).chain([count]).chain(sums);
        print_line!("{}", cells.collect::<Vec<_>>().join("\t"))?;
    }
    Ok(())
}

/// The list in a sentence.
pub(crate) fn summary(input: &Input) -> String {
    if input.has_several_keys() {
        return summary_by_key(input);
    }
    let (empty, invalid) = input.skipped();
    let mut text = format!("{} rows, {} distinct keys", input.rows(), input.distinct());
    if empty > 0 {
        text.push_str(&format!(", {empty} rows without a key (they never match)"));
    }
    if let Some(left_out) = input.left_out() {
        text.push_str(&format!(", {left_out} rows left out by --where"));
    }
    let placeholders = input.placeholders();
    if placeholders > 0 {
        text.push_str(&format!(", {placeholders} rows with a placeholder (they never match)"));
    }
    if invalid > 0 {
        text.push_str(&format!(", {invalid} rows with an unreadable key (they never match)"));
    }
    let crowded = input.crowded();
    if crowded > 0 {
        text.push_str(&format!(", {crowded} rows whose key too many carry (they never match)"));
    }
    text
}

fn summary_by_key(input: &Input) -> String {
    let mut text = format!("{} rows", input.rows());
    for (place, (spec, keys)) in (1..).zip(input.by_key()) {
        let unread = keys.null_rows() + keys.placeholder_rows() + keys.invalid_rows();
        let without = unread + keys.crowded_rows();
        let (presets, distinct) = (spec.canonical(), keys.len());
        text.push_str(&format!("; key {place} ({presets}): {distinct} distinct values"));
        if without > 0 {
            text.push_str(&format!(", {} without one", counted(without, "row")));
        }
    }
    text
}

/// How many rows match by several keys.
fn matches_by_key(counts: &[usize], rows: usize) -> String {
    let all: usize = counts.iter().sum();
    let by_key = (1..).zip(counts).map(|(place, count)| format!("{count} by key {place}"));
    format!("{all} of your {rows} rows match: {}", by_key.collect::<Vec<_>>().join(", "))
}

fn outcome(done: &Done, input: &Input, output: Option<&str>) -> String {
    let report = &done.report;
    let place = output.filter(|output| *output != "-");
    let written = place.map_or(String::new(), |place| match done.rows_of_join(input) {
        Some(rows) => format!("; {} written to {place}", counted(rows, "row")),
        None => format!("; written to {place}"),
    });
    let distinct = report.distinct;
    let all = report.peers.len() + 1;
    let matches = |count: u64| match all {
        2 if report.matching.is_some_and(Matching::keeps_rows) => {
            let theirs = report.peer().distinct;
            format!("{count} rows match; you have {distinct}, the peer has {theirs}")
        }
        2 => format!("{count} of your {distinct} keys match"),
        _ if matches!(report.operation, Operation::Count | Operation::Overlaps) => {
            format!("{count} distinct keys are in all {all} lists; you have {distinct}")
        }
        _ => format!("{count} of your {distinct} keys are in all {all} lists"),
    };
    let matches = |count: u64| match report.noise_of_each {
        Some(noise) => {
            format!(
                "about {}; the noise is within {} in 95 of 100 runs",
                matches(count),
                noise.error()
            )
        }
        None => matches(count),
    };
    match (&report.outcome, report.count()) {
        _ if let Some(withheld) = report.withheld => withheld.sentence(),
        (Outcome::Nothing, _) if all > 2 => {
            "done; those who learn have the result, you were not to learn it".to_owned()
        }
        (Outcome::Nothing, _) => {
            "done; the peer has the result, you were not to learn it".to_owned()
        }
        (Outcome::ByGroup(_), _) => by_groups(done, input),
        (Outcome::Shares(shares), _) => {
            format!("shares of {} places{written}", shares.words.len() / shares.columns)
        }
        (Outcome::Lacking { .. }, Some(count)) => format!(
            "{} rows came from the peer; {}{written}",
            done.received().unwrap_or_default(),
            matches(count)
        ),
        (Outcome::Identifiers { .. }, Some(count)) => format!(
            "{} identifiers that only the peer has; {}{written}",
            done.received().unwrap_or_default(),
            matches(count)
        ),
        (Outcome::Matched(_) | Outcome::Listed { .. }, _) if input.has_several_keys() => {
            let counts = done.counts_by_key(input).unwrap_or_default();
            format!("{}{written}", matches_by_key(&counts, input.rows()))
        }
        (Outcome::Matched(_) | Outcome::Listed { .. }, Some(count)) => {
            let rows = done.rows(input).map_or(0, Iterator::count);
            format!("{}, in {rows} rows{written}", matches(count))
        }
        (_, count) => matches(count.unwrap_or_default()),
    }
}

/// How many groups there are, and of how many nothing is told.
fn by_groups(done: &Done, input: &Input) -> String {
    let known: Vec<bool> =
        done.groups(input).into_iter().flatten().map(|group| group.known.is_some()).collect();
    let all = counted(known.len(), "group");
    let all = match done.report.noise_of_each {
        Some(noise) => {
            format!("{all}; the noise of a count is within {} in 95 of 100 runs", noise.error())
        }
        None => all,
    };
    match (known.iter().filter(|known| !**known).count(), done.report.release.least) {
        (withheld @ 1.., Some(least)) => format!(
            "{all}; {withheld} of them with fewer than {least} matches, of which neither side learns more"
        ),
        _ => all,
    }
}

/// What a run took, in a sentence.
pub(crate) fn cost(report: &Report) -> String {
    let wire = report.wire();
    format!(
        "{} in {}, {} sent, {} received, {} rounds",
        report.protocol,
        show_duration(report.time()),
        show_bytes(wire.sent as f64),
        show_bytes(wire.received as f64),
        report.rounds,
    )
}
