//! Commutative weak pseudorandom functions (eprint 2022/652, sections 4 and 5).

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::{Element, Underway};

/// A keyed function `F_k` on a group with F_k(F_l(x)) = F_l(F_k(x)), pseudorandom on random inputs, and a map `H` from
/// elements to the group.
///
/// Batches run on the threads of the caller's rayon pool; results are the same for any number of threads.
///
/// ```
/// use chacha20::ChaCha20Rng;
/// use rand_core::SeedableRng;
/// use veilset_crypto::{CommutativePrf, Curve25519Prf, ElementHasher};
///
/// let rng = &mut ChaCha20Rng::from_seed([1; 32]);
/// let hasher = ElementHasher::new(&[2; 32], "raw/1");
/// let [ann, ben, eve] = ["ann", "ben", "eve"].map(|key| hasher.element(key.as_bytes()));
/// let (ours, theirs) = (Curve25519Prf::generate(rng), Curve25519Prf::generate(rng));
/// // Each side sends its elements under its own key, and the other side puts its key on them.
/// let left = theirs.evaluate(&ours.hash_and_evaluate(&[ann, ben]))?;
/// let right = ours.evaluate(&theirs.hash_and_evaluate(&[ben, eve]))?;
/// assert!(left[1] == right[0] && !right.contains(&left[0]));
/// # Ok::<(), veilset_crypto::NotAnElement>(())
/// ```
pub trait CommutativePrf: Sync + Sized {
    /// A group element as it crosses the wire: an array of [`LEN`](Self::LEN) bytes.
    type Point: Copy + Send + Sync + PartialEq + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

    /// Bytes of a [`Point`](Self::Point).
    const LEN: usize;

    /// The function under a fresh key.
    fn generate(rng: &mut dyn CryptoRng) -> Self;

    /// Values that are worth a call at least. A device is slow with few; this processor takes any number.
    fn batch() -> usize {
        1
    }

    /// Batches that may be underway while the caller goes on. None is where this processor computes.
    fn ahead() -> usize {
        0
    }

    /// F_k(H(x)) for each element, in order.
    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<Self::Point>;

    /// F_k(p) for each point that the peer sent, in order.
    ///
    /// # Errors
    /// With the first that is not the canonical encoding of a group element, or whose image is the neutral element;
    /// honest peers send neither.
    fn evaluate(&self, points: &[Self::Point]) -> Result<Vec<Self::Point>, NotAnElement>;

    /// As [`hash_and_evaluate`](Self::hash_and_evaluate), by a device meanwhile if there is one.
    fn start_hashing(&self, elements: Zeroizing<Vec<Element>>) -> Underway<'_, Vec<Self::Point>> {
        Underway::new(move || self.hash_and_evaluate(&elements))
    }

    /// As [`evaluate`](Self::evaluate), by a device meanwhile if there is one.
    fn start_evaluating(&self, points: Vec<Self::Point>) -> Evaluating<'_, Self::Point> {
        Underway::new(move || self.evaluate(&points))
    }
}

/// Points of the peer's that are being evaluated.
pub type Evaluating<'a, P> = Underway<'a, Result<Vec<P>, NotAnElement>>;

/// A commutative weak pseudorandom permutation (section 5.2): who has the key also inverts `F_k`.
pub trait CommutativePrp: CommutativePrf {
    /// F_k^-1(p) for each point that the peer sent, in order.
    ///
    /// # Errors
    /// As [`evaluate`](CommutativePrf::evaluate).
    fn invert(&self, points: &[Self::Point]) -> Result<Vec<Self::Point>, NotAnElement>;
}

/// The peer sent something else than group elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "point {index} (from 0) is not the canonical encoding of a group element of large order; \
     no honest peer sends it, so end the run"
)]
pub struct NotAnElement {
    /// Where, from 0.
    pub index: usize,
}
