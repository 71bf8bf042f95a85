//! `veilset man` and `veilset completions`, from the flags' definitions.

use std::fs;
use std::io::{self, Write};

use clap::{Command, CommandFactory};

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::complete;
use crate::error::Failure;

/// Prints the manual, the program's page and then one for each command and each of its own commands; or writes each into a file.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let Some(folder) = &args.folder else {
        let mut program = Cli::command().disable_help_subcommand(true);
        program.build();
        let mut pages = Vec::new();
        page(&program, &mut pages)?;
        return give(&pages);
    };
    let written =
        fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|why| {
        Failure::Flags(format!("cannot write the manual into {}: {why}", folder.display()))
    })
}

fn page(command: &Command, pages: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    command.get_subcommands().try_for_each(|command| page(command, pages))
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
