//! The local step of the figure.

use crate::matching::positions_in;

/// Step 3: the indices of this side's elements that the peer has, rising.
///
/// `mine` holds this side's elements under both keys in the order in which they were sent; `order[i]` is the index of
/// the element that was sent as number `i`; `theirs` holds the peer's elements under both keys.
pub(super) fn matched_elements(mine: &[u128], mut theirs: Vec<u128>, order: &[u32]) -> Vec<u32> {
    theirs.sort_unstable();
    let mut matched: Vec<u32> =
        positions_in(mine, &theirs).iter().map(|sent_as| order[*sent_as as usize]).collect();
    matched.sort_unstable();
    matched
}
