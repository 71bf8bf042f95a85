//! Preference order composition schemes: in which order pairs of entries are compared, so that the first pair that is equal
//! is the one to agree on.
//!
//! A place counts from 0, the best. In a list of n entries the paper's rank of the entry in place p is N − p; with lists
//! of unequal lengths N is the longer one's, as if the shorter went on with entries that nobody else has. So the first entry
//! of a short list counts as much as that of a long one.
//!
//! Another scheme is one file, with its line in [`Scheme`].

mod minimum;
mod pairs;
mod sum;
#[cfg(test)]
mod tests;

use std::ops::Range;

use veilset_names::names;

pub(super) use self::pairs::PairByPair;
use crate::Role;

names! {
    "schemes";
    /// How two orders of preference become one.
    #[derive(Default)]
    pub enum Scheme {
        /// The sum of the ranks is as large as possible.
        #[default]
        SumOfRanks = "sum-of-ranks",
        /// The smaller of the ranks is as large as possible.
        MinimumOfRanks = "minimum-of-ranks",
    }
}

impl Scheme {
    /// The rounds of lists of these lengths, each with its pairs in their order: places of a sender's entry and a receiver's.
    pub fn rounds(self, [sender, receiver]: [u32; 2]) -> impl Iterator<Item = Vec<[u32; 2]>> {
        let (composition, sizes) = (self.composition(), Sizes { receiver, sender });
        let places = |pair: &Pair| [pair.sender, pair.receiver];
        let rounds = composition.rounds(sizes);
        (0..rounds).map(move |round| composition.pairs(sizes, round).iter().map(places).collect())
    }

    pub(super) fn composition(self) -> Box<dyn Composition> {
        match self {
            Self::SumOfRanks => Box::new(sum::SumOfRanks),
            Self::MinimumOfRanks => Box::new(minimum::MinimumOfRanks),
        }
    }
}

/// An entry of the receiver and one of the sender, by their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) receiver: u32,
    pub(super) sender: u32,
}

impl Pair {
    /// The place of the entry of the side that plays `role`.
    pub(super) fn place(self, role: Role) -> u32 {
        match role {
            Role::Sender => self.sender,
            Role::Receiver => self.receiver,
        }
    }
}

/// How many entries each side has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) receiver: u32,
    pub(super) sender: u32,
}

impl Sizes {
    /// Entries of the side that plays `role`.
    pub(super) fn of(self, role: Role) -> u32 {
        match role {
            Role::Sender => self.sender,
            Role::Receiver => self.receiver,
        }
    }

    fn has(self, pair: Pair) -> bool {
        pair.receiver < self.receiver && pair.sender < self.sender
    }
}

/// A scheme as the protocol needs it: every pair is in exactly one round.
pub(super) trait Composition: Sync {
    /// Rounds, one for each combined rank that a pair can have; 0 if a list is empty.
    fn rounds(&self, sizes: Sizes) -> u32;

    /// How many pairs a round has.
    fn count(&self, sizes: Sizes, round: u32) -> u64;

    /// The places of the entries of the side that plays `role` that a round compares.
    fn places(&self, sizes: Sizes, round: u32, role: Role) -> Range<u32>;

    /// The pairs whose combined rank is that of round `round`, from 0, the best; the first that is equal wins.
    fn pairs(&self, sizes: Sizes, round: u32) -> Vec<Pair>;
}
