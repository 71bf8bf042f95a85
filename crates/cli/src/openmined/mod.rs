//! `veilset openmined`: with partners who run OpenMined's PSI.

pub(crate) mod args;
mod http;

use std::path::Path;

use veilset::data::{Destination, Source};
use veilset::json::of_openmined;
use veilset::tongues::openmined::{
    Found, MAX_MESSAGE, NewSecret, Responder, Side, false_positives, intersect, notes, request,
    reveals, setup, step,
};
use veilset::tongues::{Standing, check_apart, read_message};
use veilset::{Error, Input};

use self::args::{
    IntersectArgs, MessageArgs, OpenMinedArgs, OpenMinedCommand, RequestArgs, RespondArgs,
    SetupArgs,
};
use crate::args::{ListArgs, OutputArgs, RoomArgs, Talk, unrecorded};
use crate::error::Failure;
use crate::escape::json_line;
use crate::operation::{Output, deliver, destination as rows_to, prepared, read_table};
use crate::progress::{say, say_warning};

pub(crate) fn run(args: &OpenMinedArgs, talk: &Talk) -> Result<(), Failure> {
    match &args.command {
        OpenMinedCommand::Setup(args) => run_setup(args, talk),
        OpenMinedCommand::Respond(args) => run_respond(args, talk),
        OpenMinedCommand::Request(args) => run_request(args, talk),
        OpenMinedCommand::Intersect(args) => run_intersect(args, talk),
        OpenMinedCommand::Serve(args) => http::serve(args, talk),
        OpenMinedCommand::Query(args) => http::query(args, talk),
    }
}

/// Says what the protocol does to both sides.
fn tell(side: Side, reveal: bool, talk: &Talk) {
    for note in notes(side, reveal) {
        say(talk, &note);
    }
}

fn run_setup(args: &SetupArgs, talk: &Talk) -> Result<(), Failure> {
    let (plan, reveal) = (args.plan.plan(), args.count.reveal());
    let side = Side::Server(Some(plan.structure));
    let standing = args.partner.sending(step(side, reveal), talk)?;
    let destination = message_to(&args.out, &args.list.place.file, &args.secret)?;
    let input = list(&args.list, None, &args.room, talk)?;
    standing.check_list(&input)?;
    tell(side, reveal, talk);
    let secret = NewSecret { path: &args.secret, force: args.out.force };
    setup(&input, &plan, reveal, secret, |setup| {
        standing.send_list(&input, &unrecorded, || send(&destination, setup))
    })?;
    say(talk, &format!("respond to requests with --secret {}", args.secret.display()));
    Ok(())
}

fn run_respond(args: &RespondArgs, talk: &Talk) -> Result<(), Failure> {
    let destination = message_to(&args.out, &args.request, &args.secret)?;
    let responder = Responder::load(&args.secret)?;
    let standing = args.partner.sending(step(Side::Server(None), responder.reveal), talk)?;
    tell(Side::Server(None), responder.reveal, talk);
    let request = read_message(&args.request, MAX_MESSAGE).map_err(Error::from)?;
    let question = responder.read(&request)?;
    let items = question.items();
    standing.check_size(Some(items))?;
    let respond = || send(&destination, &question.answer()?);
    standing.send_answer(items, &unrecorded, respond)?;
    say(talk, &format!("the partner asked about {items} keys"));
    Ok(())
}

fn run_request(args: &RequestArgs, talk: &Talk) -> Result<(), Failure> {
    let reveal = args.count.reveal();
    let standing = args.partner.sending(step(Side::Client, reveal), talk)?;
    let destination = message_to(&args.out, &args.list.place.file, &args.secret)?;
    let input = list(&args.list, None, &args.room, talk)?;
    standing.check_list(&input)?;
    tell(Side::Client, reveal, talk);
    let secret = NewSecret { path: &args.secret, force: args.out.force };
    request(&input, reveal, secret, |request| {
        standing.send_list(&input, &unrecorded, || send(&destination, request))
    })?;
    say(talk, &format!("read the response with --secret {}", args.secret.display()));
    Ok(())
}

fn run_intersect(args: &IntersectArgs, talk: &Talk) -> Result<(), Failure> {
    let others = [&args.secret, Path::new(&args.setup), Path::new(&args.response)];
    check_apart(args.out.output.as_deref(), &others).map_err(Error::from)?;
    let reveal = reveals(&args.secret)?;
    let standing = args.partner.standing(step(Side::Client, reveal))?;
    let wanted = Wanted::read(&args.list, &args.out, args.json, &args.room, talk)?;
    let read = |place| read_message(place, MAX_MESSAGE).map_err(Error::from);
    let (setup, response) = (read(&args.setup)?, read(&args.response)?);
    let found = intersect(&wanted.input, &args.secret, &setup, &response)?;
    standing.check_size(found.theirs)?;
    wanted.give(&found, &standing, talk)
}

/// What a user wants of what was found.
struct Wanted<'a> {
    input: Input,
    destination: Option<Destination>,
    json: bool,
    room: &'a RoomArgs,
}

impl<'a> Wanted<'a> {
    /// Reads the list; where its rows go is checked before anything else happens.
    fn read(
        args: &ListArgs,
        out: &OutputArgs,
        json: bool,
        room: &'a RoomArgs,
        talk: &Talk,
    ) -> Result<Self, Failure> {
        let output = Output { file: out.output.as_deref(), force: out.force, json };
        let destination = rows_to(output, &Source::new(&args.place.file), talk)?;
        let input = list(args, destination.as_ref(), room, talk)?;
        Ok(Self { input, destination, json, room })
    }

    /// Writes the rows that match, or how many keys do.
    fn give(&self, found: &Found, standing: &Standing, talk: &Talk) -> Result<(), Failure> {
        let Self { input, destination, json, room } = self;
        let smaller = found.theirs.map(|theirs| theirs.min(input.distinct()));
        standing.check_matches(found.count, smaller)?;
        if let Some(note) = false_positives(found.structure) {
            say_warning(note);
        }
        let rows = found.rows(input);
        if let (Some(rows), Some(destination)) = (&rows, destination) {
            let write = |to: &Destination| input.write(rows.iter().copied(), to);
            deliver(destination, &room.scratch(), talk, &write)?;
        }
        if *json {
            print_line!("{}", json_line(&of_openmined(found, input)))?;
        } else if rows.is_none() {
            print_line!("{}", found.count)?;
        }
        if let Some(rows) = rows {
            let (count, keys) = (found.count, input.distinct());
            let (rows, all) = (rows.len(), input.rows());
            say(talk, &format!("{count} of your {keys} keys match, in {rows} of your {all} rows"));
        }
        Ok(())
    }
}

fn list(
    list: &ListArgs,
    destination: Option<&Destination>,
    room: &RoomArgs,
    talk: &Talk,
) -> Result<Input, Failure> {
    let table = read_table(&list.place, &room.scratch(), talk)?;
    let input_of = |table| Ok(Input::linked(table, &list.keys(), None)?);
    prepared(table, destination, &input_of, talk)
}

/// Where a message goes, checked before anything else happens; `input` is what it is made of, with the key in `secret`.
fn message_to(out: &MessageArgs, input: &str, secret: &Path) -> Result<Destination, Failure> {
    check_apart(out.output.as_deref(), &[secret]).map_err(Error::from)?;
    let destination = veilset::destination(out.output.as_deref().unwrap_or("-"), out.force)?;
    destination.check_place(&Source::new(input))?;
    Ok(destination)
}

fn send(destination: &Destination, message: &[u8]) -> Result<(), Failure> {
    Ok(destination.write_bytes(message)?)
}
