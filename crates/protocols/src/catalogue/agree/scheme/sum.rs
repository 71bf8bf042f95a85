//! Sum of ranks: definition 3 of the paper.

use std::ops::Range;

use super::{Composition, Pair, Sizes};
use crate::Role;

/// Round r has the pairs whose places add up to r, so that their ranks add up to 2N − r. Among these the pair whose places
/// are closer together comes first, then the one that the receiver likes better.
pub(super) struct SumOfRanks;

impl Composition for SumOfRanks {
    fn rounds(&self, Sizes { receiver, sender }: Sizes) -> u32 {
        if receiver == 0 || sender == 0 { 0 } else { receiver + sender - 1 }
    }

    fn count(&self, Sizes { receiver, sender }: Sizes, round: u32) -> u64 {
        let most = receiver.min(sender).min(round + 1);
        most.min(receiver + sender - 1 - round).into()
    }

    fn places(&self, sizes: Sizes, round: u32, role: Role) -> Range<u32> {
        (round + 1).saturating_sub(sizes.of(role.other()))..sizes.of(role).min(round + 1)
    }

    fn pairs(&self, sizes: Sizes, round: u32) -> Vec<Pair> {
        let pair = |receiver| Pair { receiver, sender: round - receiver };
        let mut pairs: Vec<Pair> = (0..=round).map(pair).filter(|pair| sizes.has(*pair)).collect();
        pairs.sort_by_key(|pair| (pair.receiver.abs_diff(pair.sender), pair.receiver));
        pairs
    }
}
