//! What a call asks for: keyword arguments as the facade's types.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use pyo3::prelude::*;
use veilset::data::{
    Condition, DataError, Destination, KEY_COLUMN, KeySpec, NoCondition, Scratch, Source,
};
use veilset::registry::{Choices, Gives, Operation, Over, UnknownName};
use veilset::sources::is_object;
use veilset::tongues::admap::{self, Mapping};
use veilset::{
    Columns, Done, Error, Input, Job, Joining, Learn, NoNoise, Release, choose, on_threads, units,
};

use crate::attend::Reporter;
use crate::error::Failure;
use crate::list::List;
use crate::party::Party;
use crate::peer::Others;

/// The attributes of an order that says what to compute.
#[derive(FromPyObject)]
pub(crate) struct Order {
    operation: String,
    keys: Vec<String>,
    r#match: Option<String>,
    keep_placeholders: bool,
    stop_values: Vec<String>,
    r#where: Vec<String>,
    most_per_key: Option<u32>,
    learn: String,
    protocol: Option<String>,
    security: String,
    choices: BTreeMap<String, OsString>,
    values: Vec<String>,
    factor: Option<String>,
    stats: bool,
    by: Vec<String>,
    groups: Option<usize>,
    send: Vec<String>,
    join: String,
    raw_cells: bool,
    format: String,
    space_id: Option<String>,
    label: Option<String>,
    delimiter: Option<String>,
    max_memory: Option<String>,
    scratch: Option<PathBuf>,
    threads: Option<usize>,
    output: Option<String>,
    force: bool,
    policy: Option<PathBuf>,
    reference: Option<String>,
    least: Option<u64>,
    most_rate: Option<u8>,
    round: Option<u64>,
    noise: Option<String>,
    pad_to: Option<u64>,
}

impl Order {
    /// The job with these parties, in this one's ledger and under its policy.
    pub(crate) fn governed(&self, party: &Party, others: &Others) -> Result<Job, Failure> {
        let seats = others.seats().clone();
        let job = Job { seats, ..self.offered(others.names())? };
        let job = job.of_party(party.at(), self.policy.as_deref())?;
        job.check()?;
        Ok(job)
    }

    /// How much of the result is released.
    fn release(&self) -> Result<Release, Failure> {
        let noise = self.noise.as_deref().map(str::parse).transpose();
        let noise = noise.map_err(|why: NoNoise| Failure::Argument(format!("noise: {why}")))?;
        let Self { least, most_rate, round, pad_to, .. } = *self;
        if [least, round, pad_to].contains(&Some(0))
            || !most_rate.is_none_or(|rate| (1..100).contains(&rate))
        {
            let why =
                "least, round and pad_to are numbers from 1, and most_rate is one from 1 to 99";
            return Err(Failure::Argument(why.to_owned()));
        }
        Ok(Release { least, most_rate, round, noise })
    }

    /// The job for peers of these names, which a protocol exists for.
    pub(crate) fn job(&self, peers: Vec<String>) -> Result<Job, Failure> {
        let job = self.offered(peers)?;
        job.check()?;
        self.is_admap()?;
        if job.operation.spec().over != Over::Calendars {
            job.matching_of(&self.keys()?)?;
        }
        if job.with_rows && job.learn == Learn::Me {
            let why = "with learn=\"me\" you send no rows: leave out send=";
            return Err(Failure::Argument(why.to_owned()));
        }
        Ok(job)
    }

    /// The job, of which nothing was checked.
    fn offered(&self, peers: Vec<String>) -> Result<Job, Failure> {
        let operation = named("operation", &self.operation)?;
        Ok(Job {
            learn: named("learn", &self.learn)?,
            protocol: self.protocol.as_deref().map(protocol).transpose()?,
            security: named("security", &self.security)?,
            choices: choices(&self.choices)?.of(operation),
            matching: self.r#match.as_deref().map(|name| named("match", name)).transpose()?,
            max_memory: self.max_memory.as_deref().map(bytes).transpose()?,
            with_rows: operation.spec().may_send_rows() && !self.send.is_empty(),
            groups: self.groups,
            release: self.release()?,
            pad_to: self.pad_to,
            reference: self
                .reference
                .as_deref()
                .map(units::reference)
                .transpose()
                .map_err(Failure::Argument)?,
            ..Job::new(operation, peers)
        })
    }

    /// What makes the list's keys.
    fn keys(&self) -> Result<Vec<KeySpec>, Failure> {
        let most_rows = self.most_per_key;
        if most_rows == Some(0) {
            return Err(Failure::Argument("most_per_key is a number of at least 1".to_owned()));
        }
        let key = |key: &String| {
            let key: KeySpec = key.parse()?;
            let key = key.keeping_placeholders(self.keep_placeholders).without(&self.stop_values);
            Ok(key.carried_by_at_most(most_rows))
        };
        self.keys.iter().map(key).collect()
    }

    /// The list with what the operation takes of it.
    pub(crate) fn input(&self, list: List, reporter: &Reporter) -> Result<Input, Failure> {
        let keys = self.keys()?;
        let delimiter = delimiter(self.delimiter.as_deref())?;
        let scratch = scratch(self.scratch.as_ref(), self.max_memory.as_deref())?;
        let table = list.table(delimiter, &scratch, |line| reporter.say(line))?;
        let operation: Operation = named("operation", &self.operation)?;
        if operation.spec().gives == Gives::Identifiers && !self.is_admap()? {
            table.check_aligned()?;
        }
        let matching = self.offered(Vec::new())?.matching_of(&keys)?;
        let says_key = operation.spec().gives == Gives::OwnRows && matching.is_some();
        if says_key && self.learn != Learn::Peer.name() {
            table.check_labelled(KEY_COLUMN)?;
        }
        let conditions = self.r#where.iter().map(|text| condition(text));
        let conditions = conditions.collect::<Result<Vec<Condition>, Failure>>()?;
        let link = || Input::linked(table, &keys, matching)?.only(&conditions);
        let input = on_threads(self.threads(), link)??;
        if self.is_admap()? && admap::check(&input).is_err() {
            let why =
                "ADMAP has one key value in a row: give on= one column and preset= no generator";
            return Err(Failure::Argument(why.to_owned()));
        }
        let columns = Columns {
            values: &self.values,
            squares: self.stats,
            factor: self.factor.as_deref(),
            by: &self.by,
            send: &self.send,
            label: self.label.as_deref(),
        };
        let joining = Joining { join: named("join", &self.join)?, raw_cells: self.raw_cells };
        let input = input.joining(joining);
        Ok(input.attach(operation, named("learn", &self.learn)?, columns)?.for_one_run())
    }

    /// Whether the result has ADMAP's form.
    pub(crate) fn is_admap(&self) -> Result<bool, Failure> {
        match (self.format.as_str(), &self.space_id) {
            ("admap", space) => {
                space.as_deref().map(units::reference).transpose().map_err(Failure::Argument)?;
                Ok(true)
            }
            ("rows", None) => Ok(false),
            ("rows", Some(_)) => {
                Err(Failure::Argument("space_id= is for format=\"admap\"".to_owned()))
            }
            _ => Err(Failure::Argument("format is one of: rows, admap".to_owned())),
        }
    }

    /// The result of a run in ADMAP's form, where it is to have that.
    pub(crate) fn mapping(&self, done: &Done, input: &Input) -> Result<Option<Mapping>, Failure> {
        if !self.is_admap()? {
            return Ok(None);
        }
        Ok(Mapping::of(done, input, self.space_id.as_deref())?)
    }

    /// Where rows of the result go, checked before anything else happens.
    pub(crate) fn destination(&self, input: &Source) -> Result<Option<Destination>, Failure> {
        let Some(output) = &self.output else { return Ok(None) };
        let destination = destination(output, self.force)?;
        destination.check(input)?;
        Ok(Some(destination))
    }

    /// Where the result goes that is not of rows, checked before anything else happens.
    pub(crate) fn place(&self, input: &Source) -> Result<Option<Destination>, Failure> {
        let Some(output) = &self.output else { return Ok(None) };
        let destination = destination(output, self.force)?;
        destination.check_place(input)?;
        Ok(Some(destination))
    }

    /// Finds out what would keep rows of the list from `destination`, and holds room for them.
    pub(crate) fn prepare(&self, destination: &Destination, input: &Input) -> Result<(), Failure> {
        let operation: Operation = named("operation", &self.operation)?;
        let learn: Learn = named("learn", &self.learn)?;
        if operation.spec().gives.has_own_header() && learn.includes_me() {
            destination.prepare(input.table())?;
        }
        Ok(())
    }

    /// Has `write` put the result at `destination`, or else into the folder for what takes too much memory.
    pub(crate) fn deliver(
        &self,
        destination: &Destination,
        write: &dyn Fn(&Destination) -> Result<(), DataError>,
    ) -> Result<(), Failure> {
        let scratch = scratch(self.scratch.as_ref(), None)?;
        Ok(veilset::deliver(destination, &scratch, &|_, _| false, write)?)
    }

    /// Threads for computing: every core that the system gives this process, unless told.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(all_cores)
    }
}

/// Where lists go that take too much memory.
pub(crate) fn scratch(
    folder: Option<&PathBuf>,
    max_memory: Option<&str>,
) -> Result<Scratch, Failure> {
    Ok(Scratch::new(folder.cloned(), max_memory.map(bytes).transpose()?))
}

/// An object of a store or a file, whatever its name.
pub(crate) fn destination(place: &str, force: bool) -> Result<Destination, Failure> {
    if is_object(place) {
        return Ok(veilset::destination(place, force)?);
    }
    Ok(Destination::file(place, force))
}

/// Every core that the system gives this process.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What stands between fields, where that is not what a file's name says.
pub(crate) fn delimiter(text: Option<&str>) -> Result<Option<u8>, Failure> {
    text.map(units::delimiter).transpose().map_err(Failure::Argument)
}

/// What is chosen beside the protocol, by the names of arguments.
pub(crate) fn choices(given: &BTreeMap<String, OsString>) -> Result<Choices, Failure> {
    given.iter().try_fold(Choices::default(), |choices, (name, text)| {
        let chosen = choose(name, text).map_err(|error| match error {
            Error::Choice(unknown) => one_of(name, &unknown.0),
            error => error.into(),
        })?;
        Ok(choices.or(chosen))
    })
}

fn protocol(text: &str) -> Result<&'static str, Failure> {
    units::protocol(text).map_err(|ids| one_of("protocol", &ids))
}

pub(crate) fn bytes(text: &str) -> Result<u64, Failure> {
    units::bytes(text).map_err(Failure::Argument)
}

/// What rows must say to count.
pub(crate) fn condition(text: &str) -> Result<Condition, Failure> {
    text.parse().map_err(|why: NoCondition| Failure::Argument(format!("where: {why}")))
}

/// The value of this name.
pub(crate) fn named<T: FromStr<Err = UnknownName>>(
    argument: &str,
    text: &str,
) -> Result<T, Failure> {
    text.parse().map_err(|unknown: UnknownName| one_of(argument, &unknown.0))
}

fn one_of(argument: &str, names: &dyn Display) -> Failure {
    Failure::Argument(format!("{argument} is one of: {names}"))
}
