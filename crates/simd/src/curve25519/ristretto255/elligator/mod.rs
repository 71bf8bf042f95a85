//! Elligator 2 backwards, from points to numbers, with what makes the numbers uniform.
//!
//! The forward map (RFC 9380, section 6.7.1, Z = 2) takes r ≠ 0 to u = −A / (1 + 2r²) if that is on the curve, which is its
//! first branch, or to −A − (−A / (1 + 2r²)), its second; and 0 to the point u = 0 of order 2, by the second. So
//!
//! - of the first branch r² = −(u + A) / (2u);
//! - of the second r² = −u / (2(u + A)).
//!
//! Both are squares or neither is, for their product is 1/4; and a root of either goes to u, if u ≠ 0 is on the curve:
//! g(−u − A) = g(u) / (2r²) for r of the second branch, which is no square, as g(u) is one and 2 is not.
//!
//! With u = N/D for N = Z + Y and D = Z − Y of Edwards' coordinates, and S = N + A·D, the squares are −S/(2N) and −N/(2S).
//! No point is an exception: the neutral element has D = 0 and gives −1/2 twice, no square; u = 0 has N = 0 and gives
//! nothing in the first branch, 0 in the second; S is never 0, since −A is not on the curve.

#[cfg(test)]
mod tests;

use super::constants::{ORDER_8, ROOT_OF_MINUS_1, in_all_lanes};
use super::encoding::CHAINS;
use super::formulas::{
    self, Affine, Extended, carried_difference as difference, carried_sum as sum,
};
use super::map::root_ratios;
use super::{ElligatorBranch, Point};
use crate::curve25519::field::{self, Field};
use crate::curve25519::powers::{self, products_apart as products};
use crate::curve25519::{Work, elligator::A};

pub(super) struct Represent<'a> {
    pub(super) points: &'a [Point],
    pub(super) branches: &'a [ElligatorBranch],
    pub(super) numbers: &'a mut [[u8; 32]],
    pub(super) found: &'a mut [bool],
}

impl Work for Represent<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let Self { points, branches, numbers, found } = self;
        let most = CHAINS * F::LANES;
        let inputs = points.chunks(most).zip(branches.chunks(most));
        let outputs = numbers.chunks_mut(most).zip(found.chunks_mut(most));
        for ((points, branches), (numbers, found)) in inputs.zip(outputs) {
            represent(f, points, branches, numbers, found);
        }
    }
}

/// The numbers of at most [`CHAINS`] groups of lanes.
#[inline(always)]
fn represent<F: Field>(
    f: F,
    points: &[Point],
    branches: &[ElligatorBranch],
    numbers: &mut [[u8; 32]],
    found: &mut [bool],
) {
    let (zero, one) = (f.splat(0), f.splat(1));
    let (mut upper, mut lower) = ([zero; CHAINS], [one; CHAINS]);
    let groups = points.chunks(F::LANES).zip(branches.chunks(F::LANES));
    for (n, (points, branches)) in groups.clone().enumerate() {
        let [minus_s, minus_n] = opposites(f, Extended::load(f, points), branches);
        let second = mask(f, branches, ElligatorBranch::SECOND);
        let other = f.select(second, minus_s, minus_n);
        upper[n] = f.select(second, minus_n, minus_s);
        lower[n] = difference(f, zero, sum(f, other, other));
    }
    let (roots, squares) = root_ratios(f, upper, lower);
    let places = numbers.chunks_mut(F::LANES).zip(found.chunks_mut(F::LANES));
    for (n, ((_, branches), (numbers, found))) in groups.zip(places).enumerate() {
        let opposite = difference(f, zero, roots[n]);
        let root = f.select(mask(f, branches, ElligatorBranch::OPPOSITE), opposite, roots[n]);
        field::put(f, root, numbers);
        let ones = f.select(squares[n], one, zero);
        let bits = field::bits(f, ones, |number| number[0]);
        for (lane, found) in found.iter_mut().enumerate() {
            *found = bits >> lane & 1 == 1;
        }
    }
}

/// −S and −N of each point with the chosen multiple of a point of order 8 added.
///
/// With t such a point, 2·t is (±i, 0), and so adding 2·t takes (x, y) to ±(i·y, i·x), and adding 4·t to (−x, −y): only the
/// one bit needs an addition.
#[inline(always)]
fn opposites<F: Field>(f: F, point: Extended<F>, branches: &[ElligatorBranch]) -> [F::Element; 2] {
    let zero = f.splat(0);
    let odd = mask(f, branches, 1);
    let [x, y, t] = ORDER_8.map(|number| in_all_lanes(f, number));
    let (order_8, neutral) = (Affine::of(f, x, y, t), Affine::neutral(f));
    let mut entry = neutral;
    for (chosen, other) in entry.0.iter_mut().zip(order_8.0) {
        *chosen = f.select(odd, other, *chosen);
    }
    let shifted = formulas::add_affine(f, f.mask(0), point.left(f).running(f), entry).extended(f);
    let [ix] = products(f, [shifted.x], [in_all_lanes(f, ROOT_OF_MINUS_1)]);
    let y = f.select(mask(f, branches, 2), ix, shifted.y);
    let y = f.select(mask(f, branches, 4), difference(f, zero, y), y);
    let (n, d) = (sum(f, shifted.z, y), difference(f, shifted.z, y));
    let s = sum(f, n, powers::multiply(f, d, f.splat(A)));
    [difference(f, zero, s), difference(f, zero, n)]
}

/// In which lanes the branch has this bit.
#[inline(always)]
fn mask<F: Field>(f: F, branches: &[ElligatorBranch], bit: u8) -> F::Mask {
    let mut mask = 0;
    for (lane, branch) in branches.iter().enumerate() {
        mask |= u8::from(branch.0 & bit != 0) << lane;
    }
    f.mask(mask)
}
