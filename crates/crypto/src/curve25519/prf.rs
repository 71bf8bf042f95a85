//! The commutative weak pseudorandom function on x-coordinates.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_simd::Kernel;
use zeroize::Zeroizing;

use super::elligator::uniform;
use super::kernel::{Scalar, map_batch, multiply_batch};
use super::{Point, VALUES_A_TASK, is_canonical};
use crate::accelerator::{accelerator, accelerator_for};
use crate::tasks::{refusing_tasks, tasks};
use crate::{CommutativePrf, Element, NotAnElement};

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
/// Refused are encodings that are not canonical (the top bit set, or at least 2^255 − 19) and points of small order.
/// Multiples of 8 annul all points of small order, also of the twist, whose cofactor is 4; those give 0. A point of
/// mixed order, or of the twist, is a peer's deviation that costs the key nothing: its image lies in a group of large
/// prime order again.
pub struct Curve25519Prf {
    key: Scalar,
}

impl CommutativePrf for Curve25519Prf {
    type Point = Point;

    const LEN: usize = 32;

    fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(bytes.as_mut_slice());
        Self { key: Scalar::new(&bytes) }
    }

    fn batch() -> usize {
        accelerator().map_or(1, |device| device.batch())
    }

    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<Point> {
        map_and_multiply(&self.key, elements)
    }

    fn evaluate(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
        check_and_multiply(&self.key, points)
    }
}

pub(super) fn map_and_multiply(key: &Scalar, elements: &[Element]) -> Vec<Point> {
    if let Some(device) = accelerator_for(elements.len()) {
        let uniform = uniform(elements);
        let mut points = vec![[0; 32]; elements.len()];
        if device.map_and_multiply(key.bytes(), &uniform, &mut points) {
            return points;
        }
    }
    tasks::<VALUES_A_TASK, _, _>(elements, [0; 32], |elements, points| {
        // In place: nothing unblinded stays behind. An element of H(x) = 0 has probability 2^-249.
        map_batch(Kernel::best(), elements, points);
        multiply_batch(Kernel::best(), key, points);
    })
}

pub(super) fn check_and_multiply(
    key: &Scalar,
    points: &[Point],
) -> Result<Vec<Point>, NotAnElement> {
    if let Some(device) = accelerator_for(points.len()) {
        let mut images = points.to_vec();
        if device.multiply(key.bytes(), &mut images) {
            return checked(points, images);
        }
    }
    refusing_tasks::<VALUES_A_TASK, _, _>(points, [0; 32], |points, images| {
        let canonical = points.iter().position(|p| !is_canonical(p)).unwrap_or(points.len());
        // Those before the first that is not canonical may be of small order.
        let images = &mut images[..canonical];
        images.copy_from_slice(&points[..canonical]);
        multiply_batch(Kernel::best(), key, images);
        match images.iter().position(|image| *image == [0; 32]) {
            Some(small) => Err(small),
            None if canonical < points.len() => Err(canonical),
            None => Ok(()),
        }
    })
}

/// The images of points that a device multiplied, unless one of these was not canonical or was of small order.
fn checked(points: &[Point], images: Vec<Point>) -> Result<Vec<Point>, NotAnElement> {
    let pairs = points.par_iter().zip(&images);
    match pairs.position_first(|(point, image)| !is_canonical(point) || *image == [0; 32]) {
        Some(index) => Err(NotAnElement { index }),
        None => Ok(images),
    }
}
