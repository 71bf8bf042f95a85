//! The Montgomery ladder of RFC 7748, section 5, with one scalar and as many points as lanes.

use super::field::{self, Field};
use super::{GROUPS, Point, powers};

/// (A − 2)/4 for Curve25519.
const A24: u64 = 121_665;

/// A point as the sum and the difference of its projective coordinates X and Z, which is how the formulas take it.
struct Sums<F: Field> {
    sum: F::Element,
    difference: F::Element,
}

// Not derived, which would ask `F::Element` for more than it needs.
impl<F: Field> Clone for Sums<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field> Copy for Sums<F> {}

/// Multiplies at most [`GROUPS`] groups of lanes by a scalar; the neutral element becomes 0.
#[inline(always)]
pub(super) fn multiply_all<F: Field>(f: F, scalar: &[u8; 32], points: &mut [Point]) {
    let one = f.splat(1);
    let (mut x, mut z) = ([one; GROUPS], [one; GROUPS]);
    let groups = points.len().div_ceil(F::LANES);
    for (index, group) in points.chunks(F::LANES).enumerate() {
        let u = f.load(&field::rows(group, field::limbs));
        (x[index], z[index]) = multiply(f, scalar, u);
    }
    let (x, z) = (&mut x[..groups], &mut z[..groups]);
    let before = &mut [one; GROUPS][..groups];
    let mut product = powers::running_products(f, z, before);
    if zeros(f, product) != 0 {
        set_neutral_apart(f, x, z);
        product = powers::running_products(f, z, before);
    }
    powers::invert_with(f, product, z, before);
    for ((group, x), z) in points.chunks_mut(F::LANES).zip(x).zip(z) {
        field::put(f, powers::multiply(f, *x, *z), group);
    }
}

/// Makes X/Z of every neutral element, whose Z is 0, to 0/1. Only points of small order give one: a peer's fault.
#[inline(always)]
fn set_neutral_apart<F: Field>(f: F, x: &mut [F::Element], z: &mut [F::Element]) {
    for (x, z) in x.iter_mut().zip(z) {
        let neutral = f.mask(zeros(f, *z));
        *x = f.select(neutral, f.splat(0), *x);
        *z = f.select(neutral, f.splat(1), *z);
    }
}

/// Which lanes are 0, a bit each.
#[inline(always)]
fn zeros<F: Field>(f: F, element: F::Element) -> u8 {
    field::bits(f, element, |number| u8::from(*number == [0; 32]))
}

/// X and Z of the product of each lane's point with a scalar, clamped as RFC 7748 says: its bits 0 to 2 are taken for
/// 0, bit 254 for 1, bit 255 for 0. `scalar` is little-endian.
///
/// A step per bit doubles one of two points and adds them. Bit 254 is 1, so the first step has nothing to add; bits 2
/// to 0 are 0, so the last three only double. The swaps that the bits ask for fall on the input of the doubling alone,
/// since exchanging the points changes the sign of one term of the addition, which is squared.
#[inline(always)]
fn multiply<F: Field>(f: F, scalar: &[u8; 32], x: F::Element) -> (F::Element, F::Element) {
    let one = f.splat(1);
    let point = Sums { sum: f.add(x, one), difference: f.subtract(x, one) };
    let (x2, z2) = double(f, point);
    let (mut doubled, mut other) = (sums(f, x2, z2), point);
    let mut before = 1;
    for bit in (3..254).rev() {
        let now = scalar[bit / 8] >> (bit % 8) & 1;
        let swap = f.mask(0u8.wrapping_sub(now ^ before));
        before = now;
        (doubled, other) = step(f, swap, x, doubled, other);
    }
    let mut last = select(f, f.mask(0u8.wrapping_sub(before)), other, doubled);
    for _ in 0..2 {
        let (x, z) = double(f, last);
        last = sums(f, x, z);
    }
    let product = double(f, last);
    (f.carry(product.0), f.carry(product.1))
}

/// One step of the ladder: doubles `other` if `swap` says so, else `doubled`; and the sum of both, whose difference
/// has the coordinate `x`.
#[inline(always)]
fn step<F: Field>(
    f: F,
    swap: F::Mask,
    x: F::Element,
    doubled: Sums<F>,
    other: Sums<F>,
) -> (Sums<F>, Sums<F>) {
    let [da, cb] = f.multiply([other.difference, other.sum], [doubled.sum, doubled.difference]);
    let chosen = select(f, swap, other, doubled);
    let [aa, bb] = f.square([chosen.sum, chosen.difference]);
    let [sum, difference] =
        f.square([f.carry(f.wide_add(da, cb)), f.carry(f.wide_subtract(da, cb))]);
    let ([aa, e], [bb, g]) = factors(f, aa, bb);
    let [new_x, new_z, other_z] = f.multiply([aa, e, f.carry(difference)], [bb, g, x]);
    (sums(f, new_x, new_z), sums(f, sum, other_z))
}

/// X and Z of twice a point.
#[inline(always)]
fn double<F: Field>(f: F, point: Sums<F>) -> (F::Wide, F::Wide) {
    let [aa, bb] = f.square([point.sum, point.difference]);
    let (left, right) = factors(f, aa, bb);
    let [x, z] = f.multiply(left, right);
    (x, z)
}

/// The left and the right factors of X and Z of twice a point, from (X + Z)² and (X − Z)² of the point.
#[inline(always)]
fn factors<F: Field>(f: F, aa: F::Wide, bb: F::Wide) -> ([F::Element; 2], [F::Element; 2]) {
    let (aa, bb) = (f.carry(aa), f.carry(bb));
    let e = f.subtract(aa, bb);
    let g = f.carry(f.multiply_add(aa, e, A24));
    ([aa, e], [bb, g])
}

#[inline(always)]
fn sums<F: Field>(f: F, x: F::Wide, z: F::Wide) -> Sums<F> {
    Sums { sum: f.carry(f.wide_add(x, z)), difference: f.carry(f.wide_subtract(x, z)) }
}

#[inline(always)]
fn select<F: Field>(f: F, mask: F::Mask, yes: Sums<F>, no: Sums<F>) -> Sums<F> {
    Sums {
        sum: f.select(mask, yes.sum, no.sum),
        difference: f.select(mask, yes.difference, no.difference),
    }
}
