//! `veilset exchange` and `veilset run`: a run that two parties agreed on once, in a file.

use std::env;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory, Parser};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use veilset::json;
use veilset::party::{Home, Peers, guard};

use crate::args::{Cli, Command, Talk};
use crate::error::Failure;
use crate::escape::shown;
use crate::operation;
use crate::order::Order;

#[derive(Args)]
pub(crate) struct ExchangeArgs {
    /// The file: operation, list, and the flags of that operation's command by their names, such as peer = "acme"; paths in it
    /// are relative to its folder, and {date} in output is today's date in UTC
    file: PathBuf,
    /// Print the command that the file stands for, and do nothing
    #[arg(long)]
    print: bool,
}

/// What stands for no flag: the command, and its list.
const OPERATION: &str = "operation";
const LIST: &str = "list";

/// Runs what the file says. Whoever wrote it there consents to its terms.
pub(crate) fn run(args: &ExchangeArgs, talk: &Talk) -> Result<(), Failure> {
    let text = text(&args.file, guard::read_trusted(&args.file)?)?;
    let words = words(&args.file, &text, &Given::default())?;
    if args.print {
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        return Ok(print_line!("{}", quoted.join(" "))?);
    }
    let as_json = words.iter().any(|word| word == "--json");
    told(run_words(args, words, talk), as_json)
}

/// What a file has.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::Flags(format!("{}: it is not UTF-8", path.display())))
}

/// How a run ended, which scripts are told where the flags of a file ask for it.
fn told(ended: Result<(), Failure>, as_json: bool) -> Result<(), Failure> {
    ended.map_err(|failure| if as_json { Failure::ForScripts(Box::new(failure)) } else { failure })
}

/// Runs the command that the file stands for.
fn run_words(args: &ExchangeArgs, words: Vec<String>, talk: &Talk) -> Result<(), Failure> {
    let folder = args.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        env::set_current_dir(folder)
            .map_err(|why| Failure::Flags(format!("{}: {why}", folder.display())))?;
    }
    let mut order = order(&args.file, words)?.0;
    order.party.meet.yes = true;
    operation::run(&order, talk)
}

/// The order in these words, and how much it says.
fn order(path: &Path, words: Vec<String>) -> Result<(Box<Order>, Talk), Failure> {
    let cli = Cli::try_parse_from(words).map_err(|error| {
        if !error.use_stderr() {
            // Help was asked for.
            error.exit();
        }
        let why = error.to_string();
        let why = why.trim_start_matches("error: ").trim_end();
        Failure::Flags(format!("with the flags in {}: {why}", path.display()))
    })?;
    match cli.command {
        Command::Compute(order) => Ok((order, cli.talk)),
        _ => Err(Failure::Bug("an operation is another command".to_owned())),
    }
}

/// The folder of what was agreed with peers, in that of the identity.
const AGREEMENTS: &str = "agreements";

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The peer, as you called it in `invite` or `accept`
    name: String,
    /// Your list
    list: String,
    /// Further flags of the operation, as in its own help; they take the place of those that you agreed on
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

/// The file of what was agreed with a peer.
pub(crate) fn agreement(name: &str) -> String {
    format!("{name}.toml")
}

/// The folder of what was agreed.
pub(crate) fn agreements(home: &Home) -> Home {
    home.folder(AGREEMENTS)
}

/// Runs with a peer what was agreed with it.
pub(crate) fn run_with(args: &RunArgs, talk: &Talk) -> Result<(), Failure> {
    let folder = agreements(&Home::from_env()?);
    let name = agreement(&args.name);
    let path = folder.path().join(&name);
    // A name is no way to another folder.
    let bytes = match Peers::check_name(&args.name) {
        Ok(()) => folder.read(&name)?,
        Err(_) => None,
    };
    let Some(bytes) = bytes else {
        return Err(Failure::Flags(format!(
            "nothing is agreed with {}: see veilset invite, or write {}",
            shown(&args.name),
            folder.path().join("NAME.toml").display()
        )));
    };
    let text = text(&path, bytes)?;
    if !text.lines().any(|line| line.trim_start().starts_with(OPERATION)) {
        return Err(Failure::Flags(format!(
            "you and {} agreed on no operation: add a line such as operation = \"count\" to {}, or run veilset count LIST --peer {} with the way that the file names",
            args.name,
            path.display(),
            args.name
        )));
    }
    let given = Given { list: Some(&args.list), flags: &args.flags };
    let (order, said) = order(&path, words(&path, &text, &given)?)?;
    let talk = Talk {
        quiet: talk.quiet || said.quiet,
        verbose: talk.verbose || said.verbose,
        no_input: talk.no_input || said.no_input,
    };
    let as_json = order.party.meet.json;
    told(operation::run(&order, &talk), as_json)
}

/// What a command line says beside a file.
#[derive(Default)]
struct Given<'a> {
    list: Option<&'a str>,
    /// Flags, with their values, which take the place of the file's.
    flags: &'a [String],
}

impl Given<'_> {
    /// Whether it has this flag, or one that excludes it.
    fn has(&self, name: &str) -> bool {
        const WAYS: [&str; 3] = ["listen", "connect", "via"];
        let given = self.flags.iter().filter_map(|word| word.strip_prefix("--"));
        let mut given = given.map(|flag| flag.split('=').next().unwrap_or_default());
        given.any(|flag| flag == name || (WAYS.contains(&name) && WAYS.contains(&flag)))
    }
}

/// The command that a file stands for.
fn words(path: &Path, text: &str, given: &Given<'_>) -> Result<Vec<String>, Failure> {
    let at = |place: usize, why: &str| {
        let line = text.get(..place).unwrap_or(text).matches('\n').count() + 1;
        Failure::Flags(format!("{}:{line}: {why}", path.display()))
    };
    let parsed = DeTable::parse(text)
        .map_err(|error| at(error.span().map_or(0, |span| span.start), error.message()))?;
    let table = parsed.get_ref();
    let needed = |name: &str| {
        let value = table.get(name);
        let missing = || Failure::Flags(format!("{}: it does not say {name}", path.display()));
        let value = value.ok_or_else(missing)?;
        let wrong = || at(value.span().start, &format!("{name} is a text"));
        value.get_ref().as_str().map(str::to_owned).ok_or_else(wrong)
    };
    let operation = needed(OPERATION)?;
    let list = given.list.map_or_else(|| needed(LIST), |list| Ok(list.to_owned()))?;
    let program = Cli::command();
    let command = program.find_subcommand(&operation).filter(|_| {
        veilset::registry::OPERATIONS.iter().any(|spec| spec.operation.name() == operation)
    });
    let Some(command) = command else {
        let place = table.get(OPERATION).map_or(0, |value| value.span().start);
        return Err(at(place, "operation is one such as intersect, count or sum"));
    };
    let flags: Vec<&str> = command.get_arguments().filter_map(|flag| flag.get_long()).collect();
    let mut words = vec!["veilset".to_owned(), operation];
    for (name, value) in table {
        let (name, place) = (name.get_ref().as_ref(), name.span().start);
        if [OPERATION, LIST].contains(&name) || given.has(name) {
            continue;
        }
        if !flags.contains(&name) {
            let all = flags.join(", ");
            return Err(at(
                place,
                &format!("the command has no flag {name:?}; its flags are {all}"),
            ));
        }
        let values = match value.get_ref() {
            DeValue::Array(values) => values.iter().collect(),
            _ => vec![value],
        };
        for value in values {
            words.extend(flag(name, value).ok_or_else(|| {
                at(value.span().start, &format!("{name} takes a text, a number, or true"))
            })?);
        }
    }
    words.extend(given.flags.iter().cloned());
    words.extend(["--".to_owned(), list]);
    Ok(words)
}

/// A flag with its value; nothing where it is not one that a flag has.
fn flag(name: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    let value = match value.get_ref() {
        DeValue::Boolean(true) => return Some(vec![format!("--{name}")]),
        DeValue::Boolean(false) => return Some(Vec::new()),
        DeValue::String(text) if name == "output" => dated(text),
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', ""),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => return None,
    };
    Some(vec![format!("--{name}={value}")])
}

/// The text with today's date in it.
fn dated(text: &str) -> String {
    let now = json::time(std::time::SystemTime::now());
    text.replace("{date}", now.split('T').next().unwrap_or_default())
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:@,+".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
