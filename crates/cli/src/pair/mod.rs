//! `veilset pair`: IAB Tech Lab's PAIR, a command for each step of a clean room.

pub(crate) mod args;

use std::fs;
use std::path::Path;

use serde_json::json;
use veilset::data::{Destination, Source, counted};
use veilset::json::versioned;
use veilset::party::Home;
use veilset::tongues::pair::{
    EncryptedList, Key, LEAK_OF_ANSWERS, LEAK_OF_LISTS, LEAK_OF_MATCHES, Lists, NewKey, OwnList,
    Rates, STEP, Shape, Stage, write,
};
use veilset::tongues::{NOT_KEPT, check_apart};
use veilset::{Error, Input};

use self::args::{
    ColumnArgs, EncryptArgs, KeyArgs, MatchArgs, PairArgs, PairCommand, PairingArgs, ReencryptArgs,
};
use crate::args::{OutputArgs, PlaceArgs, RoomArgs, Talk, unrecorded};
use crate::error::Failure;
use crate::escape::json_line;
use crate::operation::{Output, destination, prepared, read_table};
use crate::progress::{say, say_warning};

pub(crate) fn run(args: PairArgs, talk: &Talk) -> Result<(), Failure> {
    match args.command {
        PairCommand::Key(args) => key(&args, talk),
        PairCommand::Encrypt(args) => encrypt(&args, talk),
        PairCommand::Reencrypt(args) => reencrypt(&args, talk),
        PairCommand::Match(args) => match_lists(&args, talk),
    }
}

/// Makes a key, or takes a partner's.
fn key(args: &KeyArgs, talk: &Talk) -> Result<(), Failure> {
    let kind = args.kind.into();
    let new = NewKey { kind, path: &args.output, force: args.force };
    match &args.import {
        None => new.create()?,
        Some(from) => new.import(from, args.made)?,
    }
    say(talk, &format!("{}: {kind}, for you alone", args.output.display()));
    Ok(())
}

/// Encrypts this side's list.
fn encrypt(args: &EncryptArgs, talk: &Talk) -> Result<(), Failure> {
    let (salt, key) = (Key::load(&args.salt)?, Key::load(&args.cipher_key)?);
    let standing = args.partner.sending(STEP, talk)?;
    let list = &args.list.place.file;
    let keys = [args.salt.as_path(), args.cipher_key.as_path()];
    apart(args.table.as_deref(), &keys)?;
    let table = args.table.as_deref().map(Path::new);
    apart(args.out.output.as_deref(), &keys.into_iter().chain(table).collect::<Vec<_>>())?;
    let place = place_of(&args.out, list, talk)?;
    let table_place = match &args.table {
        Some(file) => {
            let output = Output { file: Some(file), force: args.out.force, json: false };
            destination(output, &Source::new(list), talk)?
        }
        None => None,
    };
    tell([LEAK_OF_LISTS], talk);
    let table = read_table(&args.list.place, &args.room.scratch(), talk)?;
    let keys = args.list.keys();
    let input_of = |table| {
        let input = Input::linked(table, &keys, None)?;
        if args.table.is_some() {
            OwnList::check_table(&input, &key)?;
        }
        Ok(input)
    };
    let input = prepared(table, None, &input_of, talk)?;
    standing.check_list(&input)?;
    let own = OwnList::encrypt(&input, &salt, &key)?;
    standing.send_list(&input, &unrecorded, || {
        let Some(table) = &table_place else { return own.write(&place, &Shape::from(&args.shape)) };
        let is_new = args.table.as_ref().is_some_and(|file| !Path::new(file).exists());
        own.write_table(table)?;
        own.write(&place, &Shape::from(&args.shape)).inspect_err(|_| {
            if let (true, Some(file)) = (is_new, &args.table) {
                // Where that fails it stays, and is right for the next run.
                let _ = fs::remove_file(file);
            }
        })
    })?;
    say(talk, &format!("encrypted {}", counted(own.len(), "identifier")));
    Ok(())
}

/// Puts this side's key on the other's list.
fn reencrypt(args: &ReencryptArgs, talk: &Talk) -> Result<(), Failure> {
    let key = Key::load(&args.cipher_key)?;
    let standing = args.partner.sending(STEP, talk)?;
    apart(args.out.output.as_deref(), &[&args.cipher_key])?;
    let place = place_of(&args.out, &args.file, talk)?;
    tell([LEAK_OF_ANSWERS], talk);
    let reader =
        Reader { column: &args.column, pairing: &args.shape.pairing, room: &args.room, talk };
    let list = reader.read(&args.file)?;
    standing.check_size(Some(list.distinct()))?;
    let encrypted = list.encrypt_again(&key)?;
    standing.send_answer(list.len(), &unrecorded, || {
        write(&encrypted, Stage::Twice, &place, &Shape::from(&args.shape)).map_err(Error::from)
    })?;
    say(talk, &format!("encrypted {} again", counted(encrypted.len(), "identifier")));
    Ok(())
}

/// Matches the lists that have all keys.
fn match_lists(args: &MatchArgs, talk: &Talk) -> Result<(), Failure> {
    let key = args.cipher_key.as_deref().map(Key::load).transpose()?;
    key.as_ref().map_or(Ok(()), Rates::check_key)?;
    let standing = args.partner.standing(STEP)?;
    let lists = [&args.sent, &args.ours, &args.theirs].map(Path::new);
    let key_file = args.cipher_key.as_deref();
    apart(args.output.as_deref(), &lists.into_iter().chain(key_file).collect::<Vec<_>>())?;
    let place = match args.output.as_deref() {
        Some("-") => {
            let why = "the rates go to standard output: give --output a file";
            return Err(Failure::Flags(why.to_owned()));
        }
        Some(file) => {
            let output = Output { file: Some(file), force: args.force, json: args.json };
            destination(output, &Source::new(&args.ours), talk)?
        }
        None => None,
    };
    tell([LEAK_OF_MATCHES], talk);
    let reader = Reader { column: &args.column, pairing: &args.pairing, room: &args.room, talk };
    let (sent, ours) = (reader.read(&args.sent)?, reader.read(&args.ours)?);
    let theirs = reader.read(&args.theirs)?;
    standing.check_size(Some(theirs.distinct()))?;
    let pairing = args.pairing.advpubid.as_deref();
    let lists = Lists { sent: &sent, ours: &ours, theirs: &theirs };
    let rates = Rates::of(&lists, &Home::from_env()?, pairing)?;
    if let (Some(key), Some(place)) = (&key, &place) {
        let identifiers = rates.publisher_identifiers(key, &ours)?;
        write(&identifiers, Stage::Once, place, &Shape { pairing: None, bare: args.bare })?;
    }
    if rates.are_none() {
        say_warning(
            "less than 1 % of either list matches: if you expect more, check that both rooms hash the same text, with one preset and one Ks, and \
             that --theirs is the list on which you put your key",
        );
    }
    let Rates { ours, theirs, .. } = &rates;
    if args.json {
        let object = json!({ "ours": ours.to_string(), "theirs": theirs.to_string() });
        return Ok(print_line!("{}", json_line(&versioned(object)))?);
    }
    print_line!("ours\t{ours}")?;
    Ok(print_line!("theirs\t{theirs}")?)
}

/// Refuses an output that is another file of the step.
fn apart(output: Option<&str>, others: &[&Path]) -> Result<(), Failure> {
    Ok(check_apart(output, others).map_err(Error::from)?)
}

/// Where a list goes.
fn place_of(out: &OutputArgs, input: &str, talk: &Talk) -> Result<Destination, Failure> {
    let output = Output { file: out.output.as_deref(), force: out.force, json: false };
    let place = destination(output, &Source::new(input), talk)?;
    Ok(place.unwrap_or(Destination::Stdout))
}

/// Says what PAIR leaks, and what it does not promise.
fn tell<const N: usize>(leaks: [&str; N], talk: &Talk) {
    leaks.into_iter().chain([NOT_KEPT]).for_each(|sentence| say(talk, sentence));
}

/// How lists of encrypted identifiers are read.
struct Reader<'a> {
    column: &'a ColumnArgs,
    pairing: &'a PairingArgs,
    room: &'a RoomArgs,
    talk: &'a Talk,
}

impl Reader<'_> {
    fn read(&self, file: &str) -> Result<EncryptedList, Failure> {
        let place = PlaceArgs { file: file.to_owned(), query: None, delimiter: None };
        let table = read_table(&place, &self.room.scratch(), self.talk)?;
        let pairing = self.pairing.advpubid.as_deref();
        Ok(EncryptedList::read(table, self.column.column.as_deref(), pairing)?)
    }
}
