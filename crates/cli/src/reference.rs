//! `veilset man` and `veilset completions`, from the flags' definitions.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::error::Failure;

/// Prints the manual: the program's page, then one for each command.
pub(crate) fn man() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut program = Cli::command();
    program.build();
    clap_mangen::Man::new(program.clone()).render(&mut out)?;
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        clap_mangen::Man::new(command.clone()).render(&mut out)?;
    }
    Ok(out.flush()?)
}

/// Prints a shell's completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    clap_complete::generate(args.shell, &mut Cli::command(), "veilset", &mut io::stdout());
    Ok(())
}
