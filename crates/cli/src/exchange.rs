//! `veilset exchange`: a run that two parties agreed on once, in a file.

use std::env;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory, Parser};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use veilset::json;
use veilset::party::guard;

use crate::args::{Cli, Command, Talk};
use crate::error::Failure;
use crate::operation;

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
    let bytes = guard::read_trusted(&args.file)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Flags(format!("{}: it is not UTF-8", args.file.display())))?;
    let words = words(&args.file, &text)?;
    if args.print {
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        return Ok(print_line!("{}", quoted.join(" "))?);
    }
    let as_json = words.iter().any(|word| word == "--json");
    run_words(args, words, talk).map_err(|failure| match as_json {
        true => Failure::ForScripts(Box::new(failure)),
        false => failure,
    })
}

/// Runs the command that the file stands for.
fn run_words(args: &ExchangeArgs, words: Vec<String>, talk: &Talk) -> Result<(), Failure> {
    let folder = args.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        env::set_current_dir(folder)
            .map_err(|why| Failure::Flags(format!("{}: {why}", folder.display())))?;
    }
    let cli = Cli::try_parse_from(words).map_err(|error| {
        let why = error.to_string();
        let why = why.trim_start_matches("error: ").trim_end();
        Failure::Flags(format!("{}: {why}", args.file.display()))
    })?;
    match cli.command {
        Command::Compute(mut order) => {
            order.party.meet.yes = true;
            operation::run(&order, talk)
        }
        _ => Err(Failure::Bug("an operation is another command".to_owned())),
    }
}

/// The command that a file stands for.
fn words(path: &Path, text: &str) -> Result<Vec<String>, Failure> {
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
    let (operation, list) = (needed(OPERATION)?, needed(LIST)?);
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
        if [OPERATION, LIST].contains(&name) {
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
