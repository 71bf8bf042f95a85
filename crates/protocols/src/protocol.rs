//! The interface of every protocol.

use rand_core::CryptoRng;
use veilset_channel::{Channel, ChannelError};
use veilset_crypto::Element;

use crate::Spec;

/// A two-party private set operation.
pub trait Protocol: Sync {
    /// What it is, what it reveals and what it costs.
    fn spec(&self) -> &'static Spec;

    /// Runs one side until nothing more crosses the wire.
    ///
    /// # Errors
    /// When the channel fails or the peer breaks the protocol.
    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError>;
}

/// What is left to compute when nothing more crosses the wire.
///
/// Its time depends on the result (how many elements match, and where), so the caller lets the peer go first: a peer
/// that is to learn nothing sees no message that waits for it.
pub type Conclusion = Box<dyn FnOnce() -> Result<Outcome, ProtocolError> + Send>;

/// One side of one run: its part, its input and its means.
pub struct Run<'a> {
    /// Which part of the figure this side plays.
    pub role: Role,
    /// Who gets the result; both sides agreed on it.
    pub reveal: Reveal,
    /// This side's set, without repetitions.
    pub elements: &'a [Element],
    /// The size of the peer's set, from the agreed terms.
    pub peer_count: usize,
    /// The way to the peer.
    pub channel: &'a mut dyn Channel,
    /// All randomness of the run.
    pub rng: &'a mut dyn CryptoRng,
    /// Hears how far the run is.
    pub observer: &'a dyn Observer,
}

/// The parts of a figure. The receiver learns; who connects is another matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Learns nothing but sizes, unless the result is revealed to both.
    Sender,
    /// Learns the result.
    Receiver,
}

impl Role {
    /// The peer's part.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }

    /// The word for it in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Receiver => "receiver",
        }
    }
}

/// Who gets the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reveal {
    /// The receiver alone.
    Receiver,
    /// Both sides.
    Both,
}

impl Reveal {
    /// Whether the side that plays `role` gets the result.
    #[must_use]
    pub fn reaches(self, role: Role) -> bool {
        role == Role::Receiver || self == Self::Both
    }
}

/// What one side holds at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// This side was to learn nothing.
    Nothing,
    /// The indices of this side's elements that the peer has too, rising.
    Matched(Vec<u32>),
    /// How many elements both have.
    Count(u64),
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The channel failed, or what came over it was not allowed.
    #[error(transparent)]
    Channel(#[from] ChannelError),
}

impl From<veilset_channel::PeerFault> for ProtocolError {
    fn from(fault: veilset_channel::PeerFault) -> Self {
        Self::Channel(fault.into())
    }
}

/// Hears how far a run is. Write-only: nothing comes back.
pub trait Observer: Sync {
    /// A step begins; it has `total` units of work, mostly elements.
    fn begin(&self, step: &'static str, total: u64);

    /// `units` more are done.
    fn advance(&self, units: u64);
}

/// An observer that does not listen.
pub struct Silent;

impl Observer for Silent {
    fn begin(&self, _step: &'static str, _total: u64) {}

    fn advance(&self, _units: u64) {}
}
