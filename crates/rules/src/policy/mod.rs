//! A file of rules, and what they refuse.
//!
//! The file is TOML: a line a rule, and under `[peers.NAME]` the rules that are others with that peer. There is one table of
//! rules, [`section`]; whatever else stands in the file is an error.

mod budget;
mod check;
mod error;
mod explain;
mod section;
#[cfg(test)]
mod tests;
mod tongue;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use veilset_party::{Home, guard};
use veilset_protocols::Operation;
use veilset_session::Release;

pub use budget::Budget;
pub use check::{Facts, Refusal};
pub use error::PolicyError;
pub use explain::Sentence;
use section::{Placed, Section};
pub use tongue::Tongue;

/// The policy under the home directory, which counts where a command names no other.
const FILE: &str = "policy.toml";

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

/// The rules of a party.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    path: PathBuf,
    general: Section,
    peers: BTreeMap<String, Section>,
}

/// The rules for runs with one peer.
#[derive(Debug, Clone)]
pub struct Rules {
    path: PathBuf,
    peer: String,
    section: Section,
}

impl Policy {
    /// Reads the policy at `path`, which nobody else may change.
    ///
    /// # Errors
    /// When it cannot be read, others may change it, or with the line that is no rule.
    pub fn load(path: &Path) -> Result<Self, PolicyError> {
        let bytes = guard::read_trusted(path)?;
        let text =
            String::from_utf8(bytes).map_err(|_| PolicyError::NotText { path: path.to_owned() })?;
        Self::parse(path, &text)
    }

    /// The policy of a party that keeps one beside its identity.
    ///
    /// # Errors
    /// As [`load`](Self::load); a file that is not there is none.
    pub fn of_home(home: &Home) -> Result<Option<Self>, PolicyError> {
        // A link that leads nowhere is a policy that cannot be read.
        if home.has(FILE) { Self::load(&home.path().join(FILE)).map(Some) } else { Ok(None) }
    }

    /// The policy of the party that lives at `home`: the one at this path, or else the one beside its identity, where there is one.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn of_party(home: &Home, path: Option<&Path>) -> Result<Option<Self>, PolicyError> {
        path.map_or_else(|| Self::of_home(home), |path| Self::load(path).map(Some))
    }

    /// The rules for runs with the peer of this name: its own, and of the others those that it has none in the place of.
    #[must_use]
    pub fn rules_for(&self, peer: &str) -> Rules {
        let general = self.general.clone();
        let section = match self.peers.get(peer) {
            Some(own) => own.clone().or(general),
            None => general,
        };
        Rules { path: self.path.clone(), peer: peer.to_owned(), section }
    }

    /// The peers that have rules of their own.
    pub fn peers(&self) -> impl Iterator<Item = &str> {
        self.peers.keys().map(String::as_str)
    }
}

impl Rules {
    /// The peer's name.
    #[must_use]
    pub fn peer(&self) -> &str {
        &self.peer
    }

    /// How a result of this operation is released: what a command leaves open, as these rules have it.
    #[must_use]
    pub fn complete(&self, release: Release, operation: Operation) -> Release {
        let Section { least, most_rate, round, noise, .. } = &self.section;
        let counted = |value: &Placed<u64>| Release::is_counted(operation).then_some(value.value);
        let rate = |value: &Placed<u8>| Release::is_counted(operation).then_some(value.value);
        let rounded =
            |value: &Placed<u64>| Release::is_of_numbers(operation).then_some(value.value);
        Release {
            least: release.least.or(least.as_ref().and_then(counted)),
            most_rate: release.most_rate.or(most_rate.as_ref().and_then(rate)),
            round: release.round.or(round.as_ref().and_then(rounded)),
            noise: release.noise.or(noise
                .as_ref()
                .filter(|_| matches!(operation, Operation::Count | Operation::Sum))
                .map(|rule| rule.value)),
        }
    }

    /// Up to how many keys a list of fewer is filled up, where a rule asks for it.
    #[must_use]
    pub fn pad_to(&self) -> Option<u64> {
        self.section.pad_to.as_ref().map(|rule| rule.value)
    }

    /// The agreement's reference, where a rule asks for one.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.section.reference.as_ref().map(|rule| rule.value.as_str())
    }
}
