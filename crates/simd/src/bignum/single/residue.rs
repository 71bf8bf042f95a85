//! Residues in Montgomery form.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A residue, which belongs to the [`Montgomery`](super::Montgomery) that made it. It may be reduced loosely, so only its
/// [`integer`](super::Montgomery::integer) can be compared. Wiped when dropped: powers pass through secret ones.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Residue(pub(super) Box<[u64]>);

impl Residue {
    pub(super) fn zero(len: usize) -> Self {
        Self(vec![0; len].into())
    }
}
