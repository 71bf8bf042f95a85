//! The manual and the completions as packages have them, from the flags' definitions.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::error::Failure;

/// Writes the pages of the manual and a script for each shell into a folder.
pub(crate) fn write(folder: &Path) -> Result<(), Failure> {
    pages(folder).map_err(|why| Failure::Reference { folder: folder.to_owned(), why })
}

fn pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Cli::command(), folder)?;
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        clap_complete::generate_to(shell, &mut Cli::command(), "nofly", folder)?;
    }
    Ok(())
}
