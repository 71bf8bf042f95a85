//! Why a run of several parties ended early, and whose fault it was.

use veilset_channel::ChannelError;
use veilset_crypto::threshold::ThresholdError;
use veilset_poly::PolyError;

use crate::ProtocolError;

/// Why a run of several parties ended early.
#[derive(Debug, thiserror::Error)]
pub enum MultipartyError {
    /// The channel to a party failed, or what it sent was not allowed.
    #[error("party {party}: {source}")]
    Party {
        /// Its number.
        party: u16,
        /// What happened.
        source: ProtocolError,
    },
    /// This party could not do its part.
    #[error(transparent)]
    Own(ProtocolError),
    /// A party's message about the joint key cannot be read.
    #[error("party {party}: {source}")]
    Message {
        /// Its number.
        party: u16,
        /// Why.
        source: ThresholdError,
    },
    /// The joint key, or a decryption with it, is wrong; the error names the party.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// Not all heard the same.
    #[error(
        "party {party} and this one received different things in a round in which all are told the same: one party told \
         the others different things; no result of this run can be used"
    )]
    Unequal {
        /// The number of the first party that disagrees.
        party: u16,
    },
    /// The sum is 0, of which everything is a root.
    #[error(
        "the parties' polynomials add up to one of which everything is a root: a party deviates from the protocol, and no \
         result of this run can be used"
    )]
    Forged,
    /// Numbers that parties told contradict one another.
    #[error(
        "the parties' numbers contradict one another: more is common to all than to two of them; a party deviates from the \
         protocol, and no result of this run can be used"
    )]
    Contradictory,
    /// The arithmetic of polynomials was called wrongly: a bug.
    #[error(transparent)]
    Arithmetic(#[from] PolyError),
}

impl MultipartyError {
    /// The number of the party that broke the protocol, where it is known.
    #[must_use]
    pub fn culprit(&self) -> Option<u16> {
        match self {
            Self::Party { party, source: ProtocolError::Channel(ChannelError::Peer(_)) }
            | Self::Message { party, .. } => Some(*party),
            Self::Threshold(
                ThresholdError::WrongShare { dealer: party }
                | ThresholdError::WrongOpening { dealer: party }
                | ThresholdError::WrongProof { party }
                | ThresholdError::Ciphertexts { party, .. }
                | ThresholdError::Repeated { party },
            ) => Some(*party),
            _ => None,
        }
    }

    pub(crate) fn message_of(party: u16) -> impl Fn(ThresholdError) -> Self {
        move |source| Self::Message { party, source }
    }

    pub(crate) fn run_of(party: u16) -> impl Fn(ProtocolError) -> Self {
        move |source| match source {
            ProtocolError::Channel(_) => Self::Party { party, source },
            own => Self::Own(own),
        }
    }
}
