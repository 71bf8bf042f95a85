//! Two lists in the order of preference: the row whose key both prefer most.

use veilset::data::{Scratch, Source};
use veilset::registry::Operation;
use veilset::{Done, Input, json};

use super::args::{AgreeArgs, Ordered};
use crate::args::Talk;
use crate::error::Failure;
use crate::escape::json_line;
use crate::operation::{Met, Output, Party, deliver, destination, phases, prepared, read_table};
use crate::order::job;
use crate::progress::say;
use crate::report;

/// Reads the list, meets the peer, and writes the row.
pub(super) fn run(args: &AgreeArgs, list: &Ordered<'_>, talk: &Talk) -> Result<(), Failure> {
    let meet = &args.meet;
    let out = Output { file: args.output.as_deref(), force: args.force, json: meet.json };
    let scratch = Scratch::new(None, meet.max_memory);
    let party = Party {
        args: meet,
        seats: None,
        wanted: &|peers| job(Operation::Agree, meet, peers),
        place: &mut || destination(out, &Source::new(&list.place.file), talk),
        read: &mut |destination| {
            let table = read_table(&list.place, &scratch, talk)?;
            prepared(table, destination, &|table| Ok(Input::of(table, list.key)?), talk)
        },
    };
    let Met { done, input, destination } = party.meet(talk)?;
    if let Some(destination) = &destination {
        deliver(destination, &scratch, talk, &|to| done.write(&input, to))?;
    }
    if meet.json {
        print_line!("{}", json_line(&json::of_run(&done, &input)))?;
    }
    say(talk, &told(&done, &input, args.output.as_deref()));
    phases(&done.report.phases, talk);
    say(talk, &report::cost(&done.report));
    Ok(())
}

fn told(done: &Done, input: &Input, output: Option<&str>) -> String {
    let Some(row) = done.agreed(input).flatten() else {
        return "no key is in both lists".to_owned();
    };
    let written = output.filter(|output| *output != "-");
    let written = written.map_or(String::new(), |output| format!("; written to {output}"));
    format!("agreed: row {} of your {}{written}", row + 1, input.rows())
}
