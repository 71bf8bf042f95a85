//! Whose fault it was.

use std::time::Duration;

use veilset_host::time::show_wait;

use crate::{Malformed, Tag};

/// Why a channel stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// The network or the peer's machine: nobody broke a rule.
    #[error(transparent)]
    Network(#[from] NetworkFault),
    /// The peer sent something that the protocol does not allow.
    #[error(transparent)]
    Peer(#[from] PeerFault),
    /// The peer said that it stops, and why.
    #[error("the peer stopped: {0}")]
    Aborted(Abort),
}

/// The connection failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkFault {
    /// The peer's end is gone: its process ended or the connection was cut.
    #[error("the peer closed the connection before the run was complete")]
    Closed,
    /// Nothing arrived, not even a heartbeat.
    #[error("nothing came from the peer for {}, not even a heartbeat", show_wait(*.0))]
    Silent(Duration),
    /// It was lost, and the peer did not come back.
    #[error("{why}, and the peer did not come back within {}{}", show_wait(*.waited), in_brackets(.last.as_deref()))]
    Lost {
        /// How it was lost.
        why: String,
        /// How long this side waited for the peer.
        waited: Duration,
        /// Why the last attempt to meet it failed.
        last: Option<String>,
    },
    /// This side's user ended it.
    #[error("stopped on this side")]
    Stopped,
    /// The peer's user ended it.
    #[error("the peer interrupted the run")]
    Interrupted,
    /// The operating system reported an error.
    #[error("the connection failed: {0}")]
    Io(String),
}

fn in_brackets(last: Option<&str>) -> String {
    last.map_or(String::new(), |last| format!(" ({last})"))
}

/// The peer broke the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeerFault {
    /// Another message than the one that is due.
    #[error("expected {expected}, got message type {got}")]
    UnexpectedTag {
        /// The message that was due.
        expected: Tag,
        /// The type byte that came.
        got: u8,
    },
    /// A frame was repeated, lost or moved.
    #[error("expected frame number {expected}, got {got}")]
    OutOfSequence {
        /// The number that was due.
        expected: u32,
        /// The number that came.
        got: u32,
    },
    /// More bytes than the message can have.
    #[error("{what} is {got} bytes long, at most {max} are possible")]
    TooLong {
        /// The message or frame.
        what: &'static str,
        /// The bound in bytes.
        max: usize,
        /// The length that came, in bytes.
        got: usize,
    },
    /// The bytes of a message do not parse.
    #[error("{what}: {why}")]
    Malformed {
        /// The message.
        what: &'static str,
        /// What is wrong with it.
        why: Malformed,
    },
    /// An element occurs twice in what must be a set.
    #[error("the peer's set holds an element twice")]
    Repeated,
    /// Messages that parse, but that no honest peer sends together.
    #[error(
        "the peer failed the {0}: it deviates from the protocol, and no result of this run can be used"
    )]
    CheckFailed(&'static str),
}

/// What a party says when it stops before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abort {
    /// The two parties want different things.
    Terms,
    /// Its user or its policy declined.
    Declined,
    /// It holds that we broke the protocol.
    Protocol,
    /// It failed on its own.
    Internal,
    /// Its deadline passed.
    Late,
    /// Of several parties it lost another one, in this place of the order that all have.
    Lost {
        /// The place, below 64.
        place: u8,
    },
    /// Of several parties another one broke the protocol.
    Broke {
        /// Its place, below 64.
        place: u8,
    },
    /// Of several parties another one ended the run, or a third one says so.
    Heard {
        /// Its place, below 64.
        place: u8,
    },
}

/// Bits of a byte that has a place in its others.
const LOST: u8 = 0x40;
const BROKE: u8 = 0x80;
const HEARD: u8 = 0xc0;
const PLACE: u8 = 0x3f;

impl Abort {
    /// The reason behind a byte from the peer; `None` for a byte that means nothing.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        let place = byte & PLACE;
        Some(match byte {
            1 => Self::Terms,
            2 => Self::Declined,
            3 => Self::Protocol,
            4 => Self::Internal,
            5 => Self::Late,
            _ if byte & !PLACE == LOST => Self::Lost { place },
            _ if byte & !PLACE == BROKE => Self::Broke { place },
            _ if byte & !PLACE == HEARD => Self::Heard { place },
            _ => return None,
        })
    }

    /// The byte that the peer gets.
    pub(crate) fn to_byte(self) -> u8 {
        match self {
            Self::Terms => 1,
            Self::Declined => 2,
            Self::Protocol => 3,
            Self::Internal => 4,
            Self::Late => 5,
            Self::Lost { place } => LOST | place & PLACE,
            Self::Broke { place } => BROKE | place & PLACE,
            Self::Heard { place } => HEARD | place & PLACE,
        }
    }
}

impl std::fmt::Display for Abort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Terms => "it does not agree on the terms",
            Self::Declined => "it declined the run",
            Self::Protocol => "it holds that this side broke the protocol",
            Self::Internal => "it failed on its own side",
            Self::Late => "its deadline passed while it waited",
            Self::Lost { .. } => "it lost another party",
            Self::Broke { .. } => "it holds that another party broke the protocol",
            Self::Heard { .. } => "it heard that another party ended the run",
        })
    }
}
