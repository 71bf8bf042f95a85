//! What a protocol says of itself.

use std::fmt;

use crate::Reveal;

/// What two parties want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Which elements both have.
    Intersect,
    /// How many elements both have.
    Count,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 2] = [Self::Intersect, Self::Count];

    /// The verb on the command line and in the terms.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Intersect => "intersect",
            Self::Count => "count",
        }
    }

    /// The operation called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Against whom a protocol holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Security {
    /// Against parties that follow the protocol and look at all they see.
    SemiHonest,
    /// Against parties that do anything.
    Malicious,
}

impl Security {
    /// The word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SemiHonest => "semi-honest",
            Self::Malicious => "malicious",
        }
    }
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fact in the two wordings that a user reads.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge {
    /// As in "You learn: …".
    pub of_you: &'static str,
    /// As in "acme learns: …".
    pub of_peer: &'static str,
}

/// The size of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Elements of the sender.
    pub sender: u64,
    /// Elements of the receiver.
    pub receiver: u64,
    /// Who gets the result.
    pub reveal: Reveal,
}

/// What one side does in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PartyCost {
    /// Scalar multiplications on Curve25519.
    pub multiplications: f64,
    /// Elements mapped to the curve.
    pub maps: f64,
    /// Bytes it sends, frame headers included.
    pub bytes_sent: f64,
    /// Bytes of memory at the peak, beside the caller's elements.
    pub memory: f64,
}

/// What a run costs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// The sender's part.
    pub sender: PartyCost,
    /// The receiver's part.
    pub receiver: PartyCost,
    /// Rounds.
    pub rounds: u64,
}

/// Everything about a protocol that its users, the planner and the suites need.
pub struct Spec {
    /// Its name on the command line and in the terms.
    pub id: &'static str,
    /// One line for a table.
    pub title: &'static str,
    /// What it computes.
    pub operation: Operation,
    /// Where it comes from: paper, section, figure.
    pub paper: &'static str,
    /// Against whom it holds.
    pub security: Security,
    /// What its security rests on.
    pub assumption: &'static str,
    /// What the receiver learns (and the sender, if the result is revealed to both).
    pub result: Knowledge,
    /// What a side learns that is not to get the result.
    pub residue: Knowledge,
    /// What leaks beyond the result, in full sentences.
    pub leaks: &'static [&'static str],
    /// The largest set of either side.
    pub max_elements: u64,
    /// The cost of a run.
    pub cost: fn(Shape) -> Cost,
}
