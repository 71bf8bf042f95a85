//! What stands for flags that a command line lacks: the environment, the project's file, and the user's.

pub(crate) mod command;
mod flags;

use std::env;
use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command, Parser, parser::ValueSource};
use toml::de::{DeTable, DeValue};
use veilset::NamedPeer;
use veilset::invitation::{agreement_file, agreements};
use veilset::party::{Home, Peers, guard};

use crate::args::{Cli, MACHINE, MESSAGES, PEER, PROTOCOL, RESULT, RULES};
use crate::error::Failure;

pub(crate) use self::flags::{FlagFile, exclude, flag_of};

/// The user's file, in the folder of the identity.
const FILE: &str = "config.toml";

/// The project's file, in the folder that the program is called in.
const PROJECT: &str = "veilset.toml";

/// The parts of a configuration.
const DEFAULTS: &str = "defaults";
const PEERS: &str = "peers";

/// The headings of flags that a configuration may give; what describes a list stands beside the list, in a file for `exchange`.
const HEADINGS: [&str; 6] = [PEER, PROTOCOL, RESULT, RULES, MACHINE, MESSAGES];

/// All that a project's file may give, which may come from somebody else with the lists: where and with whom one meets, how long one
/// waits, and what the machine may spend. Nothing of it consents, hides or releases anything.
const PROJECTS: [&str; 10] = [
    "peer",
    "listen",
    "connect",
    "via",
    "deadline",
    "patience",
    "time-limit",
    "threads",
    "max-memory",
    "verbose",
];

/// A flag that a command line may lack.
#[derive(Clone)]
pub(crate) struct Setting {
    name: String,
    /// The flag as words of a command line; none where it is turned off.
    words: Vec<String>,
    /// The peer whose runs it is for; none, for all.
    peer: Option<String>,
    /// Whether a project's file gives it.
    is_projects: bool,
    /// The file with its line, or the variable.
    place: String,
}

impl Setting {
    /// Whether the peers of a project's file are some that the user knows: nobody is met by a key that came with the lists.
    fn check_peer(&self) -> Result<(), Failure> {
        if self.name != "peer" || !self.is_projects {
            return Ok(());
        }
        let pinned = Peers::load(&Home::from_env()?, None)?;
        let is_pinned = |name: &str| {
            name.parse::<NamedPeer>().is_ok_and(|peer| pinned.get(&peer.name).is_some())
        };
        if self.values().all(is_pinned) {
            return Ok(());
        }
        Err(Failure::Flags(format!(
            "{}: you pinned nobody under this name, and a project's file names only peers that you pinned",
            self.place
        )))
    }

    /// Its values.
    fn values(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(|word| word.split_once('=')).map(|(_, name)| name)
    }
}

/// Why a command line is none.
pub(crate) enum Refused {
    /// The line, or what was added to it.
    Line { error: clap::Error, words: Vec<OsString>, added: Vec<Setting> },
    /// The configuration.
    Configuration(Failure),
}

impl Refused {
    /// In words, with the place of the settings that are to blame.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Configuration(failure) => failure.to_string(),
            Self::Line { error, added, .. } => {
                let text = error.to_string();
                let text = text.trim_start_matches("error: ").trim_end();
                match blamed(text, added) {
                    Some(places) => format!("{text}\n{places}"),
                    None => text.to_owned(),
                }
            }
        }
    }
}

/// Where the settings stand that an error is about.
pub(crate) fn blamed(error: &str, added: &[Setting]) -> Option<String> {
    let named = |setting: &&Setting| {
        let flag = format!("--{}", setting.name);
        error.split([' ', '\'', '=', '\n']).any(|word| word == flag)
    };
    let places: Vec<String> = added
        .iter()
        .filter(named)
        .map(|setting| format!("--{} is from {}", setting.name, setting.place))
        .collect();
    (!places.is_empty()).then(|| places.join("\n"))
}

/// A command line with what was added to it.
pub(crate) struct Line {
    pub(crate) words: Vec<OsString>,
    pub(crate) added: Vec<Setting>,
}

/// Reads a command line, completed by the configuration; `places` are those that it takes.
pub(crate) fn parse<W: Into<OsString>>(
    words: impl IntoIterator<Item = W>,
    places: Places,
) -> Result<(Cli, Vec<Setting>), Refused> {
    let words = words.into_iter().map(Into::into).collect();
    let Line { words, added } = complete(words, places).map_err(Refused::Configuration)?;
    match Cli::try_parse_from(&words) {
        Ok(cli) => Ok((cli, added)),
        Err(error) => Err(Refused::Line { error, words, added }),
    }
}

/// Which places of settings a command line takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Places {
    All,
    /// Those of the user alone: a file that stands for a command is the project's.
    Users,
}

/// Adds the flags that a command line lacks.
pub(crate) fn complete(mut words: Vec<OsString>, places: Places) -> Result<Line, Failure> {
    let program = Cli::built();
    let found = program.clone().ignore_errors(true).try_get_matches_from(&words);
    let added = match found.as_ref().ok().and_then(ArgMatches::subcommand) {
        // A command of a command, such as serve build, meets nobody.
        Some((name, given)) if given.subcommand_name().is_none() => {
            match program.find_subcommand(name).filter(|one| meets(one)) {
                Some(command) => lacking(command, given, &settings(command, places)?)?,
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    // Flags before the command take no values.
    let behind = words.iter().skip(1).position(|word| !word.as_encoded_bytes().starts_with(b"-"));
    if let Some(behind) = behind {
        let add = added.iter().flat_map(|setting| &setting.words).map(OsString::from);
        words.splice(behind + 2..behind + 2, add.collect::<Vec<_>>());
    }
    Ok(Line { words, added })
}

/// Whether a command goes to somebody: those have a configuration.
fn meets(command: &Command) -> bool {
    flag_of(command, "via").is_some()
}

/// Whether a configuration may give this flag of a command.
fn may_give(flag: &Arg) -> bool {
    flag.get_help_heading().is_some_and(|heading| HEADINGS.contains(&heading))
}

/// The settings that a command line takes: the strongest of each flag, unless a stronger one excludes it.
///
/// # Errors
/// When a project's file names a peer that is not pinned.
fn lacking(
    command: &Command,
    given: &ArgMatches,
    settings: &[Setting],
) -> Result<Vec<Setting>, Failure> {
    let is_given = |flag: &Arg| {
        let id = flag.get_id().as_str();
        matches!(given.try_contains_id(id), Ok(true))
            && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    let mut taken: Vec<&Arg> = command.get_arguments().filter(|flag| is_given(flag)).collect();
    let peers = match flag_of(command, "peer") {
        Some(_) => peers(given, settings)?,
        None => Vec::new(),
    };
    let has_address = peers.iter().any(|peer| peer.address.is_some());
    let mut added: Vec<Setting> = Vec::new();
    for setting in settings.iter().filter(|setting| is_for(setting, &peers, settings)) {
        let Some(flag) = flag_of(command, &setting.name).filter(|flag| may_give(flag)) else {
            continue;
        };
        // A link says where to go.
        let is_led = setting.name != "peer"
            && given
                .try_get_one::<String>("code")
                .is_ok_and(|code| code.is_some_and(|code| code.contains("://")));
        // So does a peer with its address.
        let is_led = is_led || has_address && ["connect", "via"].contains(&setting.name.as_str());
        let stands = |one: &&Arg| one.get_id() == flag.get_id() || exclude(command, one, flag);
        if !is_led && !taken.iter().any(stands) {
            setting.check_peer()?;
            taken.push(flag);
            added.push(setting.clone());
        }
    }
    Ok(added)
}

/// Whether a setting is for a run with these peers: one for all is, and one for a peer that each of them has.
fn is_for(setting: &Setting, peers: &[NamedPeer], settings: &[Setting]) -> bool {
    let Some(name) = &setting.peer else { return true };
    let has_it = |peer: &NamedPeer| {
        settings.iter().any(|one| {
            one.peer.as_ref() == Some(&peer.name)
                && (&one.name, &one.words) == (&setting.name, &setting.words)
        })
    };
    peers.iter().any(|peer| peer.name == *name) && peers.iter().all(has_it)
}

/// The peers of a command line, or else those of the strongest setting.
///
/// # Errors
/// When a setting names nobody.
fn peers(given: &ArgMatches, settings: &[Setting]) -> Result<Vec<NamedPeer>, Failure> {
    let parsed = |text: &str| text.parse::<NamedPeer>();
    if let Ok(Some(said)) = given.try_get_raw("peer") {
        // What is no name has an error of its own.
        return Ok(said.filter_map(|said| parsed(said.to_str()?).ok()).collect());
    }
    let named = settings.iter().find(|setting| setting.name == "peer" && setting.peer.is_none());
    let Some(setting) = named else { return Ok(Vec::new()) };
    let names = setting.values().map(parsed).collect::<Result<_, _>>();
    names.map_err(|why| Failure::Flags(format!("{}: {why}", setting.place)))
}

/// The settings for a command, from the strongest.
fn settings(command: &Command, places: Places) -> Result<Vec<Setting>, Failure> {
    Ok(of_environment(command).into_iter().chain(of_files(places)?).collect())
}

/// What files have, from the strongest: a peer's settings before those for all, file by file.
fn of_files(places: Places) -> Result<Vec<Setting>, Failure> {
    let (known, project) = (known(), Path::new(PROJECT));
    let mut settings = Vec::new();
    if places == Places::All && project.exists() {
        let bytes = guard::read_trusted(project)?;
        settings.extend(of_file(FlagFile::new(project, &bytes)?, &known, true)?);
    }
    let Ok(home) = Home::from_env() else { return Ok(settings) };
    let path = home.path().join(FILE);
    let own = match home.read(FILE)? {
        Some(bytes) => of_file(FlagFile::new(&path, &bytes)?, &known, false)?,
        None => Vec::new(),
    };
    let (peers, all): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|setting| setting.peer.is_some());
    settings.extend(peers);
    settings.extend(of_agreements(&home)?);
    settings.extend(all);
    Ok(settings)
}

/// The names of all flags that a configuration may give.
fn known() -> Vec<String> {
    let program = Cli::built();
    let flags = program.get_subcommands().filter(|command| meets(command));
    let flags = flags.flat_map(Command::get_arguments).filter(|flag| may_give(flag));
    let mut names: Vec<String> =
        flags.filter_map(|flag| flag.get_long().map(str::to_owned)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The variable that stands for a flag.
fn variable(name: &str) -> String {
    format!("VEILSET_{}", name.replace('-', "_").to_uppercase())
}

/// What the environment has for the flags of a command.
fn of_environment(command: &Command) -> Vec<Setting> {
    let flags = command.get_arguments().filter(|flag| may_give(flag));
    let given = flags.filter_map(|flag| {
        let name = flag.get_long()?;
        let variable = variable(name);
        let value = env::var(&variable).ok().filter(|value| !value.is_empty())?;
        let is_switch = matches!(flag.get_action(), ArgAction::SetTrue);
        let words = match value.as_str() {
            "1" | "true" | "yes" if is_switch => vec![format!("--{name}")],
            "0" | "false" | "no" if is_switch => Vec::new(),
            value => vec![format!("--{name}={value}")],
        };
        let name = name.to_owned();
        Some(Setting { name, words, peer: None, is_projects: false, place: variable })
    });
    given.collect()
}

/// What a configuration has, a peer's settings before those for all.
fn of_file(
    file: FlagFile<'_>,
    known: &[String],
    is_projects: bool,
) -> Result<Vec<Setting>, Failure> {
    let parsed = file.parse()?;
    let mut settings = Vec::new();
    let mut defaults = Vec::new();
    for (name, value) in parsed.get_ref() {
        let (part, place) = (name.get_ref().as_ref(), name.span().start);
        let parts = "a configuration has the tables [defaults] and [peers.NAME]";
        let DeValue::Table(table) = value.get_ref() else { return Err(file.at(place, parts)) };
        match part {
            DEFAULTS => defaults = of_table(file, table, known, (is_projects, None))?,
            PEERS => {
                for (name, value) in table {
                    let (peer, place) = (name.get_ref().as_ref(), name.span().start);
                    Peers::check_name(peer).map_err(|why| file.at(place, &why.to_string()))?;
                    let DeValue::Table(table) = value.get_ref() else {
                        return Err(file.at(place, parts));
                    };
                    settings.extend(of_table(file, table, known, (is_projects, Some(peer)))?);
                }
            }
            _ => return Err(file.at(place, parts)),
        }
    }
    settings.append(&mut defaults);
    Ok(settings)
}

fn of_table(
    file: FlagFile<'_>,
    table: &DeTable<'_>,
    known: &[String],
    (is_projects, peer): (bool, Option<&str>),
) -> Result<Vec<Setting>, Failure> {
    let setting = |(name, value): (&toml::Spanned<_>, _)| {
        let (place, name): (usize, &std::borrow::Cow<'_, str>) =
            (name.span().start, name.get_ref());
        if !known.iter().any(|known| known == name) {
            return Err(file.at(place, &unknown(name)));
        }
        if is_projects && !PROJECTS.contains(&name.as_ref()) {
            let why = format!(
                "{name} is not for a project's file, which may come from somebody else: put it into {FILE} in the folder of your identity"
            );
            return Err(file.at(place, &why));
        }
        Ok(Setting {
            name: name.to_string(),
            words: file.words(name, value)?,
            peer: peer.map(str::to_owned),
            is_projects,
            place: file.line(place),
        })
    };
    table.iter().map(setting).collect()
}

/// What to say of a name that is no setting.
fn unknown(name: &str) -> String {
    let program = Cli::built();
    let mut flags = program.get_subcommands().flat_map(Command::get_arguments);
    match flags.any(|flag| flag.get_long() == Some(name)) {
        true => format!(
            "{name} describes a list or one command: give it there, or in a file for veilset exchange"
        ),
        false => format!("no command has a flag {name:?}: see veilset intersect --help"),
    }
}

/// The ways to peers that invitations left.
fn of_agreements(home: &Home) -> Result<Vec<Setting>, Failure> {
    let folder = agreements(home);
    let peers = Peers::load(home, None)?;
    let mut settings = Vec::new();
    for (name, _) in peers.iter() {
        let path = folder.path().join(agreement_file(name));
        let Some(bytes) = folder.read(&agreement_file(name))? else { continue };
        let file = FlagFile::new(&path, &bytes)?;
        let parsed = file.parse()?;
        for way in ["listen", "connect", "via"] {
            let Some((key, value)) = parsed.get_ref().get_key_value(way) else { continue };
            settings.push(Setting {
                name: way.to_owned(),
                words: file.words(way, value)?,
                peer: Some(name.to_owned()),
                is_projects: false,
                place: file.line(key.span().start),
            });
        }
    }
    Ok(settings)
}

/// Says which flags a file gave that lies in the folder that the program is called in.
pub(crate) fn of_project(added: &[Setting]) -> Option<String> {
    let given = added.iter().filter(|setting| setting.is_projects);
    let flags: Vec<&str> = given.flat_map(|setting| &setting.words).map(String::as_str).collect();
    (!flags.is_empty()).then(|| format!("{PROJECT} in this folder gives {}", flags.join(" ")))
}
