//! Two lists in the order of preference: the row whose key both prefer most.

use veilset::data::{Scratch, Source};
use veilset::registry::Operation;
use veilset::{Done, Input, Job, json};

use super::args::{AgreeArgs, Ordered};
use crate::args::Talk;
use crate::error::Failure;
use crate::escape::json_line;
use crate::interrupt::Interrupt;
use crate::operation::{
    CHECK, Output, Peer, Target, Way, deliver, destination, endpoint, phases, read_table,
};
use crate::order::job;
use crate::progress::{say, warn_some};
use crate::report;

/// Reads the list, meets the peer, and writes the row.
pub(super) fn run(args: &AgreeArgs, list: &Ordered<'_>, talk: &Talk) -> Result<(), Failure> {
    let meet = &args.meet;
    let wanted = |peer: String| -> Job { job(Operation::Agree, meet, peer) };
    wanted(meet.peer().to_owned()).check()?;
    let endpoint = endpoint(meet)?;
    let interrupt = Interrupt::heed()?;
    let out = Output { file: args.output.as_deref(), force: args.force, json: meet.json };
    let destination = destination(out, &Source::new(&list.place.file), talk)?;
    let peer = Peer::load(meet)?;

    let scratch = Scratch::new(None, meet.max_memory);
    let table = read_table(&list.place, &scratch, talk)?;
    if let Some(destination) = &destination {
        destination.prepare(&table)?;
    }
    let name = table.name().to_owned();
    let input = Input::of(table, list.key)?;
    say(talk, &format!("{name}: {}", report::summary(&input)));
    warn_some(&input.warnings(), CHECK);

    let target = Target { input: &input, destination: destination.as_ref() };
    let way = Way { endpoint: &endpoint, args: meet, interrupt: &interrupt };
    let done = peer.meet(wanted(peer.name.clone()), target, way, talk)?;
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
