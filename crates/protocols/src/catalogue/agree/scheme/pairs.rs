//! Pair by pair: what a scheme puts into one round, one after the other.

use std::ops::Range;

use super::{Composition, Pair, Sizes};
use crate::Role;

/// Round r has the pair that comes after r others in a scheme's order, and no other.
pub(in super::super) struct PairByPair(Vec<Pair>);

impl PairByPair {
    /// The pairs of a scheme, of lists of these lengths.
    pub(in super::super) fn new(scheme: &dyn Composition, sizes: Sizes) -> Self {
        Self((0..scheme.rounds(sizes)).flat_map(|round| scheme.pairs(sizes, round)).collect())
    }

    fn pair(&self, round: u32) -> Pair {
        self.0[round as usize]
    }
}

impl Composition for PairByPair {
    fn rounds(&self, _sizes: Sizes) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    fn count(&self, _sizes: Sizes, _round: u32) -> u64 {
        1
    }

    fn places(&self, _sizes: Sizes, round: u32, role: Role) -> Range<u32> {
        let place = self.pair(round).place(role);
        place..place + 1
    }

    fn pairs(&self, _sizes: Sizes, round: u32) -> Vec<Pair> {
        vec![self.pair(round)]
    }
}
