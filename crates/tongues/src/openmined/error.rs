//! Why a message is refused, or none can be made.

use std::fmt;

/// A message of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The server's setup.
    Setup,
    /// The client's request.
    Request,
    /// The server's response.
    Response,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Setup => "setup",
            Self::Request => "request",
            Self::Response => "response",
        })
    }
}

/// What is wrong with the bytes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// A field goes beyond the end.
    #[error("it ends in the middle of a field")]
    Truncated,
    /// A number of more than 64 bits.
    #[error("a number has more than 64 bits")]
    LongNumber,
    /// A field that no message can have.
    #[error("a field has a number or a type that protocol buffers do not have")]
    NoField,
    /// A field of another type.
    #[error("field {0} has another type than in OpenMined's messages")]
    WrongType(u32),
    /// An element of another length than a point's.
    #[error("an element has {0} bytes, and a compressed point has 33")]
    WrongLength(usize),
    /// A setup without a structure.
    #[error("it holds neither points nor a compressed set nor a Bloom filter")]
    NoStructure,
    /// A setup with several.
    #[error("it holds two structures, or one in two parts")]
    TwoStructures,
    /// A parameter that no structure has.
    #[error("its {0} is out of range")]
    Parameter(&'static str),
    /// A compressed set that ends within a value.
    #[error("its compressed set ends within a value")]
    CutSet,
    /// A compressed set whose values do not rise, or leave their range.
    #[error("value {0} (from 0) of its compressed set does not rise, or leaves the range")]
    ValueOutOfRange(usize),
}

/// Why a message is refused, or none can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenMinedError {
    /// The bytes are no message.
    #[error(
        "this is no {kind} of OpenMined PSI: at byte {at}, {why}; ask the other side to make it again, and see that \
         it arrives whole and that no two files are swapped"
    )]
    Malformed {
        /// What it was to be.
        kind: Kind,
        /// Where, from 0.
        at: usize,
        /// What is wrong there.
        why: Why,
    },
    /// An element that is no point.
    #[error(
        "element {index} (from 0) of the {kind} is no point of P-256; no honest peer sends it, so nothing was computed \
         with it: ask the other side to make the message again"
    )]
    NotAPoint {
        /// Of which message.
        kind: Kind,
        /// Which, from 0.
        index: usize,
    },
    /// A response to another request.
    #[error(
        "the response answers {got} items, and the request has {expected}: ask the server for the response to this request"
    )]
    WrongCount {
        /// How many items the request has.
        expected: usize,
        /// How many are answered.
        got: usize,
    },
    /// Two answers that are one point.
    #[error(
        "two items of the response are the same point, which no honest server sends: the response says nothing of your list"
    )]
    Repeated,
    /// A request that is longer than the server takes.
    #[error(
        "the request has {got} items, and this server takes {most} at most: the setup's rate of false positives is for those"
    )]
    TooMany {
        /// How many it has.
        got: usize,
        /// How many the server takes.
        most: usize,
    },
    /// The sides want different things.
    #[error(
        "the client wants to learn {}, and this server lets it learn {}: one side changes --count",
        learned(*.client), learned(!*.client)
    )]
    Reveal {
        /// Whether the client wants to learn which items match.
        client: bool,
    },
    /// A rate of false positives that is none.
    #[error("the rate of false positives is to be more than 0 and less than 1")]
    Rate,
    /// A rate for which a structure has no room.
    #[error(
        "a {structure} for so many items cannot have so few false positives: OpenMined's arithmetic ends there; take a \
         higher rate, or the structure raw, which has none"
    )]
    RateTooLow {
        /// Of which structure.
        structure: &'static str,
    },
    /// More items than a message holds.
    #[error(
        "{got} items do not fit into one message of OpenMined PSI, which has at most 2^31 − 1 bytes: cut the list"
    )]
    TooLong {
        /// How many there are.
        got: usize,
    },
    /// No items are expected of a client.
    #[error("a setup is for a client with one item or more")]
    NoClientItems,
}

fn learned(which: bool) -> &'static str {
    if which { "which items match" } else { "how many items match, and not which" }
}

impl OpenMinedError {
    /// Whether the peer broke the protocol, or its message did not arrive whole.
    #[must_use]
    pub fn is_of_peer(&self) -> bool {
        matches!(
            self,
            Self::Malformed { .. }
                | Self::NotAPoint { .. }
                | Self::WrongCount { .. }
                | Self::Repeated
        )
    }
}
