//! Why one is not at a relay.

use std::io;

use crate::ReachError;

/// Why one is not in a room with somebody else.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// There is no connection to the relay, or it broke.
    #[error(transparent)]
    Unreached(#[from] ReachError),
    /// The relay takes nobody now.
    #[error("{0}")]
    Busy(String),
    /// Its certificate is not for its name, or nobody vouches for it whom this machine trusts.
    #[error("{0}")]
    Certificate(String),
    /// It is none.
    #[error("{0}")]
    NotARelay(String),
}

impl From<io::Error> for JoinError {
    fn from(why: io::Error) -> Self {
        Self::Unreached(why.into())
    }
}
