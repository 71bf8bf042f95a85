//! One error for everything, with its exit code.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::NoParties;
#[cfg(not(target_family = "wasm"))]
use crate::tongues::TongueError;
#[cfg(not(target_family = "wasm"))]
use veilset_channel::ChannelError;
use veilset_cluster::ClusterError;
use veilset_crypto::NotAPrime;
use veilset_data::{DataError, is_full};
#[cfg(not(target_family = "wasm"))]
use veilset_lookup::{FileError, ListError, LookupError, Refusal};
use veilset_names::UnknownName;
use veilset_net::{Class, NetError};
use veilset_party::StoreError;
use veilset_protocols::{Keys, Operation};
use veilset_rules::{LedgerError, PolicyError};
use veilset_session::{Blame, Matching, SessionError};
use veilset_sources::{FetchError, ObjectError, QueryError};

/// Why a run is nothing for a list of so many keys.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// There is one key, of which nothing comes before another.
    #[error(
        "--match says how rows match by several keys, and there is one: give --key for each key, or leave out --match"
    )]
    One,
    /// There are too many.
    #[error("a list has at most {most} keys: leave out those that find few matches")]
    TooMany {
        /// The most.
        most: usize,
    },
    /// The way to match is for another operation or another --learn.
    #[error("--match {matching} {}", other_way(*operation, *matching))]
    Matching {
        /// What is computed.
        operation: Operation,
        /// The way.
        matching: Matching,
    },
    /// A program made the list for another way to match: a bug in it.
    #[error("the list was not made for {0}: give Input::linked what Job::matching_of says")]
    Made(Operation),
}

/// Why values are not added up by groups.
#[derive(Debug, thiserror::Error)]
pub enum GroupsError {
    /// Another operation has none.
    #[error("{0} has no groups: leave out --groups")]
    Operation(Operation),
    /// There cannot be so many.
    #[error("--groups {most}: give a number from 1 to {limit}")]
    Count {
        /// How many this side says.
        most: usize,
        /// How many there can be.
        limit: usize,
    },
    /// A rate is one of all keys.
    #[error(
        "--most-rate is for one count, and each group has its own: leave it out, or give --least"
    )]
    Rate,
    /// The peer has to know how many there are.
    #[error(
        "the peer sees and agrees how many groups there are at most: give --groups N on both sides"
    )]
    Most,
}

/// What a way to match needs.
fn other_way(operation: Operation, matching: Matching) -> &'static str {
    match (operation.spec().keys, matching) {
        (Keys::Together | Keys::One, _) => {
            "is for intersect: leave out --match, or give grouped; count, sum and share take blind, too"
        }
        (Keys::Ordered, Matching::Grouped) => {
            "is for count, sum, union and share: give tiers where both learn, and one-sided where one does"
        }
        (Keys::Ordered, Matching::Blind) => {
            "is for count, sum and share: give tiers where both learn, and one-sided where one does"
        }
        (Keys::Ordered, Matching::Tiers) => {
            "is for two sides that both learn, since both must know which rows drop out: give --learn both on both sides, or \
             --match one-sided"
        }
        (Keys::Ordered, Matching::OneSided) => {
            "is for one side that learns: give --learn me on one side and --learn peer on the other, or --match tiers"
        }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, a column, a key.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An identity or a peer's key.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A result did not get where it was to go, and is elsewhere.
    #[error("{why}. It is in {} instead; the peer has done its part and may have its result", place.display())]
    Elsewhere {
        /// What kept it out.
        why: DataError,
        /// Where it is.
        place: PathBuf,
    },
    /// A result did not get where it was to go, nor elsewhere.
    #[error(
        "{why}. Nor could it be kept elsewhere: {other}; the peer has done its part and may have its result"
    )]
    Lost {
        /// What kept it out.
        why: DataError,
        /// What kept it out of the folder for temporary files.
        other: Box<DataError>,
    },
    /// A file on the web.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A database.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// An object in a store.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The connection.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The agreement or the run.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A list has several keys, or one, and the run is nothing for it.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// Values are added up by groups in another way, or not at all.
    #[error(transparent)]
    Groups(#[from] GroupsError),
    /// Parties that are named are no parties of a run.
    #[error(transparent)]
    Parties(#[from] NoParties),
    /// A file that is no policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// No graphics processor computes.
    #[error("{0}")]
    Device(String),
    /// This side's policy.
    #[error(transparent)]
    Refused(#[from] veilset_rules::Refusal),
    /// The record of this side's runs, or a budget that is taken from it.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A run between clusters, or its price.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A protocol of others.
    #[cfg(not(target_family = "wasm"))]
    #[error(transparent)]
    Tongue(#[from] TongueError),
    /// A choice has no such value.
    #[error(transparent)]
    Choice(UnknownName),
    /// A file with a prime cannot be read.
    #[error("cannot read the prime in {}: {error}", path.display())]
    PrimeFile {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file has no safe prime.
    #[error("the prime in {}: {why}; `veilset prime` makes one", path.display())]
    Prime {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: NotAPrime,
    },
    /// A list that is served cannot be built or changed like this.
    #[error(transparent)]
    #[cfg(not(target_family = "wasm"))]
    List(#[from] ListError),
    /// The file of a list that is served.
    #[error(transparent)]
    #[cfg(not(target_family = "wasm"))]
    ListFile(#[from] FileError),
    /// A lookup.
    #[error(transparent)]
    #[cfg(not(target_family = "wasm"))]
    Lookup(#[from] LookupError),
    /// A step of PAIR.
    #[error(transparent)]
    #[cfg(not(target_family = "wasm"))]
    Pair(#[from] crate::tongues::pair::PairError),
    /// The key's presets are not those of a list.
    #[error(
        "the key's presets are {ours}, the list's are {list}: give --key the list's presets, without the number after `/`"
    )]
    Presets {
        /// This side's.
        ours: String,
        /// The list's.
        list: String,
    },
    /// The key's presets are those of a list in another version.
    #[error(
        "the list was built with the presets {list}, and here they are {ours}: build it again, with the same release on both sides"
    )]
    PresetVersions {
        /// This side's.
        ours: String,
        /// The list's.
        list: String,
    },
    /// Single items have one column, and the list's key has several, or presets of another release.
    #[error("the list's key has the presets {list}: look its items up with --file and --key")]
    Columns {
        /// The list's presets.
        list: String,
    },
    /// An item that no preset makes a key of.
    #[error("item {item} is empty, or no key by the list's preset {list}: it would never match")]
    NoKey {
        /// Its place, from 1.
        item: usize,
        /// The list's preset.
        list: String,
    },
    /// What is kept to notice that a server goes back to an older list is something else.
    #[error(
        "{} is not a record of the lists that servers had: restore it, or remove it to trust the lists that they have now",
        .path.display()
    )]
    Seen {
        /// The file.
        path: PathBuf,
    },
}

/// The exit codes that scripts rely on.
pub mod exit_code {
    /// The result is there.
    pub const DONE: u8 = 0;
    /// This side's input or flags are wrong.
    pub const INPUT: u8 = 2;
    /// The two parties do not agree on terms.
    pub const TERMS: u8 = 3;
    /// The network failed or a deadline passed.
    pub const NETWORK: u8 = 4;
    /// The peer broke the protocol.
    pub const PEER: u8 = 5;
    /// Somebody's policy refused.
    pub const POLICY: u8 = 6;
    /// A bug in this program.
    pub const BUG: u8 = 70;
}

impl Error {
    /// Whether whoever reads the rows of a result has enough of them, and went away: no fault of the run.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        matches!(self, Self::Data(DataError::Write { why, .. }) if why.kind() == ErrorKind::BrokenPipe)
    }

    /// The exit code of a program that ends with this error.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Data(DataError::Sink(error))
            | Self::Elsewhere { why: DataError::Sink(error), .. }
            | Self::Lost { why: DataError::Sink(error), .. } => {
                match error.downcast_ref::<ObjectError>() {
                    Some(error) => of_source(error.is_network()),
                    None => exit_code::INPUT,
                }
            }
            Self::Object(error) => of_source(error.is_network()),
            #[cfg(not(target_family = "wasm"))]
            Self::Tongue(error) => error.exit_code(),
            Self::Fetch(error) => of_source(error.is_network()),
            Self::Query(error) => of_source(error.is_network()),
            Self::Data(
                DataError::NoRoom { .. }
                | DataError::NoRoomForResult { .. }
                | DataError::TooLarge { .. }
                | DataError::Window { .. },
            ) => exit_code::POLICY,
            Self::Data(DataError::Scratch { why, .. }) if is_full(why.kind()) => exit_code::POLICY,
            Self::Data(_)
            | Self::Elsewhere { .. }
            | Self::Lost { .. }
            | Self::Choice(_)
            | Self::Keys(_)
            | Self::Groups(_)
            | Self::Parties(_)
            | Self::PrimeFile { .. }
            | Self::Prime { .. }
            | Self::Columns { .. }
            | Self::NoKey { .. }
            | Self::Seen { .. } => exit_code::INPUT,
            Self::Presets { .. } | Self::PresetVersions { .. } => exit_code::TERMS,
            #[cfg(not(target_family = "wasm"))]
            Self::List(_) | Self::ListFile(_) => exit_code::INPUT,
            #[cfg(not(target_family = "wasm"))]
            Self::Lookup(error) => of_lookup(error),
            #[cfg(not(target_family = "wasm"))]
            Self::Pair(error) => error.exit_code(),
            Self::Refused(_) => exit_code::POLICY,
            Self::Ledger(LedgerError::Refused(_) | LedgerError::Changed { .. }) => {
                exit_code::POLICY
            }
            Self::Store(error)
            | Self::Policy(PolicyError::Store(error))
            | Self::Ledger(LedgerError::Store(error))
                if error.is_refusal() =>
            {
                exit_code::POLICY
            }
            Self::Store(_) | Self::Policy(_) | Self::Device(_) | Self::Ledger(_) => {
                exit_code::INPUT
            }
            Self::Net(error) => of_net(error),
            Self::Session(error) => of_session(error),
            Self::Cluster(error) => match error {
                ClusterError::Net(error) => of_net(error),
                ClusterError::Session(error) => of_session(error),
                ClusterError::NoPorts
                | ClusterError::NotInCluster { .. }
                | ClusterError::OneKey => exit_code::INPUT,
                ClusterError::WorkerMemory { .. } => exit_code::POLICY,
            },
        }
    }
}

fn of_net(error: &NetError) -> u8 {
    match error.class() {
        Class::Input => exit_code::INPUT,
        Class::Network => exit_code::NETWORK,
        Class::Protocol => exit_code::PEER,
        Class::Version => exit_code::TERMS,
        Class::Refused => exit_code::POLICY,
    }
}

fn of_session(error: &SessionError) -> u8 {
    match error.blame() {
        Blame::Input => exit_code::INPUT,
        Blame::Terms => exit_code::TERMS,
        Blame::Network => exit_code::NETWORK,
        Blame::Peer => exit_code::PEER,
        Blame::Policy => exit_code::POLICY,
        Blame::Bug => exit_code::BUG,
    }
}

/// Of a list that is not on this machine.
fn of_source(is_network: bool) -> u8 {
    if is_network { exit_code::NETWORK } else { exit_code::INPUT }
}

#[cfg(not(target_family = "wasm"))]
fn of_lookup(error: &LookupError) -> u8 {
    match error {
        LookupError::Refused(Refusal::Quota(_) | Refusal::Forbidden)
        | LookupError::Stranger { .. }
        | LookupError::TooLong { .. } => exit_code::POLICY,
        LookupError::Refused(Refusal::Malformed | Refusal::Release)
        | LookupError::Channel(ChannelError::Peer(_))
        | LookupError::Malformed { .. }
        | LookupError::Check(_)
        | LookupError::Question(_)
        | LookupError::Older { .. }
        | LookupError::OtherList => exit_code::PEER,
        LookupError::Refused(Refusal::Moved | Refusal::Stopping | Refusal::Full)
        | LookupError::Channel(ChannelError::Network(_) | ChannelError::Aborted(_))
        | LookupError::Restless(_) => exit_code::NETWORK,
    }
}

#[cfg(test)]
mod tests {
    use veilset_protocols::Operation;

    use super::*;

    #[test]
    fn clusters_end_with_the_codes_of_runs_of_two() {
        let code = |error: ClusterError| Error::from(error).exit_code();
        let operation = Operation::Share;
        assert_eq!(code(ClusterError::NotInCluster { operation }), exit_code::INPUT);
        let small = ClusterError::WorkerMemory { needed: 2, allowed: 1 };
        assert_eq!(code(small), exit_code::POLICY);
        let memory = || SessionError::Memory { needed: 2, allowed: 1, peer: 1 };
        assert_eq!(code(memory().into()), Error::from(memory()).exit_code());
        assert_eq!(code(NetError::Stopped.into()), exit_code::NETWORK);
    }
}
