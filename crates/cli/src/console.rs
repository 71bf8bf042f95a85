//! `veilset console`: this party on a page, for one browser on this machine.

use clap::Args;
use veilset::net::signals::{self, Wish};
use veilset::party::Home;
use veilset::voice;
use veilset_console::open;
use veilset_desk::Place;

use crate::args::{MACHINE, Talk};
use crate::error::Failure;
use crate::operation::all_cores;
use crate::progress::say;
use crate::units;

#[derive(Args)]
pub(crate) struct ConsoleArgs {
    /// The port of this machine at which the page is [default: any free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// The most memory that a run takes, such as 4GB [default: what is free]
    #[arg(long, help_heading = MACHINE, value_name = "SIZE", value_parser = units::bytes)]
    max_memory: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, help_heading = MACHINE, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
}

/// Shows the page until ctrl-c.
pub(crate) fn run(args: &ConsoleArgs, talk: &Talk) -> Result<(), Failure> {
    let place = Place {
        threads: args.threads.unwrap_or_else(all_cores),
        memory: args.max_memory,
        folder: None,
        has_files: true,
    };
    let failed = |what| move |why| Failure::Service { what, why };
    let address = open(Home::from_env()?, place, args.port).map_err(failed("show the page"))?;
    let (end, ended) = std::sync::mpsc::channel();
    let heard = move |wish| {
        if let Wish::Stop(code) = wish {
            // Nobody waits any more if it fails.
            let _ = end.send(code);
        }
    };
    signals::listen(heard).map_err(failed("listen for signals"))?;
    say(talk, "open this address in a browser, once; ctrl-c ends the page and its runs");
    print_line!("{address}")?;
    let _ = ended.recv();
    voice::settle();
    Ok(())
}
