//! Multiplication in the group and the way from an x-coordinate back to a point, for many values and one thread.
//!
//! With [`Kernel::Avx512Ifma`] all of it runs in lanes. Other kernels leave the multiplication to a library, whose Diffie–Hellman
//! function takes both coordinates of a point, checks them against the curve and returns the x-coordinate of the product. It would
//! find y by itself, in twice the time of the roots here.

use subtle::{ConditionallySelectable, ConstantTimeEq};
use veilset_simd::{Kernel, p256 as simd};
use zeroize::Zeroizing;

pub use veilset_simd::p256::{Point, X};

use super::field::{Fe, root_candidates};
use super::library::Multiplier;
pub use super::signed::{SignedScalar, lift_each_batch, multiply_signed_batch, reduce};
pub use super::sswu::map_batch;
use super::{B, ORDER, THREE};
use crate::lanes::Field;

/// Exponentiations that run side by side without lanes.
pub(super) const CHAINS: usize = 2;

/// Whether a kernel has lanes for this curve.
pub(super) fn has_lanes(kernel: Kernel) -> bool {
    kernel == Kernel::Avx512Ifma
}

/// A secret scalar from 1 to n − 1, where n is the order of the group. Wiped when dropped.
pub struct Scalar {
    bytes: Zeroizing<[u8; 32]>,
    /// The same for the library that multiplies where no lanes do.
    library: Multiplier,
}

impl Scalar {
    /// The scalar of these big-endian bytes; `None` if they are 0 or at least n. Takes the same time for all that are
    /// in the range.
    ///
    /// # Panics
    /// When memory is exhausted.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        is_in_range(bytes)
            .then(|| Self { bytes: Zeroizing::new(*bytes), library: Multiplier::new(bytes) })
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    pub(super) fn library(&self) -> &Multiplier {
        &self.library
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

/// Replaces each point by its product with ±`scalar`, of the two the one with an even y. The points are on the curve.
///
/// # Panics
/// When a point is not on the curve and the kernel has no lanes, or memory is exhausted.
pub fn multiply_batch(kernel: Kernel, scalar: &Scalar, points: &mut [Point]) {
    if has_lanes(kernel) {
        return simd::multiply(kernel, &scalar.bytes, points);
    }
    let mut xs = vec![[0; 32]; points.len()];
    multiply_to_x_batch(kernel, scalar, points, &mut xs);
    lift_batch(kernel, &xs, points).expect("products are points of the curve");
}

/// Puts the x-coordinates of the products of `points` and `scalar` into `products`; what is left of the points is wiped by
/// the caller.
///
/// # Panics
/// As [`multiply_batch`], and when the two differ in length.
pub fn multiply_to_x_batch(
    kernel: Kernel,
    scalar: &Scalar,
    points: &mut [Point],
    products: &mut [X],
) {
    assert_eq!(points.len(), products.len(), "each point has its product");
    if has_lanes(kernel) {
        simd::multiply(kernel, &scalar.bytes, points);
        for (point, product) in points.iter().zip(products) {
            product.copy_from_slice(&point[..32]);
        }
        return;
    }
    for (point, product) in points.iter().zip(products) {
        *product = scalar.library.multiply(point).expect("a point of the curve");
    }
}

/// Puts the points with these x-coordinates and an even y into `points`. The x-coordinates are public.
///
/// # Errors
/// With the place of the first that is not below p, or with which the curve has no point.
///
/// # Panics
/// When the two differ in length.
pub fn lift_batch(kernel: Kernel, xs: &[X], points: &mut [Point]) -> Result<(), usize> {
    assert_eq!(xs.len(), points.len(), "each coordinate has its point");
    if has_lanes(kernel) {
        return simd::lift(kernel, xs, points);
    }
    let blocks = xs.chunks(CHAINS).zip(points.chunks_mut(CHAINS));
    for (block, (xs, points)) in blocks.enumerate() {
        lift_block(xs, points).map_err(|chain| block * CHAINS + chain)?;
    }
    Ok(())
}

fn lift_block(xs: &[X], points: &mut [Point]) -> Result<(), usize> {
    let mut chains = [Fe::ZERO; CHAINS];
    let mut below = 0;
    while let Some(x) = xs.get(below).and_then(Fe::from_canonical) {
        chains[below] = x;
        below += 1;
    }
    let squares = chains.map(curve_equation);
    let roots = root_candidates(squares);
    for (chain, point) in points.iter_mut().enumerate() {
        if chain >= below || !bool::from(roots[chain].square().ct_eq(&squares[chain])) {
            return Err(chain);
        }
        *point = encoded(chains[chain], even(roots[chain]));
    }
    Ok(())
}

/// Whether all points are on the curve and have an even y. They are public.
///
/// # Errors
/// With the place of the first that does not, or a coordinate of which is not below p.
pub fn check_batch(kernel: Kernel, points: &[Point]) -> Result<(), usize> {
    if has_lanes(kernel) {
        return simd::check(kernel, points);
    }
    points.iter().position(|point| !is_valid(point)).map_or(Ok(()), Err)
}

fn is_valid(point: &Point) -> bool {
    let coordinate = |start| Fe::from_canonical(&std::array::from_fn(|index| point[start + index]));
    let (Some(x), Some(y)) = (coordinate(0), coordinate(32)) else { return false };
    (y.square().ct_eq(&curve_equation(x)) & !y.is_odd()).into()
}

/// Of y and −y the even one.
pub(super) fn even(y: Fe) -> Fe {
    Fe::conditional_select(&y, &y.negate(), y.is_odd())
}

/// g(x) = x³ − 3x + B, the square of y.
pub(super) fn curve_equation(x: Fe) -> Fe {
    x.square().sub(THREE).mul(x).add(B)
}

pub(super) fn encoded(x: Fe, y: Fe) -> Point {
    let mut point = [0; 64];
    point[..32].copy_from_slice(&x.to_bytes());
    point[32..].copy_from_slice(&y.to_bytes());
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

    fn point(point: ProjectivePoint) -> Point {
        point.to_affine().to_sec1_point(false).as_bytes()[1..].try_into().expect("64 bytes")
    }

    fn x(point: &Point) -> X {
        std::array::from_fn(|index| point[index])
    }

    /// The point with this x-coordinate and an even y.
    fn even_point(x: &X) -> Option<Point> {
        let form = Sec1Point::from_bytes([&[2], x.as_slice()].concat()).expect("a form");
        AffinePoint::from_sec1_point(&form).into_option().map(|even| point(even.into()))
    }

    #[test]
    fn products_agree_with_another_library() {
        for index in 0..40 {
            let (k, key) = scalars(2 * index);
            let factor = ProjectivePoint::generator() * scalars(2 * index + 1).0;
            let expected = x(&point(factor * k));
            for kernel in Kernel::available() {
                let mut points = [factor, -factor].map(point);
                let mut xs = [[0; 32]; 2];
                multiply_to_x_batch(kernel, &key, &mut points, &mut xs);
                assert_eq!(xs, [expected; 2], "{kernel:?}");
                let mut points = [factor, -factor].map(point);
                multiply_batch(kernel, &key, &mut points);
                assert_eq!(points.map(Some), [even_point(&expected); 2], "{kernel:?}");
            }
        }
    }

    #[test]
    fn lifted_points_agree_with_another_library() {
        let xs: Vec<X> = (0..101)
            .map(|index| x(&point(ProjectivePoint::generator() * scalars(index).0)))
            .collect();
        for (kernel, length) in Kernel::available().flat_map(|k| [0, 1, 2, 101].map(|n| (k, n))) {
            let mut points = vec![[0; 64]; length];
            assert_eq!(lift_batch(kernel, &xs[..length], &mut points), Ok(()));
            assert_eq!(check_batch(kernel, &points), Ok(()));
            for (x, point) in xs.iter().zip(&points) {
                assert_eq!(Some(*point), even_point(x));
            }
        }
    }

    #[test]
    fn coordinates_off_the_curve_are_refused_as_another_library_refuses_them() {
        let mut refused = 0;
        for index in 0..200 {
            let x = digest(index);
            let on_the_curve = even_point(&x).is_some();
            for kernel in Kernel::available() {
                assert_eq!(lift_batch(kernel, &[x], &mut [[0; 64]]).is_ok(), on_the_curve);
            }
            refused += u32::from(!on_the_curve);
        }
        assert!((60..140).contains(&refused), "half of all numbers: {refused}");
    }

    #[test]
    fn a_point_off_the_curve_has_no_product() {
        let mut point = point(ProjectivePoint::generator());
        point[63] ^= 1;
        assert_eq!(scalars(1).1.library.multiply(&point), None);
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
