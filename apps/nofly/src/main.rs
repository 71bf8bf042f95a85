//! The `nofly` command: an authority's list, an airline's manifest, and which passengers are on both.
//!
//! The application of Kim and Kim, "An Experimental Study of Encrypted Polynomial Arithmetics for Private Set
//! Operations", section III, over any intersection that the registry has.

/// Prints a line of the result; a reader that has gone away is an error, not a panic.
macro_rules! print_line {
    ($($argument:tt)*) => {
        std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($argument)*)))
    };
}

mod args;
mod edit;
mod error;
mod list;
mod modules;
mod page;
mod party;
mod reference;
mod report;
mod screen;
mod serve;
mod shift;
mod talk;
mod units;
mod watch;

use std::process::ExitCode;

use clap::Parser;
use veilset::{json, voice};

use crate::args::{Cli, Command};
use crate::error::Failure;
use crate::talk::Talk;

fn main() -> ExitCode {
    voice::end_at_panics("nofly");
    veilset::end_at_excess(|why| voice::say(format_args!("error: {why}")));
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_enough() => ExitCode::SUCCESS,
        Err(failure) => {
            voice::say(format_args!("error: {failure}"));
            if matches!(&cli.command, Command::Screen(args) if args.json) {
                let said = json::of_error(failure.exit_code(), &failure.to_string());
                // There is nobody left to tell that standard output is gone.
                let _ = print_line!("{said}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    let talk = Talk { quiet: cli.quiet };
    match &cli.command {
        Command::Serve(args) => serve::run(args, talk),
        Command::Screen(args) => screen::run(args, talk),
        Command::Add(args) => edit::add(args, talk),
        Command::Remove(args) => edit::remove(args, talk),
        Command::Reference { folder } => reference::write(folder),
    }
}
