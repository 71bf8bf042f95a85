//! Why nothing came of a protocol of others.

use std::io;
use std::path::PathBuf;

use veilset_courier::CourierError;
use veilset_party::StoreError;
use veilset_tongues::openmined::OpenMinedError;

use crate::exit_code;

/// Why nothing came of a protocol of others.
#[derive(Debug, thiserror::Error)]
pub enum TongueError {
    /// A message of OpenMined's PSI.
    #[error(transparent)]
    OpenMined(#[from] OpenMinedError),
    /// A partner's service.
    #[error(transparent)]
    Courier(#[from] CourierError),
    /// The address is not free.
    #[error("cannot serve at {address}: {why}; give --listen another address")]
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        why: io::Error,
    },
    /// So many keys were asked about that no more are answered.
    #[error("this service has answered about as many keys as it may: ask whoever runs it")]
    Budget,
    /// A message cannot be read.
    #[error("cannot read {place}: {why}")]
    Read {
        /// Where it is.
        place: String,
        /// What the system says.
        why: io::Error,
    },
    /// A message is longer than any.
    #[error("{place} has more than {most} bytes, and no message has: is it the right file?")]
    TooLong {
        /// Where it is.
        place: String,
        /// The most.
        most: usize,
    },
    /// The key has several columns.
    #[error(
        "the key has {columns} columns, and a partner's program compares one text: make one column of them that both sides write alike"
    )]
    Columns {
        /// How many.
        columns: usize,
    },
    /// A file for a key is there.
    #[error(
        "{} holds the key of an exchange already: give --secret another name, or --force to lose that key, without which its \
         messages are worth nothing", path.display()
    )]
    SecretExists {
        /// The file.
        path: PathBuf,
    },
    /// A file that is no key would be lost.
    #[error(
        "{} is no file that --secret made, so --force does not replace it: give --secret another name", path.display()
    )]
    NotReplaced {
        /// The file.
        path: PathBuf,
    },
    /// A message is out, and its key is not kept.
    #[error(
        "the message is written, and its key is lost: {why}. Throw the message away, and make another; what {} had is there", path.display()
    )]
    KeyLost {
        /// The file of the key.
        path: PathBuf,
        /// Why.
        why: StoreError,
    },
    /// An output is another file of the same step.
    #[error("{} is read or kept by this very command: give the output another name", path.display())]
    Same {
        /// The file.
        path: PathBuf,
    },
    /// There is no file with the key.
    #[error("there is no file {}: give the file that {made_by} made with --secret", path.display())]
    NoSecret {
        /// The file.
        path: PathBuf,
        /// The command that makes it.
        made_by: &'static str,
    },
    /// Others may read a file with a key.
    #[error(
        "others may read {}: run `chmod 600` on it, and make a new exchange if somebody may have read it", path.display()
    )]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// A file with a key is none, or another's.
    #[error("{} is no file that {made_by} made with --secret: {why}", path.display())]
    BadSecret {
        /// The file.
        path: PathBuf,
        /// The command that makes it.
        made_by: &'static str,
        /// What is wrong.
        why: &'static str,
    },
    /// A key out of range.
    #[error("the key in the file of --secret is out of range: make a new exchange")]
    NoKey,
    /// The list is not what was asked about.
    #[error(
        "the list, its key or its presets have changed since the request was made, so the response says nothing of it: give the list of \
         that day, or make a new request"
    )]
    ListChanged,
    /// This party has a policy, whose rules and budgets are of peers.
    #[error(
        "your policy has rules and budgets of each peer: say with --peer what you call this partner, who needs no key"
    )]
    Unnamed,
    /// A policy does not let a request be answered; whoever asked sees no more of it.
    #[error("this service answers no request of so few or so many keys: ask whoever runs it")]
    Size,
}

impl TongueError {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::OpenMined(OpenMinedError::Reveal { .. }) => exit_code::TERMS,
            Self::OpenMined(OpenMinedError::TooMany { .. }) | Self::Unnamed | Self::Size => {
                exit_code::POLICY
            }
            Self::OpenMined(error) if error.is_of_peer() => exit_code::PEER,
            Self::Courier(error) => of_courier(error),
            Self::Budget => exit_code::POLICY,
            _ => exit_code::INPUT,
        }
    }
}

fn of_courier(error: &CourierError) -> u8 {
    match error {
        CourierError::Address | CourierError::Elsewhere { .. } => exit_code::INPUT,
        CourierError::Unreachable { .. }
        | CourierError::Ended { .. }
        | CourierError::Slow { .. } => exit_code::NETWORK,
        CourierError::Refused { status: 409, .. } => exit_code::TERMS,
        CourierError::Refused { status: 401 | 403 | 413 | 429, .. } => exit_code::POLICY,
        CourierError::Refused { status: 500.., .. } => exit_code::NETWORK,
        CourierError::Refused { .. } | CourierError::TooLong { .. } => exit_code::PEER,
    }
}
