//! `nofly screen`: the airline's side.

use veilset::data::{Destination, Scratch, Source, Table};
use veilset::net::{Comeback, Endpoint, Options};
use veilset::{Connection, Done, Input, Job, Learn, Resources, voice};

use crate::args::ScreenArgs;
use crate::error::Failure;
use crate::page::{Board, Page};
use crate::party::Party;
use crate::report;
use crate::talk::{Talk, summary};
use crate::watch::Watch;

/// Screens the manifest and prints or writes the rows that are on the list.
pub(crate) fn run(args: &ScreenArgs, talk: Talk) -> Result<(), Failure> {
    let endpoint = match (&args.connect, &args.via) {
        (None, Some(relay)) => Endpoint::Via(relay.clone()),
        (address, _) => Endpoint::Connect(address.clone().unwrap_or_default()),
    };
    endpoint.check().map_err(veilset::Error::from)?;
    let source = Source::new(&args.manifest);
    let destination = destination(args, &source, talk)?;
    let party = Party::load(&args.party.peer)?;
    job(&party, args)?.check()?;
    let table = Table::read(&source, None)?;
    args.party.key.locate(&table)?;
    if let Some(destination) = &destination {
        destination.prepare(&table)?;
    }
    let page = args.page.then(|| Page::open(&table, &party.peer.name)).transpose()?;
    let input = Input::of(table, &args.party.key)?;
    talk.say(&summary(&source.name(), &input));
    Talk::warn(&input.warnings());
    if let Some(page) = &page {
        // Even for the quiet: without the address there is no page.
        voice::say(format_args!("page: {}", page.address()));
    }

    let screening = Screening { args, talk, party: &party, board: page.as_ref().map(Page::board) };
    let screened = screening.run(&endpoint, &input).and_then(|done| {
        screening.deliver(&done, &input, destination.as_ref())?;
        Ok(done)
    });
    match (&page, screened) {
        (None, screened) => screened.map(drop),
        (Some(page), Ok(done)) => {
            talk.say("the page stays until you close it there, or press ctrl-c");
            page.complete(&done, &input)
        }
        (Some(page), Err(failure)) => {
            page.fail(&failure.to_string());
            Err(failure)
        }
    }
}

/// This side learns which of its rows match; the authority learns nothing.
fn job(party: &Party, args: &ScreenArgs) -> Result<Job, Failure> {
    let job = Job::intersect([&party.peer.name]);
    party.governs(Job { learn: Learn::Me, protocol: args.protocol.0, ..job })
}

/// Where the rows go, checked before anything else happens.
fn destination(
    args: &ScreenArgs,
    source: &Source,
    talk: Talk,
) -> Result<Option<Destination>, Failure> {
    let output = args.output.as_deref();
    if args.json && output == Some("-") {
        return Err(Failure::Flags(
            "--json and rows cannot share standard output: give --output a file".to_owned(),
        ));
    }
    if args.json && output.is_none() {
        talk.say("note: with --json and no --output, rows are counted but not written");
        return Ok(None);
    }
    let destination = Destination::new(output.unwrap_or("-"), args.force);
    destination.check(source)?;
    Ok(Some(destination))
}

struct Screening<'a> {
    args: &'a ScreenArgs,
    talk: Talk,
    party: &'a Party,
    board: Option<&'a Board>,
}

impl Screening<'_> {
    fn run(&self, endpoint: &Endpoint, input: &Input) -> Result<Done, Failure> {
        let talk = self.talk;
        let comeback = Comeback::told(move |event| talk.tell(&event));
        let options = Options { deadline: self.args.deadline, comeback, ..Options::default() };
        let Party { identity, peer, .. } = self.party;
        self.talk.say(&format!("going to {} at {}", peer.name, endpoint.place()));
        let (peers, tell) = ([peer.clone().into()], |event| self.talk.tell(&event));
        let connection = Connection::open(identity, &peers, endpoint, &options, &tell)?;
        let ready = job(self.party, self.args)?.offer(connection, input)?;
        self.talk.show(ready.briefing());
        if let Some(board) = self.board {
            board.brief(ready.briefing());
        }
        let watch = Watch::new(self.talk, self.board);
        let resources = Resources { threads: self.args.party.threads(), observer: &watch };
        let done = ready.run(input, &resources);
        watch.clear();
        Ok(done?)
    }

    fn deliver(
        &self,
        done: &Done,
        input: &Input,
        destination: Option<&Destination>,
    ) -> Result<(), Failure> {
        if let Some(destination) = destination {
            let write = |to: &Destination| done.write(input, to);
            veilset::deliver(destination, &Scratch::default(), &|_, _| false, &write)?;
        }
        if self.args.json {
            print_line!("{}", report::object(done, input))?;
        }
        let place = self.args.output.as_deref().filter(|output| *output != "-");
        self.talk.say(&report::outcome(done, input, place));
        self.talk.say(&report::cost(&done.report));
        self.talk.say(&report::table(&done.report));
        Ok(())
    }
}
