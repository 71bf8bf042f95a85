//! Minimum of ranks: definition 4 of the paper.

use std::ops::Range;

use super::{Composition, Pair, Sizes};
use crate::Role;

/// Round r has the pairs of whose places r is the larger, so that the smaller rank is N − r. Among these the pair whose
/// other place is better comes first, then the one that the receiver likes better.
pub(super) struct MinimumOfRanks;

impl Composition for MinimumOfRanks {
    fn rounds(&self, Sizes { receiver, sender }: Sizes) -> u32 {
        if receiver == 0 || sender == 0 { 0 } else { receiver.max(sender) }
    }

    fn count(&self, Sizes { receiver, sender }: Sizes, round: u32) -> u64 {
        let of = |mine: u32, other: u32| if round < mine { other.min(round) } else { 0 };
        let equal = u32::from(round < receiver.min(sender));
        (of(receiver, sender) + of(sender, receiver) + equal).into()
    }

    fn places(&self, sizes: Sizes, round: u32, role: Role) -> Range<u32> {
        let first = if round < sizes.of(role.other()) { 0 } else { round };
        first..sizes.of(role).min(round + 1)
    }

    fn pairs(&self, sizes: Sizes, round: u32) -> Vec<Pair> {
        let (better, equal) = (0..round, Pair { receiver: round, sender: round });
        let both = |place| {
            [Pair { receiver: place, sender: round }, Pair { receiver: round, sender: place }]
        };
        better.flat_map(both).chain([equal]).filter(|pair| sizes.has(*pair)).collect()
    }
}
