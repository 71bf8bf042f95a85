//! `veilset man` and `veilset completions`, from the flags' definitions.

use std::io::{self, Write};

use clap::{Command, CommandFactory};

use crate::args::{Cli, CompletionsArgs};
use crate::complete;
use crate::error::Failure;

/// Prints the manual: the program's page, then one for each command and each of its own commands.
pub(crate) fn man() -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    let mut pages = Vec::new();
    page(&program, &mut pages)?;
    give(&pages)
}

fn page(command: &Command, pages: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    let commands = command.get_subcommands().filter(|command| command.get_name() != "help");
    commands.into_iter().try_for_each(|command| page(command, pages))
}

/// Prints the script with which a shell asks this program what may come next.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    give(&complete::script(args.shell)?)
}

/// To a reader who may have enough before the end.
fn give(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    Ok(out.flush()?)
}
