//! `veilset prime`: a prime for `--prime`.

use veilset::prime::generate;

use crate::args::Talk;
use crate::error::Failure;
use crate::progress::say;

/// Prints a fresh prime.
pub(crate) fn run(talk: &Talk) -> Result<(), Failure> {
    say(talk, "looking for a safe prime of 2048 bits: about a minute");
    let prime = generate()?;
    say(talk, &format!("found {prime}; both sides give this file with --prime"));
    print_line!("{}", prime.to_hex().trim_end())?;
    Ok(())
}
