//! Multiplication in the group and the way from an x-coordinate back to a point, for many values and one thread.
//!
//! The multiplication is the Diffie–Hellman function of aws-lc, which takes both coordinates of a point, checks them
//! against the curve and returns the x-coordinate of the product. It would find y by itself, in twice the time of the
//! roots here.

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::field::{Fe, root_candidates};
pub use super::sswu::map_batch;
use super::{B, ORDER, THREE, X};
use crate::lanes::Field;

/// A point in the uncompressed form of SEC 1: the byte 4, x, y, both big-endian.
pub type SecPoint = [u8; 65];

/// Exponentiations that run side by side.
pub(super) const LANES: usize = 2;

/// A secret scalar from 1 to n − 1, where n is the order of the group. Wiped when dropped.
pub struct Scalar(PrivateKey);

impl Scalar {
    /// The scalar of these big-endian bytes; `None` if they are 0 or at least n. Takes the same time for all that are
    /// in the range.
    ///
    /// # Panics
    /// When memory is exhausted.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        let key = || PrivateKey::from_private_key(&ECDH_P256, bytes).expect("1 to n − 1");
        is_in_range(bytes).then(|| Self(key()))
    }

    /// The x-coordinate of the product of the scalar and a point; `None` if the point is not on the curve.
    #[must_use]
    pub fn multiply(&self, point: &SecPoint) -> Option<X> {
        let point = UnparsedPublicKey::new(&ECDH_P256, point);
        agree(&self.0, point, (), |product| product.try_into().map_err(|_| ())).ok()
    }
}

/// Whether a big-endian number is one of 1 to n − 1.
fn is_in_range(bytes: &[u8; 32]) -> bool {
    let (mut any, mut borrow) = (0, 0);
    for (byte, order) in bytes.iter().zip(&ORDER).rev() {
        any |= byte;
        borrow = (i16::from(*byte) - i16::from(*order) + borrow) >> 8;
    }
    // Nothing but the two answers is branched on.
    (any.ct_ne(&0) & borrow.ct_eq(&-1)).into()
}

/// Puts the x-coordinates of the products of `points` and `scalar` into `products`.
///
/// # Panics
/// When the two differ in length, a point is not on the curve, or memory is exhausted.
pub fn multiply_batch(scalar: &Scalar, points: &[SecPoint], products: &mut [X]) {
    assert_eq!(points.len(), products.len(), "each point has its product");
    for (point, product) in points.iter().zip(products) {
        *product = scalar.multiply(point).expect("a point of the curve");
    }
}

/// Puts the points with these x-coordinates and an even y into `points`. The x-coordinates are public.
///
/// # Errors
/// With the place of the first that is not below p, or with which the curve has no point.
///
/// # Panics
/// When the two differ in length.
pub fn lift_batch(xs: &[X], points: &mut [SecPoint]) -> Result<(), usize> {
    assert_eq!(xs.len(), points.len(), "each coordinate has its point");
    let blocks = xs.chunks(LANES).zip(points.chunks_mut(LANES));
    for (block, (xs, points)) in blocks.enumerate() {
        lift_block(xs, points).map_err(|lane| block * LANES + lane)?;
    }
    Ok(())
}

fn lift_block(xs: &[X], points: &mut [SecPoint]) -> Result<(), usize> {
    let mut lanes = [Fe::ZERO; LANES];
    let mut below = 0;
    while let Some(x) = xs.get(below).and_then(Fe::from_canonical) {
        lanes[below] = x;
        below += 1;
    }
    let squares = lanes.map(curve_equation);
    let roots = root_candidates(squares);
    for (lane, point) in points.iter_mut().enumerate() {
        if lane >= below || !bool::from(roots[lane].square().ct_eq(&squares[lane])) {
            return Err(lane);
        }
        *point = sec_point(lanes[lane], even(roots[lane]));
    }
    Ok(())
}

/// Of y and −y the even one.
fn even(y: Fe) -> Fe {
    Fe::conditional_select(&y, &y.negate(), y.is_odd())
}

/// g(x) = x³ − 3x + B, the square of y.
pub(super) fn curve_equation(x: Fe) -> Fe {
    x.square().sub(THREE).mul(x).add(B)
}

pub(super) fn sec_point(x: Fe, y: Fe) -> SecPoint {
    let mut point = [4; 65];
    point[1..33].copy_from_slice(&x.to_bytes());
    point[33..].copy_from_slice(&y.to_bytes());
    point
}

#[cfg(test)]
mod tests {
    use p256::elliptic_curve::ops::Reduce;
    use p256::elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
    use p256::elliptic_curve::{Group, PrimeField};
    use p256::{AffinePoint, FieldBytes, ProjectivePoint, Sec1Point};

    use super::*;

    fn digest(index: u32) -> [u8; 32] {
        *blake3::hash(&index.to_le_bytes()).as_bytes()
    }

    /// A scalar of the other library, and ours.
    fn scalars(index: u32) -> (p256::Scalar, Scalar) {
        let theirs = <p256::Scalar as Reduce<FieldBytes>>::reduce(&FieldBytes::from(digest(index)));
        (theirs, Scalar::new(&theirs.to_repr().into()).expect("not 0"))
    }

    fn sec(point: ProjectivePoint) -> SecPoint {
        point.to_affine().to_sec1_point(false).as_bytes().try_into().expect("65 bytes")
    }

    fn x(point: &SecPoint) -> X {
        std::array::from_fn(|index| point[1 + index])
    }

    #[test]
    fn products_agree_with_another_library() {
        for index in 0..40 {
            let (k, key) = scalars(2 * index);
            let point = ProjectivePoint::generator() * scalars(2 * index + 1).0;
            let expected = x(&sec(point * k));
            assert_eq!(key.multiply(&sec(point)), Some(expected));
            assert_eq!(key.multiply(&sec(-point)), Some(expected));
        }
    }

    #[test]
    fn lifted_points_agree_with_another_library() {
        let xs: Vec<X> = (0..101)
            .map(|index| x(&sec(ProjectivePoint::generator() * scalars(index).0)))
            .collect();
        for length in [0, 1, 2, 101] {
            let mut points = vec![[0; 65]; length];
            assert_eq!(lift_batch(&xs[..length], &mut points), Ok(()));
            for (x, point) in xs.iter().zip(&points) {
                let even = Sec1Point::from_bytes([&[2], x.as_slice()].concat()).expect("a form");
                let even = AffinePoint::from_sec1_point(&even).expect("on the curve");
                assert_eq!(*point, sec(even.into()));
            }
        }
    }

    #[test]
    fn coordinates_off_the_curve_are_refused_as_another_library_refuses_them() {
        let mut refused = 0;
        for index in 0..200 {
            let x = digest(index);
            let form = Sec1Point::from_bytes([&[2], x.as_slice()].concat()).expect("a form");
            let on_the_curve = bool::from(AffinePoint::from_sec1_point(&form).is_some());
            assert_eq!(lift_batch(&[x], &mut [[0; 65]]).is_ok(), on_the_curve);
            refused += u32::from(!on_the_curve);
        }
        assert!((60..140).contains(&refused), "half of all numbers: {refused}");
    }

    #[test]
    fn a_point_off_the_curve_has_no_product() {
        let mut point = sec(ProjectivePoint::generator());
        point[64] ^= 1;
        assert_eq!(scalars(1).1.multiply(&point), None);
    }

    #[test]
    fn scalars_are_those_of_another_library() {
        let small = |last| std::array::from_fn(|at| if at == 31 { last } else { 0 });
        let near = |last| std::array::from_fn(|at| if at == 31 { last } else { ORDER[at] });
        let mut smaller_first = ORDER;
        (smaller_first[3], smaller_first[31]) = (0xfe, 0xff);
        let mut candidates: Vec<[u8; 32]> = (0..50).map(digest).collect();
        candidates.extend([0, 1, 2].map(small));
        candidates.extend([0x50, 0x51, 0x52, 0xff].map(near));
        candidates.extend([smaller_first, [0xff; 32]]);
        for bytes in candidates {
            let theirs = p256::NonZeroScalar::from_repr(bytes.into());
            assert_eq!(Scalar::new(&bytes).is_some(), bool::from(theirs.is_some()), "{bytes:?}");
        }
    }
}
