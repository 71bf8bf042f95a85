//! `veilset intersect`, `veilset count`: the main job.

use std::io::{BufRead, IsTerminal, Write};

use veilset::data::{Destination, Source};
use veilset::net::{Endpoint, Home, Identity, Options, Peers};
use veilset::registry::Operation;
use veilset::{Briefing, Connection, Input, Job, Means, Ready};

use crate::args::{OperationArgs, Talk};
use crate::error::Failure;
use crate::progress::{Bar, detail, say, tell};
use crate::{report, units};

/// Reads the list, meets the peer, agrees, runs, and writes what this side was to learn.
pub(crate) fn run(operation: Operation, args: &OperationArgs, talk: &Talk) -> Result<(), Failure> {
    let job = Job {
        learn: args.learn.into(),
        protocol: args.protocol.0,
        security: args.security.into(),
        max_memory: args.max_memory,
        ..Job::new(operation, args.peer.clone())
    };
    job.check()?;
    let destination = destination(operation, args, talk)?;
    let home = Home::from_env()?;
    let identity = Identity::load(&home)?;
    let (name, key) = Peers::load(&home, Some(identity.public_key()))?.resolve(&args.peer)?;
    let input = read(args, destination.as_ref(), talk)?;

    let options = Options { deadline: args.deadline, ..Options::default() };
    let endpoint = endpoint(args)?;
    let connection =
        Connection::open(&identity, &key, &endpoint, &options, &|event| tell(talk, &event))?;
    let ready = consent(Job { peer: name, ..job }.offer(connection, &input)?, talk)?;

    let bar = Bar::new(talk);
    let threads = args.threads.unwrap_or_else(all_cores);
    let means = Means { threads, observer: &bar };
    let done = ready.run(&input, &means);
    bar.clear();
    let done = done?;

    if let Some(destination) = &destination {
        done.write(&input, destination)?;
    }
    report::print(&done, &input, args, talk)
}

/// Every core that the system gives this process.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn endpoint(args: &OperationArgs) -> Result<Endpoint, Failure> {
    match (&args.listen, &args.connect) {
        (Some(address), _) => Ok(Endpoint::Listen(address.clone())),
        (None, Some(address)) => Ok(Endpoint::Connect(address.clone())),
        (None, None) => Err(Failure::Bug("neither --listen nor --connect".to_owned())),
    }
}

/// Where matching rows go, checked before anything else happens.
fn destination(
    operation: Operation,
    args: &OperationArgs,
    talk: &Talk,
) -> Result<Option<Destination>, Failure> {
    let output = args.output.as_deref();
    if operation == Operation::Count && output.is_some() {
        return Err(Failure::Flags("count has no rows to write: leave --output away".to_owned()));
    }
    if operation == Operation::Count {
        return Ok(None);
    }
    if args.json && output.is_none() {
        say(talk, "note: with --json and no --output, matching rows are counted but not written");
        return Ok(None);
    }
    if args.json && output == Some("-") {
        return Err(Failure::Flags(
            "--json and rows cannot share standard output: give --output a file".to_owned(),
        ));
    }
    let destination = Destination::new(output.unwrap_or("-"), args.force);
    destination.check(&Source::new(&args.list.file))?;
    Ok(Some(destination))
}

fn read(
    args: &OperationArgs,
    destination: Option<&Destination>,
    talk: &Talk,
) -> Result<Input, Failure> {
    let source = Source::new(&args.list.file);
    let input = Input::read(&source, args.list.delimiter, &args.list.key)?;
    say(talk, &format!("{}: {}", source.name(), report::summary(&input)));
    if matches!(destination, Some(Destination::File { .. })) && !args.learn_includes_me() {
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

impl OperationArgs {
    /// Whether this side gets the result.
    pub(crate) fn learn_includes_me(&self) -> bool {
        veilset::Learn::from(self.learn).includes_me()
    }
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
