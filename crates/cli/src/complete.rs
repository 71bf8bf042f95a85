//! What a shell completes: commands and flags from their definitions, peers' names from this party's files.

use clap::CommandFactory;
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, CompleteEnv, CompletionCandidate, Shell};
use veilset::invitation::{agreement_file, agreements};
use veilset::party::{Home, Peers};

use crate::args::Cli;

/// The variable in which a shell asks what may come next.
const ASKED: &str = "VEILSET_COMPLETE";

/// Answers a shell that asks what may come next, and ends the program; does nothing where none asks as its script does.
pub(crate) fn answer() {
    if std::env::args_os().nth(1).is_none_or(|word| word != "--") {
        return;
    }
    CompleteEnv::with_factory(Cli::command).var(ASKED).complete();
}

/// The script with which a shell asks.
pub(crate) fn script(shell: Shell) -> std::io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let known = shells.completer(&shell.to_string()).expect("every shell has a script");
    known.write_registration(ASKED, "veilset", "veilset", "veilset", &mut script)?;
    Ok(script)
}

/// The names of pinned peers.
pub(crate) fn peers() -> ArgValueCandidates {
    ArgValueCandidates::new(|| named(|_, _| true))
}

/// The names of peers with which something is agreed.
pub(crate) fn agreed() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        named(|home, name| agreements(home).path().join(agreement_file(name)).exists())
    })
}

/// Those of the peers' names that are asked for; none where they cannot be read, since a shell has no place for an error.
fn named(is_asked: impl Fn(&Home, &str) -> bool) -> Vec<CompletionCandidate> {
    let Ok(home) = Home::from_env() else { return Vec::new() };
    let Ok(peers) = Peers::load(&home, None) else { return Vec::new() };
    let names = peers.iter().map(|(name, _)| name).filter(|name| is_asked(&home, name));
    names.map(CompletionCandidate::new).collect()
}
