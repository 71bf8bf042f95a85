//! The `veilset` command: flags in, the facade's stages, words and JSON out.

/// Prints a line of the result; a reader that has gone away is an error, not a panic.
macro_rules! print_line {
    ($($argument:tt)*) => {
        std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($argument)*)))
    };
}

#[cfg(feature = "calendar")]
mod agree;
mod args;
#[cfg(feature = "bench")]
mod bench;
mod check;
mod complete;
mod config;
mod consent;
#[cfg(feature = "console")]
mod console;
mod demo;
mod device;
mod error;
mod escape;
mod exchange;
mod history;
mod identity;
mod interrupt;
mod invite;
mod layout;
mod lookup;
mod openmined;
mod operation;
mod order;
mod pair;
mod plan;
mod policy;
mod prime;
mod progress;
mod protocols;
mod receipt;
mod reference;
#[cfg(feature = "relay")]
mod relay;
mod report;
mod serve;
mod terms;
mod units;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use veilset::{exit_code, json, voice};

use crate::args::{Cli, Command};
use crate::config::{Places, Refused};
use crate::error::Failure;
use crate::escape::json_line;

fn main() -> ExitCode {
    voice::end_at_panics("veilset");
    complete::answer();
    let (cli, added) = match config::parse(env::args_os(), Places::All) {
        Ok(parsed) => parsed,
        Err(why) => return refused(&why),
    };
    if let Some(told) = config::of_project(&added) {
        // Quiet or not: nobody typed it.
        voice::say(told);
    }
    let as_json = cli.command.prints_json();
    veilset::end_at_excess(move |why| tell(exit_code::POLICY, why, as_json));
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_enough() => ExitCode::SUCCESS,
        Err(failure) => {
            let as_json = as_json || failure.is_for_scripts();
            tell(failure.exit_code(), &failure.to_string(), as_json);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Says why the program fails, to people and, where they read, to scripts.
fn tell(code: u8, why: &str, as_json: bool) {
    voice::say(format_args!("error: {why}"));
    if as_json {
        tell_scripts(code, why);
    }
}

/// Commands with the features that bring them, and whether this build has those.
const FEATURES: [(&str, &str, bool); 4] = [
    ("agree", "calendar", cfg!(feature = "calendar")),
    ("bench", "bench", cfg!(feature = "bench")),
    ("console", "console", cfg!(feature = "console")),
    ("relay", "relay", cfg!(feature = "relay")),
];

/// What to do about a command that this build lacks.
fn lacking(error: &clap::Error) -> Option<String> {
    let ContextValue::String(asked) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let is_it = |(name, _, is_here): &&(&str, &str, bool)| asked == name && !is_here;
    let (name, feature, _) = FEATURES.iter().find(is_it)?;
    Some(format!("this build has no command `{name}`: build it with the feature `{feature}`"))
}

/// Flags that cannot be read, or a question about them.
fn refused(refused: &Refused) -> ExitCode {
    let given = |words: &[OsString]| words.iter().any(|word| word == "--json");
    let (error, words, added) = match refused {
        Refused::Line { error, words, added } => (error, words, added),
        Refused::Configuration(failure) => {
            let as_json = given(&env::args_os().collect::<Vec<_>>());
            tell(failure.exit_code(), &failure.to_string(), as_json);
            return ExitCode::from(failure.exit_code());
        }
    };
    let as_json = given(words);
    if let Some(why) = lacking(error) {
        tell(exit_code::INPUT, &why, as_json);
        return ExitCode::from(exit_code::INPUT);
    }
    if error.use_stderr() && as_json {
        tell_scripts(exit_code::INPUT, &refused.why());
    }
    if let Some(places) = config::blamed(&error.to_string(), added) {
        voice::say(places);
    }
    error.exit()
}

/// The error as JSON, whose reader has asked for that; nobody is left to tell that it is gone.
fn tell_scripts(code: u8, text: &str) {
    let _ = print_line!("{}", json_line(&json::of_error(code, text)));
}

fn run(cli: Cli) -> Result<(), Failure> {
    let talk = cli.talk;
    match cli.command {
        Command::Demo(args) => demo::run(&args, &talk),
        Command::Id(args) => identity::id(&args, &talk),
        Command::Peer(args) => identity::peer(args),
        Command::Invite(args) => invite::invite(&args, &talk),
        Command::Accept(args) => invite::accept(&args, &talk),
        Command::Run(args) => exchange::run_with(&args, &talk),
        Command::Compute(order) => operation::run(&order, &talk),
        #[cfg(feature = "calendar")]
        Command::Agree(args) => agree::run(&args, &talk),
        Command::Serve(args) => serve::run(&args, &talk),
        Command::Lookup(args) => lookup::run(&args, &talk),
        Command::Openmined(args) => openmined::run(&args, &talk),
        Command::Plan(args) => plan::run(&args, &talk),
        Command::Check(args) => check::run(&args, &talk),
        Command::Pair(args) => pair::run(args, &talk),
        Command::Exchange(args) => exchange::run(&args, &talk),
        Command::Config(args) => config::command::run(&args),
        Command::Policy(args) => policy::run(args, &talk),
        Command::History(args) => history::history(&args),
        Command::Budget(args) => history::budget(&args),
        Command::Receipt(args) => receipt::run(args),
        #[cfg(feature = "console")]
        Command::Console(args) => console::run(&args, &talk),
        #[cfg(feature = "relay")]
        Command::Relay(args) => relay::run(&args, &talk),
        Command::Protocols(args) => protocols::run(&args),
        #[cfg(feature = "bench")]
        Command::Bench(args) => bench::run(&args, &talk),
        Command::Prime => prime::run(&talk),
        Command::Completions(args) => reference::completions(&args),
        Command::Man(args) => reference::man(&args),
    }
}
