//! ristretto255 (RFC 9496), the group of prime order ℓ on Curve25519's Edwards form, for many points at once.
//!
//! Scalars are little-endian numbers below ℓ. The time of every function depends on the numbers of points and scalars,
//! on nothing else. A kernel that does not run here gives way to [`Kernel::Scalar`].

mod constants;
mod digits;
mod doubled;
mod elligator;
mod encoding;
mod fixed;
mod formulas;
mod map;
mod montgomery;
mod multiply;
mod sums;
mod works;

#[cfg(test)]
mod tests;

use zeroize::Zeroize;

use self::constants::GENERATOR;
use self::elligator::Represent;
use self::montgomery::{Lift, UCoordinates};
use self::works::{
    Add, Decode, Double, Encode, EncodeDoubled, Equal, IsIdentity, Map, Multiply, Scalars,
};
use super::field::{Limbs, P};
use super::on_lanes;
use crate::Kernel;

pub use fixed::{FixedBase, multiply_generator};

/// A number below ℓ, little-endian.
pub type Scalar = [u8; 32];

/// An element of the group as it is sent.
pub type Encoded = [u8; 32];

/// An element of the group, as one of several points that stand for it.
///
/// It is secret if the caller says so: it neither wipes itself nor prints.
#[derive(Clone, Copy)]
pub struct Point {
    // X/Z and Y/Z are the coordinates and T/Z is their product; limbs of 51 bits, at most 4p.
    x: Limbs,
    y: Limbs,
    z: Limbs,
    t: Limbs,
}

impl Point {
    /// The neutral element.
    pub const IDENTITY: Self =
        Self { x: [0; 5], y: [1, 0, 0, 0, 0], z: [1, 0, 0, 0, 0], t: [0; 5] };

    /// The generator (RFC 9496, section 4.1).
    pub const GENERATOR: Self =
        Self { x: GENERATOR[0], y: GENERATOR[1], z: [1, 0, 0, 0, 0], t: GENERATOR[2] };
}

/// What [`representatives`] needs to know besides a point: drawn uniformly, it makes them uniform.
#[derive(Clone, Copy, Zeroize)]
pub struct ElligatorBranch(u8);

impl ElligatorBranch {
    /// Of both branches of Elligator 2 the second.
    const SECOND: u8 = 8;
    /// Of both roots the negative one.
    const OPPOSITE: u8 = 16;

    /// The branch of a uniform byte, whose lowest five bits count.
    #[must_use]
    pub const fn new(byte: u8) -> Self {
        Self(byte)
    }
}

impl Zeroize for Point {
    fn zeroize(&mut self) {
        for coordinate in [&mut self.x, &mut self.y, &mut self.z, &mut self.t] {
            coordinate.zeroize();
        }
    }
}

/// Puts the points that are encoded into `points`. The neutral element is one of them.
///
/// # Errors
/// With the place of the first that is not the encoding of an element; what is in `points` then means nothing.
///
/// # Panics
/// When the two differ in length.
pub fn decode(kernel: Kernel, encoded: &[Encoded], points: &mut [Point]) -> Result<(), usize> {
    assert_eq!(encoded.len(), points.len(), "each encoding has its point");
    let mut refused = None;
    on_lanes(kernel, Decode { encoded, points, refused: &mut refused });
    refused.map_or(Ok(()), Err)
}

/// [`decode`] that refuses the neutral element, too.
///
/// # Errors
/// With the place of the first that is not the encoding of another element.
///
/// # Panics
/// When the two differ in length.
pub fn decode_non_neutral(
    kernel: Kernel,
    encoded: &[Encoded],
    points: &mut [Point],
) -> Result<(), usize> {
    let decoded = decode(kernel, encoded, points);
    // The neutral element has no other encoding than 0.
    let neutral = encoded.iter().position(|encoded| *encoded == [0; 32]);
    let refused = neutral.into_iter().chain(decoded.err()).min();
    refused.map_or(Ok(()), Err)
}

/// Puts the encoding of each point into `encoded`.
///
/// # Panics
/// When the two differ in length.
pub fn encode(kernel: Kernel, points: &[Point], encoded: &mut [Encoded]) {
    assert_eq!(points.len(), encoded.len(), "each point has its encoding");
    on_lanes(kernel, Encode { points, encoded });
}

/// Puts the encoding of twice each point into `encoded`, in a fraction of the time that [`encode`] takes: whoever
/// multiplies by half a scalar first needs no other.
///
/// # Panics
/// When the two differ in length.
pub fn encode_doubled(kernel: Kernel, points: &[Point], encoded: &mut [Encoded]) {
    assert_eq!(points.len(), encoded.len(), "each point has its encoding");
    on_lanes(kernel, EncodeDoubled { points, encoded });
}

/// Puts the elements that are derived from uniform bytes into `points` (RFC 9496, section 4.3.4).
///
/// # Panics
/// When the two differ in length.
pub fn map(kernel: Kernel, uniform: &[[u8; 64]], points: &mut [Point]) {
    assert_eq!(uniform.len(), points.len(), "each string has its point");
    on_lanes(kernel, Map { uniform, points });
}

/// The point of Edwards' curve with this u-coordinate, little-endian, of both the one whose x is not negative, or `None` if
/// the number belongs to the twist. The top bit is ignored and the number reduced.
///
/// This and the two functions after it take points for points, where the group has four points for an element.
#[must_use]
pub fn lift(kernel: Kernel, u: &Encoded) -> Option<Point> {
    let mut point = None;
    on_lanes(kernel, Lift { u, point: &mut point });
    point
}

/// Puts the u-coordinate of each point into `u`, little-endian; 0 for the neutral element, as X25519 has it.
///
/// # Panics
/// When the two differ in length.
pub fn u_coordinates(kernel: Kernel, points: &[Point], u: &mut [Encoded]) {
    assert_eq!(points.len(), u.len(), "each point has its coordinate");
    on_lanes(kernel, UCoordinates { points, u });
}

/// Adds to each point one of the eight whose order divides 8, and puts into `numbers` one of at most four that Elligator 2
/// ([`elligator2`](crate::elligator2)) takes to the u-coordinate of the sum, little-endian: which ones is the branch.
/// `found` says where there is such a number.
///
/// For a uniform point of order ℓ or 1 and a uniform branch the number is uniform over the field, where it is found: each
/// comes from exactly two of the 32·ℓ pairs of a point and a branch. So p / (16·ℓ) of all are found: half.
///
/// # Panics
/// When they differ in length.
pub fn representatives(
    kernel: Kernel,
    points: &[Point],
    branches: &[ElligatorBranch],
    numbers: &mut [Encoded],
    found: &mut [bool],
) {
    assert_eq!(points.len(), branches.len(), "each point has its branch");
    assert_eq!(points.len(), numbers.len(), "each point has its number");
    assert_eq!(points.len(), found.len(), "each point has its answer");
    on_lanes(kernel, Represent { points, branches, numbers, found });
}

/// Adds to each of `sums` its point of `points`.
///
/// # Panics
/// When the two differ in length.
pub fn add(kernel: Kernel, sums: &mut [Point], points: &[Point]) {
    assert_eq!(sums.len(), points.len(), "each sum has its point");
    on_lanes(kernel, Add::<false> { sums, points });
}

/// Takes from each of `differences` its point of `points`.
///
/// # Panics
/// When the two differ in length.
pub fn subtract(kernel: Kernel, differences: &mut [Point], points: &[Point]) {
    assert_eq!(differences.len(), points.len(), "each difference has its point");
    on_lanes(kernel, Add::<true> { sums: differences, points });
}

/// Replaces each point by its opposite.
pub fn negate(points: &mut [Point]) {
    for point in points {
        point.x = opposite(point.x);
        point.t = opposite(point.t);
    }
}

/// 4p − x, limb by limb.
fn opposite(x: Limbs) -> Limbs {
    std::array::from_fn(|k| 4 * P[k] - x[k])
}

/// Doubles each point.
pub fn double(kernel: Kernel, points: &mut [Point]) {
    on_lanes(kernel, Double(points));
}

/// Multiplies each point by its own scalar.
///
/// # Panics
/// When the two differ in length.
pub fn multiply(kernel: Kernel, scalars: &[Scalar], points: &mut [Point]) {
    assert_eq!(scalars.len(), points.len(), "each point has its scalar");
    on_lanes(kernel, Multiply { scalars: Scalars::Each(scalars), points });
}

/// Multiplies all points by the same scalar.
pub fn multiply_all(kernel: Kernel, scalar: &Scalar, points: &mut [Point]) {
    on_lanes(kernel, Multiply { scalars: Scalars::One(scalar), points });
}

/// For every run of `terms` pairs of a scalar and a point the sum of their products.
///
/// The doublings of a sum's products are shared, so that a term takes little more than a third of a
/// multiplication. Each sum has a lane: fewer sums than lanes take as long as all lanes.
///
/// # Panics
/// When scalars and points differ in number, or are not a multiple of `terms`, which is not 0.
#[must_use]
pub fn sums_of_products(
    kernel: Kernel,
    scalars: &[Scalar],
    points: &[Point],
    terms: usize,
) -> Vec<Point> {
    assert_eq!(scalars.len(), points.len(), "each point has its scalar");
    assert!(terms > 0 && points.len().is_multiple_of(terms), "every sum has all its terms");
    sums::sums_of_products(kernel, scalars, points, terms)
}

/// Which points are the neutral element.
#[must_use]
pub fn is_identity(kernel: Kernel, points: &[Point]) -> Vec<bool> {
    let mut answers = Vec::with_capacity(points.len());
    on_lanes(kernel, IsIdentity { points, answers: &mut answers });
    answers
}

/// Which points are the same element as their counterparts.
///
/// # Panics
/// When the two differ in length.
#[must_use]
pub fn equal(kernel: Kernel, points: &[Point], others: &[Point]) -> Vec<bool> {
    assert_eq!(points.len(), others.len(), "each point has its counterpart");
    let mut answers = Vec::with_capacity(points.len());
    on_lanes(kernel, Equal { points, others, answers: &mut answers });
    answers
}
