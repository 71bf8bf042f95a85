//! Products whose y is that of the multiple itself, for protocols of others that send the sign of a point.

use subtle::ConstantTimeEq;
use veilset_simd::{Kernel, p256 as simd};
use zeroize::Zeroizing;

use super::field::root_candidates;
use super::kernel::{CHAINS, Point, Scalar, X, curve_equation, encoded, even, has_lanes};
use super::library::Multiplier;
use super::{B, Fe, THREE};
use crate::lanes::{Field, invert_all};

/// Points that share an inversion where no lanes do.
const BLOCK: usize = 128;

/// A secret scalar from 2 to n − 2: 1 and n − 1 hide nothing. Wiped when dropped.
pub struct SignedScalar {
    scalar: Scalar,
    /// The scalar and 1 for the library that multiplies where no lanes do: it gives x alone.
    next: Multiplier,
}

impl SignedScalar {
    /// The scalar of these big-endian bytes; `None` if they are out of range.
    ///
    /// # Panics
    /// When memory is exhausted.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        let mut next = Zeroizing::new(*bytes);
        let mut carry = 1;
        for byte in next.iter_mut().rev() {
            let sum = u16::from(*byte) + carry;
            [_, *byte] = sum.to_be_bytes();
            carry = sum >> 8;
        }
        let is_one = bytes[..31].iter().fold(bytes[31] ^ 1, |any, byte| any | byte) == 0;
        // Of n − 1 the next one is n.
        if is_one || Scalar::new(&next).is_none() {
            return None;
        }
        Some(Self { scalar: Scalar::new(bytes)?, next: Multiplier::new(&next) })
    }
}

/// Replaces each point by its product with `scalar`. The points are on the curve, and none of them neutral.
///
/// # Panics
/// When a point is not on the curve and the kernel has no lanes, or memory is exhausted.
pub fn multiply_signed_batch(kernel: Kernel, scalar: &SignedScalar, points: &mut [Point]) {
    if has_lanes(kernel) {
        return simd::multiply_signed(kernel, scalar.scalar.bytes(), points);
    }
    points.chunks_mut(BLOCK).for_each(|points| multiply_block(scalar, points));
}

/// Without lanes: k·P = (x1, y1) of P = (x, y) from the x-coordinates x1 of k·P and x2 of (k + 1)·P by
/// y1 = (2B + (x·x1 − 3)(x + x1) − x2·(x − x1)²) / 2y (Okeya and Sakurai, CHES 2001). No y is 0, since n is odd.
fn multiply_block(scalar: &SignedScalar, points: &mut [Point]) {
    let mut inverses = Zeroizing::new([Fe::ONE; BLOCK]);
    let mut scratch = Zeroizing::new([Fe::ONE; BLOCK]);
    let (inverses, scratch) = (&mut inverses[..points.len()], &mut scratch[..points.len()]);
    for (point, inverse) in points.iter().zip(&mut *inverses) {
        let [_, y] = coordinates(point);
        *inverse = y.add(y);
    }
    invert_all(inverses, scratch);
    for (point, inverse) in points.iter_mut().zip(&*inverses) {
        let product = |by: &Multiplier| Zeroizing::new(by.multiply(point).expect("on the curve"));
        let [x, _] = coordinates(point);
        let x1 = below_p(&product(scalar.scalar.library()));
        let x2 = below_p(&product(&scalar.next));
        let sum = x.mul(x1).sub(THREE).mul(x.add(x1)).add(B).add(B);
        *point = encoded(x1, sum.sub(x2.mul(x.sub(x1).square())).mul(*inverse));
    }
}

fn coordinates(point: &Point) -> [Fe; 2] {
    let (x, y) = point.split_at(32);
    [x, y].map(|bytes| below_p(bytes.try_into().expect("32 bytes")))
}

/// A coordinate of a point of the curve.
fn below_p(bytes: &X) -> Fe {
    Fe::from_canonical(bytes).expect("a coordinate")
}

/// Puts those of the points with these x-coordinates and an even y that there are into `points`, and whether there is one into
/// `lifted`. Takes the same time for all x-coordinates.
///
/// # Panics
/// When the three differ in length.
pub fn lift_each_batch(kernel: Kernel, xs: &[X], points: &mut [Point], lifted: &mut [bool]) {
    assert!(xs.len() == points.len() && xs.len() == lifted.len(), "each coordinate has its point");
    if has_lanes(kernel) {
        return simd::lift_each(kernel, xs, points, lifted);
    }
    let blocks = xs.chunks(CHAINS).zip(points.chunks_mut(CHAINS)).zip(lifted.chunks_mut(CHAINS));
    for ((xs, points), lifted) in blocks {
        let mut chains = Zeroizing::new([Fe::ZERO; CHAINS]);
        for ((chain, x), lifted) in chains.iter_mut().zip(xs).zip(&mut *lifted) {
            let below = Fe::from_canonical(x);
            *lifted = below.is_some();
            *chain = below.unwrap_or(Fe::ZERO);
        }
        let squares = Zeroizing::new(chains.map(curve_equation));
        let roots = Zeroizing::new(root_candidates(*squares));
        for (chain, (point, lifted)) in points.iter_mut().zip(lifted).enumerate() {
            *lifted &= is_root(roots[chain], squares[chain]);
            *point = encoded(chains[chain], even(roots[chain]));
        }
    }
}

fn is_root(root: Fe, square: Fe) -> bool {
    root.square().ct_eq(&square).into()
}

/// A big-endian number modulo p.
#[must_use]
pub fn reduce(wide: &[u8; 64]) -> X {
    Fe::from_wide(wide).to_bytes()
}

/// Replaces y by its opposite. The point is public and on the curve.
pub(super) fn negate(point: &mut Point) {
    let [x, y] = coordinates(point);
    *point = encoded(x, y.negate());
}

#[cfg(test)]
mod tests {
    use p256::elliptic_curve::ops::Reduce;
    use p256::elliptic_curve::sec1::ToSec1Point;
    use p256::elliptic_curve::{Group, PrimeField};
    use p256::{FieldBytes, ProjectivePoint};

    use super::*;
    use crate::p256::ORDER;

    fn scalar(index: u32) -> p256::Scalar {
        let bytes = FieldBytes::from(*blake3::hash(&index.to_le_bytes()).as_bytes());
        <p256::Scalar as Reduce<FieldBytes>>::reduce(&bytes)
    }

    fn point(point: ProjectivePoint) -> Point {
        point.to_affine().to_sec1_point(false).as_bytes()[1..].try_into().expect("64 bytes")
    }

    #[test]
    fn products_agree_with_another_library() {
        let small = (2..6_u64).flat_map(|n| [p256::Scalar::from(n), -p256::Scalar::from(n)]);
        for k in small.chain((0..20).map(scalar)) {
            let key = SignedScalar::new(&k.to_repr().into()).expect("in range");
            let factors: Vec<_> = (0..9)
                .map(|index| ProjectivePoint::generator() * scalar(50 + index))
                .flat_map(|factor| [factor, -factor])
                .collect();
            let expected: Vec<Point> = factors.iter().map(|factor| point(*factor * k)).collect();
            for kernel in Kernel::available() {
                let mut products: Vec<Point> =
                    factors.iter().map(|factor| point(*factor)).collect();
                multiply_signed_batch(kernel, &key, &mut products);
                assert_eq!(products, expected, "{kernel:?}");
            }
        }
    }

    #[test]
    fn kernels_lift_alike() {
        let mut xs: Vec<X> =
            (0..77_u32).map(|n| *blake3::hash(&n.to_le_bytes()).as_bytes()).collect();
        xs.push([0xff; 32]);
        let lift = |kernel| {
            let (mut points, mut lifted) = (vec![[0; 64]; xs.len()], vec![false; xs.len()]);
            lift_each_batch(kernel, &xs, &mut points, &mut lifted);
            let each = points.into_iter().zip(lifted);
            each.map(|(point, lifted)| lifted.then_some(point)).collect::<Vec<_>>()
        };
        let expected = lift(Kernel::Scalar);
        assert!((20..60).contains(&expected.iter().flatten().count()));
        Kernel::available().for_each(|kernel| assert_eq!(lift(kernel), expected));
    }

    #[test]
    fn scalars_that_hide_nothing_are_refused() {
        let near = |less: u8| {
            std::array::from_fn(|at| if at == 31 { ORDER[at] - less } else { ORDER[at] })
        };
        let small = |last| std::array::from_fn(|at| if at == 31 { last } else { 0 });
        let taken = [small(2), small(255), near(2), near(0x51), [0x80; 32]];
        let refused = [small(0), small(1), near(1), near(0), [0xff; 32]];
        assert!(taken.iter().all(|bytes| SignedScalar::new(bytes).is_some()));
        assert!(refused.iter().all(|bytes| SignedScalar::new(bytes).is_none()));
    }

    #[test]
    fn a_negated_point_is_the_opposite() {
        let factor = ProjectivePoint::generator() * scalar(7);
        let mut opposite = point(factor);
        negate(&mut opposite);
        assert_eq!(opposite, point(-factor));
    }
}
