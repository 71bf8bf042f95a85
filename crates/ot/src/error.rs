//! Why an oblivious transfer stopped.

use veilset_channel::{ChannelError, PeerFault};

/// Why an oblivious transfer stopped. None of the texts holds a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OtError {
    /// The channel failed, or the peer stopped or broke the protocol; a failed check is a
    /// [`PeerFault::CheckFailed`].
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// Arguments of one call do not fit one another.
    #[error("{what}: {got} entries given, {expected} needed")]
    Length {
        /// The argument.
        what: &'static str,
        /// The number that fits.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// Vectors over a space that is no field are not checked against a party that cheats.
    #[error(
        "no vector over this space is checked against a party that cheats; take one over a field"
    )]
    Unchecked,
    /// A message is too narrow or too wide for a frame.
    #[error("messages of {got} bytes: 1 to {max} are possible")]
    Width {
        /// The widest message in bytes.
        max: usize,
        /// The width asked for in bytes.
        got: usize,
    },
    /// The depth of the seed trees lies outside its range.
    #[error("seed trees of depth {got}: 1 to {max} is possible")]
    Depth {
        /// The greatest depth.
        max: usize,
        /// The depth asked for.
        got: usize,
    },
    /// An earlier call on this setup failed, or it has served as many transfers as its counter can number.
    #[error("this setup can serve no more transfers; run a new one")]
    Spent,
}

impl OtError {
    /// Whether the peer broke the protocol, as opposed to a fault of the network or of the caller.
    #[must_use]
    pub fn is_peer_fault(&self) -> bool {
        matches!(self, Self::Channel(ChannelError::Peer(_)))
    }
}

impl From<PeerFault> for OtError {
    fn from(fault: PeerFault) -> Self {
        Self::Channel(fault.into())
    }
}
