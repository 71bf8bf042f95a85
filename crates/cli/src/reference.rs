//! `veilset man` and `veilset completions`, from the flags' definitions.

use std::fs;
use std::io::{self, Write};

use clap::{Command, CommandFactory};

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::complete;
use crate::error::Failure;

/// Prints the manual, the program's page and then one for each command and each of its own commands; or writes each into a file.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages)?;
    let Some(folder) = &args.folder else {
        let all: Vec<u8> = pages.into_iter().flat_map(|(_, page)| page).collect();
        return give(&all);
    };
    let write = |(name, page): (String, Vec<u8>)| fs::write(folder.join(name), page);
    let written = fs::create_dir_all(folder).and_then(|()| pages.into_iter().try_for_each(write));
    written.map_err(|why| {
        Failure::Flags(format!("cannot write the manual into {}: {why}", folder.display()))
    })
}

/// The page of a command and those of its commands, each with the name of its file.
fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((format!("{name}.1"), page(command)?));
    command.get_subcommands().try_for_each(|command| add_pages(command, pages))
}

/// A page; what stands behind the flags in help stands there in sections of its own, line by line.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let (man, mut page) = (clap_mangen::Man::new(command.clone()), Vec::new());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let behind = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for section in behind.split("\n\n") {
        let (heading, lines) = section.split_once('\n').unwrap_or((section, ""));
        if let Some(heading) = heading.strip_suffix(':') {
            writeln!(page, ".SH {}\n.nf", heading.to_uppercase())?;
            for line in lines.lines() {
                // What begins with a dot or an apostrophe would be a request.
                writeln!(page, "\\&{}", line.replace('\\', "\\e").replace('-', "\\-"))?;
            }
            writeln!(page, ".fi")?;
        }
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    Ok(page)
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
