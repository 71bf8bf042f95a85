//! `veilset intersect` and the other operations between two parties: the main job.

use std::io::{BufRead, IsTerminal};

use veilset::data::{DataError, Destination, Scratch, Source, Table};
use veilset::net::{Endpoint, Home, Identity, Options, Peers, PublicKey};
use veilset::registry::Operation;
use veilset::{
    Briefing, Connection, Done, Input, Job, Means, PhaseCost, Ready, disk_need, table, voice,
};

use crate::args::{ListArgs, MeetArgs, Talk};
use crate::error::Failure;
use crate::order::Order;
use crate::progress::{Bar, detail, say, tell};
use crate::{report, several, units};

/// Reads the list, meets the peer, agrees, runs, and writes what this side was to learn.
pub(crate) fn run(order: &Order<'_>, talk: &Talk) -> Result<(), Failure> {
    if !order.party.with.is_empty() {
        return several::run(order, talk);
    }
    let args = &order.party.meet;
    order.check()?;
    order.job(args.peer().to_owned()).check()?;
    let endpoint = endpoint(args)?;
    let destination = destination(order, talk)?;
    let peer = Peer::load(args)?;
    let input = read(order, destination.as_ref(), talk)?;
    let job = order.job(peer.name.clone());
    let done = peer.meet(job, (&input, destination.as_ref()), (&endpoint, args), talk)?;

    if let Some(destination) = &destination {
        deliver(destination, &order.scratch(), talk, &|to| done.write(&input, to))?;
    }
    report::print(&done, &input, order, talk)
}

/// The other party, and this one's identity.
pub(crate) struct Peer {
    identity: Identity,
    pub(crate) name: String,
    key: PublicKey,
}

impl Peer {
    /// As `--peer` names it.
    pub(crate) fn load(args: &MeetArgs) -> Result<Self, Failure> {
        let home = Home::from_env()?;
        let identity = Identity::load(&home)?;
        let (name, key) = Peers::load(&home, Some(identity.public_key()))?.resolve(args.peer())?;
        Ok(Self { identity, name, key })
    }

    /// Meets it, agrees, asks, and runs.
    pub(crate) fn meet(
        &self,
        job: Job,
        (input, destination): (&Input, Option<&Destination>),
        (endpoint, args): (&Endpoint, &MeetArgs),
        talk: &Talk,
    ) -> Result<Done, Failure> {
        let options = Options { deadline: args.deadline, ..Options::default() };
        let (identity, tell) = (&self.identity, |event| tell(talk, &event));
        let connection = Connection::open(identity, &self.key, endpoint, &options, &tell)?;
        let mut ready = job.offer(connection, input)?;
        if let Some(destination) = destination {
            ready = ready.prepare(input, destination)?;
        }
        let ready = consent(ready, talk)?;
        let bar = Bar::new(talk);
        let threads = args.threads.unwrap_or_else(all_cores);
        let done = ready.run(input, &Means { threads, observer: &bar });
        bar.clear();
        Ok(done?)
    }
}

/// Every core that the system gives this process.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// This side's end of the connection, after a look at its address.
pub(crate) fn endpoint(args: &MeetArgs) -> Result<Endpoint, Failure> {
    let endpoint = match (&args.listen, &args.connect) {
        (Some(address), _) => Endpoint::Listen(address.clone()),
        (None, Some(address)) => Endpoint::Connect(address.clone()),
        (None, None) => return Err(Failure::Bug("neither --listen nor --connect".to_owned())),
    };
    endpoint.check().map_err(veilset::Error::from)?;
    Ok(endpoint)
}

/// Where rows of the result go, checked before anything else happens.
pub(crate) fn destination(order: &Order<'_>, talk: &Talk) -> Result<Option<Destination>, Failure> {
    let Some(out) = order.out else { return Ok(None) };
    let (args, output) = (order.party, out.output.as_deref());
    let json = args.meet.json;
    if json && output.is_none() {
        say(
            talk,
            "note: with --json and no --output, rows of the result are counted but not written",
        );
        return Ok(None);
    }
    if json && output == Some("-") {
        return Err(Failure::Flags(
            "--json and rows cannot share standard output: give --output a file".to_owned(),
        ));
    }
    let destination = veilset::destination(output.unwrap_or("-"), out.force)?;
    destination.check(&Source::new(&args.list.file))?;
    Ok(Some(destination))
}

/// The table of a list; what it takes of the disk is said before.
pub(crate) fn read_table(
    list: &ListArgs,
    scratch: &Scratch,
    talk: &Talk,
) -> Result<Table, Failure> {
    tell_need(&list.file, scratch, talk)?;
    Ok(table(&list.file, list.query.as_deref(), list.delimiter, scratch)?)
}

/// Says what the list at `place` takes of the disk, if anything.
pub(crate) fn tell_need(place: &str, scratch: &Scratch, talk: &Talk) -> Result<(), Failure> {
    if let Some(need) = disk_need(place, scratch)? {
        say(talk, &format!("{place}: {}", units::show_need(&need)));
    }
    Ok(())
}

pub(crate) fn read(
    order: &Order<'_>,
    destination: Option<&Destination>,
    talk: &Talk,
) -> Result<Input, Failure> {
    let list = &order.party.list;
    let table = read_table(list, &order.scratch(), talk)?;
    let name = table.name().to_owned();
    if order.operation == Operation::Align {
        table.check_aligned()?;
    }
    if let Some(destination) = destination
        && order.gives_rows()
    {
        destination.prepare(&table)?;
    }
    let input = order.attach(Input::of(table, &list.key)?)?.for_one_run();
    say(talk, &format!("{name}: {}", report::summary(&input)));
    if destination.is_some_and(is_kept) && !order.learns() {
        say(talk, "the peer alone learns the result: no output file will be written");
    }
    Ok(input)
}

/// Writes a result; where its place does not take it, the user who is there may mend that, else it is kept elsewhere.
pub(crate) fn deliver(
    destination: &Destination,
    scratch: &Scratch,
    talk: &Talk,
    write: &dyn Fn(&Destination) -> Result<(), DataError>,
) -> Result<(), Failure> {
    let again = |why: &DataError| {
        is_attended(talk) && {
            voice::say(why);
            asks("The result is still here. Mend that, and try again?", Usual::Yes).unwrap_or(false)
        }
    };
    Ok(veilset::deliver(destination, scratch, &again, write)?)
}

/// Whether a result stays there.
fn is_kept(destination: &Destination) -> bool {
    !matches!(destination, Destination::Stdout)
}

/// Shows the agreed terms and asks, where there is somebody to ask. What the peer asks for needs somebody's yes.
fn consent(mut ready: Ready, talk: &Talk) -> Result<Ready, Failure> {
    let usual = if ready.briefing().asked_by_peer.is_empty() { Usual::Yes } else { Usual::No };
    match answer(talk, usual, |talk| show(ready.briefing(), talk))? {
        Answer::Nobody => {}
        Answer::Yes => ready.accept(),
        Answer::No => {
            ready.decline();
            return Err(Failure::Declined);
        }
    }
    Ok(ready)
}

/// What the user says.
pub(crate) enum Answer {
    /// There is nobody to ask.
    Nobody,
    Yes,
    No,
}

/// What an empty line stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usual {
    Yes,
    No,
}

/// Whether the user goes on after what is shown; somebody who is asked sees it, quiet or not.
pub(crate) fn answer(
    talk: &Talk,
    usual: Usual,
    show: impl FnOnce(&Talk),
) -> Result<Answer, Failure> {
    let somebody = is_attended(talk);
    show(&Talk { quiet: talk.quiet && !somebody, ..*talk });
    if !somebody {
        return Ok(Answer::Nobody);
    }
    Ok(if asks("Go on?", usual)? { Answer::Yes } else { Answer::No })
}

/// Whether there is somebody to ask.
fn is_attended(talk: &Talk) -> bool {
    !talk.no_input && std::io::stdin().is_terminal() && voice::is_seen()
}

fn asks(question: &str, usual: Usual) -> Result<bool, Failure> {
    let choice = if usual == Usual::Yes { "[Y/n]" } else { "[y/N]" };
    voice::ask(format_args!("{question} {choice} "));
    let mut answer = String::new();
    // The end of input is no consent.
    let read = std::io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim().to_ascii_lowercase();
    Ok(read > 0 && (matches!(&*answer, "y" | "yes") || answer.is_empty() && usual == Usual::Yes))
}

fn show(briefing: &Briefing, talk: &Talk) {
    say(talk, &briefing.learned);
    let Briefing { protocol, group, digest, .. } = briefing;
    say(talk, &format!("protocol {protocol} on {group}, sets {digest}"));
    for (what, name) in briefing.asked_by_peer.iter() {
        say(talk, &format!("asked for by the peer, not by you: {what} {name}"));
    }
    for warning in &briefing.warnings {
        say(talk, &format!("warning: {warning}"));
    }
    for leak in &briefing.leaks {
        say(talk, &format!("leaks: {leak}"));
    }
    say(talk, &format!("the peer has {} distinct keys", briefing.peer_distinct));
}

/// What a phase cost, for the user who asked for more.
pub(crate) fn phases(phases: &[PhaseCost], talk: &Talk) {
    for phase in phases {
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
