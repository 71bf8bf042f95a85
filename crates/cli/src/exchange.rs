//! `veilset exchange` and `veilset run`: a run that two parties agreed on once, in a file.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command as Syntax, ValueHint};
use veilset::invitation::{agreement_file, agreements};
use veilset::party::{Home, Lock, Peers, guard};

use crate::args::{Cli, Command, Talk};
use crate::complete;
use crate::config::{self, FlagFile, Places, Refused, exclude, flag_of};
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
    let bytes = guard::read_trusted(&args.file)?;
    let words = words(FlagFile::new(&args.file, &bytes)?, &Given::default())?;
    if args.print {
        return print_words(&words);
    }
    let as_json = words.iter().any(|word| word == "--json");
    told(run_words(args, words, talk), as_json)
}

/// Holds the job of a file against other runs of it, which end at once. The lock lies beside the identity: others cannot take it there.
fn sole(path: &Path) -> Result<Lock, Failure> {
    const LONGEST: usize = 80;
    let (text, mut hasher) = (path.to_string_lossy(), DefaultHasher::new());
    text.hash(&mut hasher);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: Vec<char> = text.chars().rev().take(LONGEST).map(letter).collect();
    name.reverse();
    let name = format!("{}-{:016x}", String::from_iter(name), hasher.finish());
    let held = Home::from_env()?.folder(JOBS).try_lock(&name)?;
    held.ok_or_else(|| Failure::Running { path: path.to_owned() })
}

/// How a run ended, which scripts are told where the flags of a file ask for it.
fn told(ended: Result<(), Failure>, as_json: bool) -> Result<(), Failure> {
    ended.map_err(|failure| if as_json { Failure::ForScripts(Box::new(failure)) } else { failure })
}

/// Runs the command that the file stands for.
fn run_words(args: &ExchangeArgs, words: Vec<String>, talk: &Talk) -> Result<(), Failure> {
    let whole = args.file.canonicalize().unwrap_or_else(|_| args.file.clone());
    let folder = args.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        env::set_current_dir(folder)
            .map_err(|why| Failure::Flags(format!("{}: {why}", folder.display())))?;
    }
    let mut order = order(&args.file, words)?.0;
    order.party.meet.yes = true;
    order.party.meet.log();
    let _sole = sole(&whole)?;
    operation::run(&order, talk)
}

/// The order in these words, and how much it says.
fn order(path: &Path, words: Vec<String>) -> Result<(Box<Order>, Talk), Failure> {
    let (cli, _) = config::parse(words, Places::Users).map_err(|refused| {
        if let Refused::Line { error, .. } = &refused
            && !error.use_stderr()
        {
            // Help was asked for.
            error.exit();
        }
        Failure::Flags(format!("with the flags in {}: {}", path.display(), refused.why()))
    })?;
    match cli.command {
        Command::Compute(order) => Ok((order, cli.talk)),
        _ => Err(Failure::Bug("an operation is another command".to_owned())),
    }
}

/// The folder of the locks of files that run.
const JOBS: &str = "jobs";

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The peer, as you called it in `invite` or `accept`
    #[arg(add = complete::agreed())]
    name: String,
    /// Your list
    #[arg(value_hint = ValueHint::FilePath)]
    list: String,
    /// Further flags of the operation, as in its own help; they take the place of those that you agreed on
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

/// Runs with a peer what was agreed with it.
pub(crate) fn run_with(args: &RunArgs, talk: &Talk) -> Result<(), Failure> {
    let folder = agreements(&Home::from_env()?);
    let name = agreement_file(&args.name);
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
    let file = FlagFile::new(&path, &bytes)?;
    if !file.text.lines().any(|line| line.trim_start().starts_with(OPERATION)) {
        return Err(Failure::Flags(format!(
            "you and {} agreed on no operation: add a line such as operation = \"count\" to {}, or run veilset count LIST --peer {} with the way that the file names",
            args.name,
            path.display(),
            args.name
        )));
    }
    let given = Given { list: Some(&args.list), flags: &args.flags };
    let (order, said) = order(&path, words(file, &given)?)?;
    let talk = Talk {
        quiet: talk.quiet || said.quiet,
        verbose: talk.verbose || said.verbose,
        no_input: talk.no_input || said.no_input,
    };
    let as_json = order.party.meet.json;
    order.party.meet.log();
    told(sole(&path).and_then(|_sole| operation::run(&order, &talk)), as_json)
}

/// What a command line says beside a file.
#[derive(Default)]
struct Given<'a> {
    list: Option<&'a str>,
    /// Flags, with their values, which take the place of the file's.
    flags: &'a [String],
}

impl Given<'_> {
    /// Whether a command gets this flag from it, or one that excludes it.
    fn has(&self, command: &Syntax, flag: &Arg) -> bool {
        let given = self.flags.iter().filter_map(|word| word.strip_prefix("--"));
        let mut given = given.filter_map(|given| flag_of(command, given.split('=').next()?));
        given.any(|given| given.get_id() == flag.get_id() || exclude(command, given, flag))
    }
}

/// The command that a file stands for.
fn words(file: FlagFile<'_>, given: &Given<'_>) -> Result<Vec<String>, Failure> {
    let parsed = file.parse()?;
    let table = parsed.get_ref();
    let needed = |name: &str| {
        let missing = || Failure::Flags(format!("{}: it does not say {name}", file.path.display()));
        let value = table.get(name).ok_or_else(missing)?;
        let wrong = || file.at(value.span().start, &format!("{name} is a text"));
        value.get_ref().as_str().map(str::to_owned).ok_or_else(wrong)
    };
    let operation = needed(OPERATION)?;
    let list = given.list.map_or_else(|| needed(LIST), |list| Ok(list.to_owned()))?;
    let program = Cli::built();
    let command = program.find_subcommand(&operation).filter(|_| {
        veilset::registry::OPERATIONS.iter().any(|spec| spec.operation.name() == operation)
    });
    let Some(command) = command else {
        let place = table.get(OPERATION).map_or(0, |value| value.span().start);
        return Err(file.at(place, "operation is one such as intersect, count or sum"));
    };
    let mut words = vec!["veilset".to_owned(), operation];
    for (name, value) in table {
        let (name, place) = (name.get_ref().as_ref(), name.span().start);
        if [OPERATION, LIST].contains(&name) {
            continue;
        }
        let Some(flag) = flag_of(command, name) else {
            let flags = command.get_arguments().filter_map(|flag| flag.get_long());
            let all = flags.collect::<Vec<_>>().join(", ");
            let why = format!("the command has no flag {name:?}; its flags are {all}");
            return Err(file.at(place, &why));
        };
        if !given.has(command, flag) {
            words.extend(file.words(name, value)?);
        }
    }
    words.extend(given.flags.iter().cloned());
    words.extend(["--".to_owned(), list]);
    Ok(words)
}

/// Prints a command as a shell takes it.
pub(crate) fn print_words(words: impl IntoIterator<Item: AsRef<str>>) -> Result<(), Failure> {
    let quoted: Vec<String> = words.into_iter().map(|word| quoted(word.as_ref())).collect();
    Ok(print_line!("{}", quoted.join(" "))?)
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
