//! The local step of the figure.

use crate::matching::{Hits, membership, sort};

/// Step 3: which of this side's elements the peer has. Takes the same steps whatever matches.
///
/// `mine` holds this side's elements under both keys in the order in which they were sent, `theirs` the peer's.
pub(super) fn matched_elements(mine: &[u128], mut theirs: Vec<u128>) -> Hits {
    sort(&mut theirs);
    membership(mine, &theirs)
}
