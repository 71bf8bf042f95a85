//! The `appoint` command: a page on which somebody agrees on a meeting with somebody else, neither seeing the other's
//! calendar.
//!
//! The application of Mayer, Teubert, Wetzel and Meyer, "Implementation and Performance Evaluation of Privacy-Preserving
//! Fair Reconciliation Protocols on Ordered Sets", CODASPY 2011, section 5.2, without its telephones.

mod args;
mod availability;
mod board;
mod desk;
mod error;
mod open;
mod party;
mod reference;
mod request;
mod routes;
mod run;
mod units;

use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::Duration;

use clap::Parser;
use veilset::voice;

use crate::args::Args;
use crate::desk::Desk;
use crate::error::Failure;
use crate::party::Party;

/// How long the answer to a closing page has to leave this process, over loopback.
const LAST_ANSWER: Duration = Duration::from_millis(150);

fn main() -> ExitCode {
    voice::end_at_panics("appoint");
    veilset::end_at_excess(|why| voice::say(format_args!("error: {why}")));
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            voice::say(format_args!("error: {failure}"));
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Shows the page until its user closes it.
fn run(args: Args) -> Result<(), Failure> {
    if let Some(folder) = &args.reference {
        return reference::write(folder);
    }
    let party = Party::load()?;
    let calendar = args.file.as_deref().map(veilset::meeting::calendar).transpose()?;
    let (port, open) = (args.port, args.open);
    let (close, closed) = channel();
    let desk = Desk::new(args, party, calendar);
    let address =
        veilset_page::serve("appoint", port, routes::files(), routes::answers(desk, close))
            .map_err(Failure::Page)?;
    voice::say(format_args!("page: {address}"));
    if open {
        open::open(&address).map_err(Failure::Open)?;
    }
    // The page holds a sender as long as it is served.
    let _ = closed.recv();
    sleep(LAST_ANSWER);
    Ok(())
}
