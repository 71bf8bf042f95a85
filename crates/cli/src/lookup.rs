//! `veilset lookup`: what somebody's list says of items, without telling which.

use std::io::Read;

use veilset::data::{DataError, Destination, Source};
use veilset::lookup::{
    Answer, Contact, Fetched, LookedUp, LookupInput, Server, Takes, Visitor, Way, look_up,
};
use veilset::net::{Event, Options};
use veilset::party::{Home, Identity, Peers};
use veilset::registry::Silent;
use veilset::{Ends, Input, json, table, voice};

use crate::args::{LookupArgs, Talk};
use crate::error::Failure;
use crate::escape::{json_line, shown};
use crate::operation::{CHECK, deliver, tell_need};
use crate::progress::{Waiting, detail, say, warn_some};
use crate::units::show_bytes;

/// Fetches what changed of the list, asks, and prints what it says.
pub(crate) fn run(args: &LookupArgs, talk: &Talk) -> Result<(), Failure> {
    let LookupArgs { connect, via, peer, .. } = args;
    let ends = Ends { listen: None, connect: connect.as_deref(), via: via.as_deref() };
    let endpoint = ends.to_service(peer)?;
    let destination = destination(args)?;
    let (sought, items) = sought(args, destination.clone(), talk)?;
    let home = Home::from_env()?;
    let identity = Identity::load(&home)?;
    let peer = Peers::load(&home, Some(identity.public_key()))?.resolve(&args.peer.name)?;
    let options = Options { deadline: args.deadline, ..Options::default() };
    let waiting = Waiting::new(talk, &peer.name, args.deadline);
    let tell = |event| {
        if talk.verbose || matches!(event, Event::Retrying { .. }) {
            waiting.tell(&event);
        }
    };
    let visitor = Visitor {
        home: &home,
        identity: &identity,
        options: &options,
        events: &tell,
        observer: &Silent,
    };
    let server = Server { peer: &peer, endpoint: &endpoint };
    let takes = Takes { most: args.max_list, new_list: args.new_list };
    let takes = takes.within(args.room.max_memory);
    let found = look_up(&visitor, server, sought, takes)?;
    if let Contact::Another { other } = &found.contact {
        // Said even where nothing else is: only the user knows whether that is to be so.
        voice::say(format_args!(
            "note: the list at {} is another one than {} has at {other}; it is expected there from now on",
            endpoint.place(),
            peer.name
        ));
    }
    match destination {
        Some(destination) => {
            deliver(&destination, &args.room.scratch(), talk, &|to| found.write(to))?;
        }
        None if args.json || items.is_empty() => {}
        None => print(&found, &items)?,
    }
    if args.json {
        print_line!("{}", json_line(&json::of_lookup(&found, &peer.name, &items)))?;
    }
    summarise(&found, &peer.name, &items, talk);
    Ok(())
}

/// Where the rows of a file go.
fn destination(args: &LookupArgs) -> Result<Option<Destination>, Failure> {
    let output = args.out.output.as_deref();
    let Some(file) = &args.file else {
        return match output {
            None => Ok(None),
            Some(_) => Err(Failure::Flags("--output is for the rows of --file".to_owned())),
        };
    };
    if args.json && output == Some("-") {
        return Err(Failure::Flags(
            "--json and rows cannot share standard output: give --output a file".to_owned(),
        ));
    }
    if args.json && output.is_none() {
        return Ok(None);
    }
    let destination = veilset::destination(output.unwrap_or("-"), args.out.force)?;
    destination.check(&Source::new(file))?;
    Ok(Some(destination))
}

/// What is asked, and the single items, if it is such.
fn sought(
    args: &LookupArgs,
    destination: Option<Destination>,
    talk: &Talk,
) -> Result<(LookupInput, Vec<String>), Failure> {
    if let (Some(file), Some(key)) = (&args.file, &args.key) {
        let scratch = args.room.scratch();
        tell_need(file, &scratch, talk)?;
        let table = table(file, None, args.delimiter, &scratch)?;
        let input = Input::of(table, &args.keep.of(key))?;
        warn_some(&input.warnings(), CHECK);
        if let Some(destination) = &destination {
            destination.prepare(input.table())?;
        }
        return Ok((LookupInput::List(Box::new(input), destination), Vec::new()));
    }
    let items = items(&args.items)?;
    Ok((LookupInput::Items(items.clone()), items))
}

/// The items of the command line, or of standard input where they are `-`.
pub(crate) fn items(given: &[String]) -> Result<Vec<String>, Failure> {
    if given != ["-"] {
        return Ok(given.to_vec());
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.map_err(|why| DataError::Read { file: "standard input".to_owned(), why })?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// One item's answer alone; of several, each after its item.
fn print(found: &LookedUp, items: &[String]) -> Result<(), Failure> {
    for (row, item) in items.iter().enumerate() {
        let answer = match found.of_row(row) {
            Some(Answer::Listed(Some(label))) => shown(label),
            Some(Answer::Listed(None)) => "listed".to_owned(),
            Some(Answer::NotListed) => "not listed".to_owned(),
            None => "no key".to_owned(),
        };
        match items {
            [_] => print_line!("{answer}")?,
            _ => print_line!("{item}\t{answer}")?,
        }
    }
    Ok(())
}

fn summarise(found: &LookedUp, name: &str, items: &[String], talk: &Talk) {
    let manifest = &found.manifest;
    if items.is_empty() {
        let (listed, rows) = (found.listed().count(), found.input.rows());
        say(talk, &format!("{listed} of your {rows} rows are on the list of {name}"));
    }
    let no_keys = (0..items.len()).filter(|row| found.of_row(*row).is_none()).count();
    if no_keys > 0 {
        let presets = &manifest.presets;
        say(
            talk,
            &format!(
                "{no_keys} of your items are empty, or the list's preset {presets} cannot read them: they never match, \
                 and made-up items were asked in their place"
            ),
        );
    }
    let fetched = match (manifest.way(), found.fetched) {
        (Way::Encrypted, _) => "which answered encrypted questions",
        (Way::Filter, Fetched::Nothing) => "unchanged since the last lookup",
        (Way::Filter, Fetched::Changes) => "of which the changes were fetched",
        (Way::Filter, Fetched::All) => "which was fetched",
    };
    let (sent, received) = found.bytes;
    detail(talk, &found.learned(name));
    detail(
        talk,
        &format!(
            "version {} of the list, {} items, {fetched}; {} sent, {} received; an item that is not listed \
             counts as listed with probability {:.1e} at most",
            manifest.version,
            manifest.count,
            show_bytes(sent as f64),
            show_bytes(received as f64),
            manifest.false_positive(),
        ),
    );
    detail(talk, &format!("list {}, fingerprint {}", manifest.id(), manifest.fingerprint()));
}
