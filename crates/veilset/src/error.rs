//! One error for everything, with its exit code.

use std::path::PathBuf;

use veilset_crypto::NotAPrime;
use veilset_data::DataError;
use veilset_net::{Class, FetchError, NetError, StoreError};
use veilset_session::{Blame, SessionError};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, a column, a key.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An identity or a peer's key.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file on the web.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The connection.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The agreement or the run.
    #[error(transparent)]
    Session(#[from] SessionError),
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
    /// The system gives no randomness.
    #[error("the system gives no randomness: {0}")]
    Randomness(getrandom::Error),
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
    /// The exit code of a program that ends with this error.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        let of_class = |class| match class {
            Class::Input => exit_code::INPUT,
            Class::Network => exit_code::NETWORK,
            Class::Protocol => exit_code::PEER,
            Class::Version => exit_code::TERMS,
            Class::Refused => exit_code::POLICY,
        };
        match self {
            Self::Data(_)
            | Self::PrimeFile { .. }
            | Self::Prime { .. }
            | Self::Fetch(FetchError::NotHttp | FetchError::Address) => exit_code::INPUT,
            Self::Fetch(_) => exit_code::NETWORK,
            Self::Store(error) => of_class(error.class()),
            Self::Net(error) => of_class(error.class()),
            Self::Randomness(_) => exit_code::BUG,
            Self::Session(error) => match error.blame() {
                Blame::Input => exit_code::INPUT,
                Blame::Terms => exit_code::TERMS,
                Blame::Network => exit_code::NETWORK,
                Blame::Peer => exit_code::PEER,
                Blame::Policy => exit_code::POLICY,
                Blame::Bug => exit_code::BUG,
            },
        }
    }
}
