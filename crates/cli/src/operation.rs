//! `veilset intersect` and the other operations on lists: the main job.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use veilset::data::{DataError, Destination, KEY_COLUMN, Scratch, Source, Table};
use veilset::net::Endpoint;
use veilset::party::{Home, Identity, Peers};
use veilset::registry::Gives;
use veilset::tongues::admap;
use veilset::{
    Connection, Done, Input, Job, PeerAddress, PhaseCost, Ready, Resources, disk_need, exit_code,
    limit_threads, table, voice,
};

use crate::args::{MeetArgs, PlaceArgs, SeatArgs, Talk};
use crate::consent::{Consent, Somebody};
use crate::device;
use crate::error::Failure;
use crate::interrupt::Interrupt;
use crate::order::Order;
use crate::progress::{Bar, Waiting, detail, say, say_warning, warn_some};
use crate::{report, terms, units};

/// Reads the list, meets the others, agrees, runs, and writes what this side was to learn.
pub(crate) fn run(order: &Order, talk: &Talk) -> Result<(), Failure> {
    order.party.meet.log();
    device::choose(order.party.meet.device, talk)?;
    order.check()?;
    let mut picture = None;
    let party = Party {
        args: &order.party.meet,
        seats: Some(&order.party.seats),
        wanted: &|peers| order.job(peers),
        place: &mut || {
            picture = order.picture()?;
            order.destination(talk)
        },
        read: &mut |destination| read(order, destination, talk),
    };
    let Met { done, input, destination } = party.meet(talk)?;
    if let Some(destination) = &destination {
        deliver(destination, &order.scratch(), talk, &|to| order.write(&done, &input, to))?;
    }
    if let Some((place, keys)) = picture.zip(done.shared_keys()) {
        deliver(&place, &order.scratch(), talk, &|to| to.write_text(&keys.svg()))?;
    }
    report::print(&done, &input, order, talk)
}

/// This side of a run: what differs from one command to another.
pub(crate) struct Party<'a> {
    pub(crate) args: &'a MeetArgs,
    /// Who is what, where a command is of several parties.
    pub(crate) seats: Option<&'a SeatArgs>,
    /// The job with peers of these names.
    pub(crate) wanted: &'a dyn Fn(Vec<String>) -> Job,
    /// Where rows of the result go, if they go anywhere.
    pub(crate) place: &'a mut dyn FnMut() -> Result<Option<Destination>, Failure>,
    pub(crate) read: &'a mut dyn FnMut(Option<&Destination>) -> Result<Input, Failure>,
}

/// A run that is over, the list that it had, and where its rows go.
pub(crate) struct Met {
    pub(crate) done: Done,
    pub(crate) input: Input,
    pub(crate) destination: Option<Destination>,
}

impl Party<'_> {
    /// Meets the others, agrees, asks, and runs. It refuses what it can before it reads the list, and reads the list before it calls.
    pub(crate) fn meet(self, talk: &Talk) -> Result<Met, Failure> {
        let Self { args, seats, wanted, place, read } = self;
        limit_threads(args.threads());
        wanted(args.names()).check()?;
        let endpoint = args.endpoint()?;
        let interrupt = Interrupt::heed(args.time_limit)?;
        let destination = place()?;
        let wanted = |others: &Others| others.job(wanted, args, seats);
        let job = wanted(&Others::load(args)?)?;
        job.check()?;
        let input = read(destination.as_ref())?;
        job.check_list(&input)?;
        let target = Target { input: &input, destination: destination.as_ref() };
        let way = End { endpoint: &endpoint, args, interrupt: &interrupt };
        let run = || {
            // As they are now: keys may have changed since the last try.
            let others = Others::load(args)?;
            others.run(wanted(&others)?, target, way, talk)
        };
        let done = again(args, &interrupt, run)?;
        Ok(Met { done, input, destination })
    }
}

/// A run, again after a failure of the network as often as the flags say.
fn again(
    args: &MeetArgs,
    interrupt: &Interrupt,
    mut run: impl FnMut() -> Result<Done, Failure>,
) -> Result<Done, Failure> {
    const FIRST_PAUSE: Duration = Duration::from_secs(1);
    const LONGEST_PAUSE: Duration = Duration::from_secs(60);
    let mut pause = FIRST_PAUSE;
    for left in (1..=args.retry).rev() {
        match run() {
            Err(why) if why.exit_code() == exit_code::NETWORK && !interrupt.stop.is_stopped() => {
                let tries = if left == 1 { "for the last time" } else { "again" };
                let in_time = units::show_duration(pause);
                voice::say(format_args!("warning: {why}; trying {tries} in {in_time}"));
                voice::log_run(None);
                sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
            ended => return interrupt.over(ended),
        }
    }
    interrupt.over(run())
}

/// The list of a run, and where its rows go, if they go anywhere.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) input: &'a Input,
    pub(crate) destination: Option<&'a Destination>,
}

/// This side's end of the way to the others, with the flags that say so, and what ends the wait.
#[derive(Clone, Copy)]
struct End<'a> {
    endpoint: &'a Endpoint,
    args: &'a MeetArgs,
    interrupt: &'a Interrupt,
}

/// The other parties, and this one's identity.
struct Others {
    identity: Identity,
    peers: Vec<PeerAddress>,
    home: Home,
}

impl Others {
    /// As `--peer` names them.
    fn load(args: &MeetArgs) -> Result<Self, Failure> {
        let home = Home::from_env()?;
        let identity = Identity::load(&home)?;
        let pinned = Peers::load(&home, Some(identity.public_key()))?;
        Ok(Self { peers: PeerAddress::of(&pinned, &args.peer)?, identity, home })
    }

    /// The job with them, as this party's policy has it.
    fn job(
        &self,
        wanted: &dyn Fn(Vec<String>) -> Job,
        args: &MeetArgs,
        seats: Option<&SeatArgs>,
    ) -> Result<Job, Failure> {
        let names = self.peers.iter().map(|other| other.peer.name.clone());
        let job = wanted(names.collect()).of_party(&self.home, args.policy.as_deref())?;
        let own = self.identity.public_key();
        let seats = seats.map(|seats| seats.of(own, &self.peers)).transpose()?;
        Ok(Job { seats: seats.unwrap_or_default(), ..job })
    }

    /// Meets them, agrees, asks, and runs.
    fn run(
        &self,
        job: Job,
        target: Target<'_>,
        end: End<'_>,
        talk: &Talk,
    ) -> Result<Done, Failure> {
        let End { endpoint, args, interrupt } = end;
        let options = args.options(interrupt, talk);
        let names = job.peers.join(", ");
        let waiting = Waiting::new(talk, &names, args.deadline);
        match endpoint {
            _ if job.peers.len() > 1 => waiting.meet(),
            Endpoint::Listen(_) => {}
            Endpoint::Connect(place) | Endpoint::Via(place) => waiting.call(place),
        }
        let tell = |event| waiting.tell(&event);
        let connection = Connection::open(&self.identity, &self.peers, endpoint, &options, &tell)?;
        compute(job.offer(connection, target.input)?, target, args, talk)
    }
}

/// Holds room for the result, asks, and runs.
fn compute(
    mut ready: Ready,
    target: Target<'_>,
    args: &MeetArgs,
    talk: &Talk,
) -> Result<Done, Failure> {
    let Target { input, destination } = target;
    voice::log_run(Some(ready.run_id()));
    if let Some(destination) = destination {
        ready = ready.prepare(input, destination)?;
    }
    let ready = consent(ready, args, talk)?;
    let bar = Bar::new(talk);
    let done = ready.run(input, &Resources { threads: args.threads(), observer: &bar });
    bar.clear();
    let done = done?;
    if let Some(receipt) = &done.report.receipt
        && !receipt.is_whole()
    {
        let signed = |key: &[u8; 32]| receipt.signatures.iter().any(|(signer, _)| signer == key);
        let unsigned =
            done.report.peers.iter().filter(|peer| !peer.key.as_ref().is_some_and(signed));
        for peer in unsigned {
            say_warning(&format!("{} did not sign the receipt of this run", peer.name));
        }
    }
    if let Some(why) = &done.unrecorded {
        say_warning(&format!("your ledger does not have how this run ended: {why}"));
    }
    Ok(done)
}

/// Shows the agreed terms and asks, where there is somebody to ask.
fn consent(mut ready: Ready, args: &MeetArgs, talk: &Talk) -> Result<Ready, Failure> {
    let imposed = !ready.briefing().asked_by_peer.is_empty();
    let consent = Consent::new(talk, args.yes && !imposed);
    terms::show(ready.briefing(), &consent.talk());
    let multiparty = ready.briefing().peers.len() > 1;
    // What several parties take grows fast with the sets.
    if consent.is_asked() || multiparty {
        terms::show_price(&ready.price(args.threads())?, &consent.talk());
    }
    if imposed && !consent.is_asked() {
        // Nobody is there to say yes, so it will not run.
        return Ok(ready);
    }
    if !consent.get(!imposed, &mut || ready.have_all_consented())? {
        ready.decline();
        return Err(Failure::Declined);
    }
    ready.accept();
    if !ready.have_all_consented()? {
        let who = if multiparty { "all" } else { &ready.briefing().peer().name };
        let until = units::until(args.deadline);
        say(talk, &format!("waiting for the consent of {who}, {until}"));
    }
    Ok(ready)
}

/// Every core that the system gives this process.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What flags say of where rows of the result go.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    /// `None` and `-` are standard output.
    pub(crate) file: Option<&'a str>,
    pub(crate) force: bool,
    /// Whether standard output has JSON.
    pub(crate) json: bool,
}

/// Where rows of the result go, checked before anything else happens; `input` is where they come from.
pub(crate) fn destination(
    Output { file, force, json }: Output<'_>,
    input: &Source,
    talk: &Talk,
) -> Result<Option<Destination>, Failure> {
    if json && file.is_none() {
        say(
            talk,
            "note: with --json and no --output, rows of the result are counted but not written",
        );
        return Ok(None);
    }
    if json && file == Some("-") {
        return Err(Failure::Flags(
            "--json and rows cannot share standard output: give --output a file".to_owned(),
        ));
    }
    let destination = veilset::destination(file.unwrap_or("-"), force)?;
    destination.check(input)?;
    Ok(Some(destination))
}

/// The table of a list; what it takes of the disk is said before.
pub(crate) fn read_table(
    list: &PlaceArgs,
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
    order: &Order,
    destination: Option<&Destination>,
    talk: &Talk,
) -> Result<Input, Failure> {
    let list = &order.party.list;
    let table = read_table(&list.place, &order.scratch(), talk)?;
    if order.operation.spec().gives == Gives::Identifiers {
        table.check_aligned()?;
    }
    let keys = order.keys();
    let matching = order.matching(&keys)?;
    let says_key = order.operation.spec().gives == Gives::OwnRows && matching.is_some();
    if says_key && order.learns() {
        table.check_labelled(KEY_COLUMN)?;
    }
    let written = destination.filter(|_| order.gives_rows());
    let input_of = |table| {
        let input = Input::linked(table, &keys, matching)?;
        if order.is_admap() {
            admap::check(&input).map_err(|why| Failure::Flags(why.to_string()))?;
        }
        Ok(order.attach(input)?.for_one_run())
    };
    let input = prepared(table, written, &input_of, talk)?;
    if destination.is_some_and(is_kept) && !order.learns() {
        say(talk, "you are not to learn the result: no output file will be written");
    }
    Ok(input)
}

/// The list that a table is; `destination` is where its rows go, if they go anywhere, and what is odd about it is said.
pub(crate) fn prepared(
    table: Table,
    destination: Option<&Destination>,
    input_of: &dyn Fn(Table) -> Result<Input, Failure>,
    talk: &Talk,
) -> Result<Input, Failure> {
    if let Some(destination) = destination {
        destination.prepare(&table)?;
    }
    let name = table.name().to_owned();
    let input = input_of(table)?;
    say(talk, &format!("{name}: {}", report::summary(&input)));
    warn_some(&input.warnings(), CHECK);
    Ok(input)
}

/// Writes a result; where its place does not take it, the user who is there may mend that, else it is kept elsewhere.
pub(crate) fn deliver(
    destination: &Destination,
    scratch: &Scratch,
    talk: &Talk,
    write: &dyn Fn(&Destination) -> Result<(), DataError>,
) -> Result<(), Failure> {
    let again = |why: &DataError, kept: Option<&Path>| {
        Somebody::find(talk).is_some_and(|somebody| {
            voice::say(why);
            if let Some(place) = kept {
                voice::say(format_args!("the result is kept in {}", place.display()));
            }
            let question = "The result is still here. Mend that, and try again?";
            somebody.agrees(question, true, &mut || Ok(())).unwrap_or(false)
        })
    };
    Ok(veilset::deliver(destination, scratch, &again, write)?)
}

/// Where what is not said of a list can be read.
pub(crate) const CHECK: &str =
    "; veilset check says all that looks wrong about this list, and where";

/// Whether a result stays there.
fn is_kept(destination: &Destination) -> bool {
    !matches!(destination, Destination::Stdout)
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
