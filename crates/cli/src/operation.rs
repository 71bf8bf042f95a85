//! `veilset intersect` and the other operations between two parties: the main job.

use std::io::{BufRead, IsTerminal, Write};

use veilset::data::{Destination, Source, Table};
use veilset::net::{Endpoint, Home, Identity, Options, Peers};
use veilset::registry::Operation;
use veilset::{Briefing, Connection, Input, Means, Ready};

use crate::args::{PartyArgs, Talk};
use crate::error::Failure;
use crate::order::Order;
use crate::progress::{Bar, detail, say, tell};
use crate::{report, units};

/// Reads the list, meets the peer, agrees, runs, and writes what this side was to learn.
pub(crate) fn run(order: &Order<'_>, talk: &Talk) -> Result<(), Failure> {
    let args = order.party;
    order.check()?;
    order.job(args.peer.clone()).check()?;
    let endpoint = endpoint(args)?;
    endpoint.check().map_err(veilset::Error::from)?;
    let destination = destination(order, talk)?;
    let home = Home::from_env()?;
    let identity = Identity::load(&home)?;
    let (name, key) = Peers::load(&home, Some(identity.public_key()))?.resolve(&args.peer)?;
    let input = read(order, destination.as_ref(), talk)?;

    let options = Options { deadline: args.deadline, ..Options::default() };
    let connection =
        Connection::open(&identity, &key, &endpoint, &options, &|event| tell(talk, &event))?;
    let ready = consent(order.job(name).offer(connection, &input)?, talk)?;

    let bar = Bar::new(talk);
    let threads = args.threads.unwrap_or_else(all_cores);
    let means = Means { threads, observer: &bar };
    let done = ready.run(&input, &means);
    bar.clear();
    let done = done?;

    if let Some(destination) = &destination {
        done.write(&input, destination)?;
    }
    report::print(&done, &input, order, talk)
}

/// Every core that the system gives this process.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn endpoint(args: &PartyArgs) -> Result<Endpoint, Failure> {
    match (&args.listen, &args.connect) {
        (Some(address), _) => Ok(Endpoint::Listen(address.clone())),
        (None, Some(address)) => Ok(Endpoint::Connect(address.clone())),
        (None, None) => Err(Failure::Bug("neither --listen nor --connect".to_owned())),
    }
}

/// Where rows of the result go, checked before anything else happens.
fn destination(order: &Order<'_>, talk: &Talk) -> Result<Option<Destination>, Failure> {
    let Some(out) = order.out else { return Ok(None) };
    let (args, output) = (order.party, out.output.as_deref());
    if args.json && output.is_none() {
        say(
            talk,
            "note: with --json and no --output, rows of the result are counted but not written",
        );
        return Ok(None);
    }
    if args.json && output == Some("-") {
        return Err(Failure::Flags(
            "--json and rows cannot share standard output: give --output a file".to_owned(),
        ));
    }
    let destination = Destination::new(output.unwrap_or("-"), out.force);
    destination.check(&Source::new(&args.list.file))?;
    Ok(Some(destination))
}

fn read(
    order: &Order<'_>,
    destination: Option<&Destination>,
    talk: &Talk,
) -> Result<Input, Failure> {
    let list = &order.party.list;
    let source = Source::new(&list.file);
    let table = Table::read(&source, list.delimiter)?;
    if order.operation == Operation::Align {
        table.check_aligned()?;
    }
    let input = order.attach(Input::of(table, &list.key)?)?;
    say(talk, &format!("{}: {}", source.name(), report::summary(&input)));
    if matches!(destination, Some(Destination::File { .. })) && !order.learns() {
        say(talk, "the peer alone learns the result: no output file will be written");
    }
    Ok(input)
}

/// Shows the agreed terms and asks, where there is somebody to ask; somebody who is asked sees them, quiet or not.
fn consent(ready: Ready, talk: &Talk) -> Result<Ready, Failure> {
    let somebody =
        !talk.no_input && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    show(ready.briefing(), &Talk { quiet: talk.quiet && !somebody, ..*talk });
    if !somebody || asks("Go on? [Y/n] ")? {
        return Ok(ready);
    }
    ready.decline();
    Err(Failure::Declined)
}

fn asks(question: &str) -> Result<bool, Failure> {
    eprint!("{question}");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    // The end of input is no consent.
    let read = std::io::stdin().lock().read_line(&mut answer)?;
    Ok(read > 0 && matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes"))
}

fn show(briefing: &Briefing, talk: &Talk) {
    say(talk, &briefing.learned);
    for warning in &briefing.warnings {
        say(talk, &format!("warning: {warning}"));
    }
    for leak in &briefing.leaks {
        say(talk, &format!("leaks: {leak}"));
    }
    say(talk, &format!("the peer has {} distinct keys", briefing.peer_distinct));
    detail(talk, &format!("protocol: {}", briefing.protocol));
}

/// What a phase cost, for the user who asked for more.
pub(crate) fn phases(report: &veilset::Report, talk: &Talk) {
    for phase in &report.phases {
        detail(
            talk,
            &format!(
                "  {:28} {:>9}  sent {:>9}  received {:>9}",
                phase.name,
                units::show_duration(phase.time),
                units::show_bytes(phase.bytes_sent as f64),
                units::show_bytes(phase.bytes_received as f64),
            ),
        );
    }
}
