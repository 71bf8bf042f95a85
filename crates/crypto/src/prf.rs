//! Commutative weak pseudorandom functions (eprint 2022/652, section 4).

use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::kernel::{Scalar, map_batch, multiply_batch};
use crate::{Element, Point};

/// Values that one task takes: enough to make its overhead vanish, few enough to spread over the threads.
const VALUES_A_TASK: usize = 64;

/// A keyed function `F_k` on a group with F_k(F_l(x)) = F_l(F_k(x)), pseudorandom on random inputs, and a map `H` from
/// elements to the group.
///
/// Batches run on the threads of the caller's rayon pool; results are the same for any number of threads.
pub trait CommutativePrf: Sync {
    /// F_k(H(x)) for each element, in order.
    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<Point>;

    /// F_k(p) for each point that the peer sent, in order.
    ///
    /// # Errors
    /// With the first that is not a canonical encoding (the top bit set, or at least 2^255 − 19), or whose image is
    /// the neutral element (a point of small order), which honest peers do not send.
    fn evaluate(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement>;
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

/// `F_k(P) = k·P` on Curve25519, x-coordinates only. The key is wiped when dropped.
///
/// # The group
///
/// The group is the subgroup of prime order ℓ. `k` is clamped as in X25519: a multiple of 8, with `k/8` uniform in
/// 2^251..2^252, below ℓ. Elligator 2 maps an element to a point of the full curve, the sum of a point `H(x)` of the
/// group and one whose order divides 8. The first multiplication annuls the second and leaves `k·H(x)`, so clearing
/// the cofactor costs nothing. `H(x)` is the suite's `encode_to_curve(x)`, which multiplies by 8, divided by 8 modulo
/// ℓ: a bijection of the group. One map does not give the uniform distribution on the group; the proof needs no more
/// than that a simulator can sample a point together with a preimage, and Elligator 2 is easily inverted.
///
/// # No twist bit
///
/// A u-coordinate belongs to the curve if u³ + Au² + u is a square, else to its quadratic twist, and multiplication
/// leaves it where it is. A digest taken for a coordinate would therefore carry one bit, visible through the
/// blinding: curve or twist. Elligator's images are all on the curve, so all blinded values are, and being in the
/// subgroup of order ℓ they carry no such bit of the torsion either.
///
/// # What the peer sends
///
/// Multiples of 8 annul all points of small order, also of the twist, whose cofactor is 4; those give 0 and are
/// refused. A point of mixed order, or of the twist, is a peer's deviation that costs the key nothing: its image lies
/// in a group of large prime order again.
pub struct Curve25519Prf {
    key: Scalar,
}

impl Curve25519Prf {
    /// A fresh key.
    #[must_use]
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(bytes.as_mut_slice());
        Self { key: Scalar::new(&bytes) }
    }

    /// `Err` with the place of the first point that is refused.
    fn evaluate_in_place(&self, points: &mut [Point]) -> Result<(), usize> {
        if let Some(index) = points.iter().position(|point| !is_canonical(point)) {
            // Those before it may be of small order.
            self.evaluate_in_place(&mut points[..index])?;
            return Err(index);
        }
        multiply_batch(&self.key, points);
        points.iter().position(|point| *point == [0; 32]).map_or(Ok(()), Err)
    }
}

impl CommutativePrf for Curve25519Prf {
    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<Point> {
        let mut points = vec![[0; 32]; elements.len()];
        elements.par_chunks(VALUES_A_TASK).zip(points.par_chunks_mut(VALUES_A_TASK)).for_each(
            |(elements, points)| {
                // In place: nothing unblinded stays behind. An element of H(x) = 0 has probability 2^-249.
                map_batch(elements, points);
                multiply_batch(&self.key, points);
            },
        );
        points
    }

    fn evaluate(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
        let mut images = points.to_vec();
        let refused =
            images.par_chunks_mut(VALUES_A_TASK).enumerate().find_map_first(|(task, points)| {
                let place = self.evaluate_in_place(points).err()?;
                Some(task * VALUES_A_TASK + place)
            });
        match refused {
            Some(index) => Err(NotAnElement { index }),
            None => Ok(images),
        }
    }
}

/// Whether a point is encoded as a number below p = 2^255 − 19. Points on the wire are public.
fn is_canonical(point: &Point) -> bool {
    const P: Point = {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xed, 0x7f);
        bytes
    };
    point.iter().rev().lt(P.iter().rev())
}
