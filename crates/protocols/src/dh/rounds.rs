//! The local step of the figure.

use veilset_channel::PeerFault;

use crate::matching::{in_order, membership, sort};

/// Step 3: the indices of this side's elements that the peer has, rising.
///
/// `mine` holds this side's elements under both keys in the order in which they were sent; `order[i]` is the index of
/// the element that was sent as number `i`; `theirs` holds the peer's elements under both keys.
pub(super) fn matched_elements(
    mine: &[u128],
    mut theirs: Vec<u128>,
    order: &[u32],
) -> Result<Vec<u32>, PeerFault> {
    sort(&mut theirs);
    let hits = membership(mine, &theirs);
    hits.fault()?;
    Ok(in_order(order, &hits.e))
}
