//! Encodings (RFC 9496, section 4.3), several groups of lanes side by side, for each root alone waits on its own squares.

use super::constants::{D, INVERSE_ROOT_OF_A_MINUS_D, ROOT_OF_MINUS_1, in_all_lanes};
use super::formulas::{Extended, carried_difference, carried_sum};
use super::{Encoded, Point};
use crate::curve25519::canonical::{self, absolute, canonical, equals, negative, positive};
use crate::curve25519::field::{self, Field, Int, Limbs, P};
use crate::curve25519::powers::{self, products_apart as products, squares};
use crate::curve25519::words::Words;
use crate::vector::Vector;

/// Groups of lanes side by side.
pub(super) const CHAINS: usize = 3;

const ONE: Limbs = [1, 0, 0, 0, 0];

/// Puts the points of at most [`CHAINS`] groups of lanes into `points`, which are as many, and says which are refused, a
/// bit each (section 4.3.1).
#[inline(always)]
pub(super) fn decode<F: Field>(f: F, encoded: &[Encoded], points: &mut [Point]) -> [u8; CHAINS] {
    let (w, one) = (f.words(), f.splat(1));
    let mut refused = [w.ints(0); CHAINS];
    let mut s = [f.splat(0); CHAINS];
    for (n, group) in encoded.chunks(F::LANES).enumerate() {
        let rows = field::rows(group, field::limbs);
        s[n] = f.load(&rows);
        refused[n] = not_canonical(w, &rows, group);
    }
    let ss = squares(f, s, 1);
    let (mut u1, mut u2) = (ss, ss);
    for n in 0..CHAINS {
        u1[n] = carried_difference(f, one, ss[n]);
        u2[n] = carried_sum(f, one, ss[n]);
    }
    let (u1_squared, u2_squared) = (squares(f, u1, 1), squares(f, u2, 1));
    let du1 = products(f, u1_squared, [in_all_lanes(f, D); CHAINS]);
    let mut v = du1;
    for n in 0..CHAINS {
        let minus = carried_sum(f, du1[n], u2_squared[n]);
        v[n] = carried_difference(f, f.splat(0), minus);
    }
    let (roots, found) = inverse_roots(f, products(f, v, u2_squared));
    let den_x = products(f, roots, u2);
    let den_y = products(f, products(f, roots, den_x), v);
    let x = products(f, s, den_x);
    let y = products(f, u1, den_y);
    let mut twice = x;
    for n in 0..CHAINS {
        twice[n] = positive(f, carried_sum(f, x[n], x[n]));
    }
    let t = products(f, twice, y);
    let mut masks = [0; CHAINS];
    for (n, group) in points.chunks_mut(F::LANES).enumerate() {
        Extended { x: twice[n], y: y[n], z: one, t: t[n] }.store(f, group);
        let odd = w.and(canonical(f, t[n])[0], w.ints(1));
        let refused = w.add(w.add(refused[n], odd), canonical::zero(f, y[n]));
        masks[n] = nonzero(w, w.add(refused, w.xor(found[n], w.ints(1))));
    }
    masks
}

/// Counts what is wrong with each as the number of a field element that is not negative.
#[inline(always)]
fn not_canonical<W: Words>(w: W, rows: &field::Rows, group: &[Encoded]) -> W::Int {
    let mut top_bits = [0; crate::vector::MOST_LANES];
    for (bit, encoded) in top_bits.iter_mut().zip(group) {
        *bit = u64::from(encoded[31] >> 7);
    }
    let limbs = canonical::load(w, rows);
    let changed = w.xor(canonical::same(w, &limbs, &canonical::reduce(w, rows)), w.ints(1));
    w.add(w.add(changed, w.and(limbs[0], w.ints(1))), w.load(&top_bits))
}

/// Puts the encodings of at most [`CHAINS`] groups of lanes into `encoded`, which are as many (section 4.3.2).
#[inline(always)]
pub(super) fn encode<F: Field>(f: F, points: &[Point], encoded: &mut [Encoded]) {
    let zero = f.splat(0);
    let (mut x, mut y, mut z, mut t) =
        ([zero; CHAINS], [zero; CHAINS], [zero; CHAINS], [zero; CHAINS]);
    for (n, group) in points.chunks(F::LANES).enumerate() {
        let point = Extended::load(f, group);
        (x[n], y[n], z[n], t[n]) = (point.x, point.y, point.z, point.t);
    }
    let (mut sum, mut difference) = (z, z);
    for n in 0..CHAINS {
        sum[n] = carried_sum(f, z[n], y[n]);
        difference[n] = f.subtract(z[n], y[n]);
    }
    let u1 = products(f, sum, difference);
    let u2 = products(f, x, y);
    let (roots, _) = inverse_roots(f, products(f, u1, squares(f, u2, 1)));
    let den1 = products(f, roots, u1);
    let den2 = products(f, roots, u2);
    let z_inverse = products(f, products(f, den1, den2), t);
    let root = [in_all_lanes(f, ROOT_OF_MINUS_1); CHAINS];
    let (ix, iy) = (products(f, x, root), products(f, y, root));
    let enchanted = products(f, den1, [in_all_lanes(f, INVERSE_ROOT_OF_A_MINUS_D); CHAINS]);
    let tz = products(f, t, z_inverse);
    let mut den_inverse = den2;
    for n in 0..CHAINS {
        let rotate = negative(f, tz[n]);
        x[n] = f.select(rotate, iy[n], x[n]);
        y[n] = f.select(rotate, ix[n], y[n]);
        den_inverse[n] = f.select(rotate, enchanted[n], den2[n]);
    }
    let xz = products(f, x, z_inverse);
    for n in 0..CHAINS {
        let minus = f.subtract(z[n], y[n]);
        let plus = f.add(z[n], y[n]);
        difference[n] = f.select(negative(f, xz[n]), plus, minus);
    }
    let s = products(f, den_inverse, difference);
    for (s, group) in s.iter().zip(encoded.chunks_mut(F::LANES)) {
        let w = f.words();
        canonical::put(w, &absolute(w, &canonical(f, *s)), group);
    }
}

/// 1 / √v, of either sign, for every v that is a square, 0 for 0; and whether it is a square other than 0 (section 4.2, for
/// u = 1).
#[inline(always)]
fn inverse_roots<F: Field>(
    f: F,
    v: [F::Element; CHAINS],
) -> ([F::Element; CHAINS], [Int<F>; CHAINS]) {
    let w = f.words();
    let v3 = products(f, squares(f, v, 1), v);
    let v7 = products(f, squares(f, v3, 1), v);
    let mut roots = products(f, v3, powers::powers_p58(f, v7));
    let checks = products(f, v, squares(f, roots, 1));
    let turned = products(f, roots, [in_all_lanes(f, ROOT_OF_MINUS_1); CHAINS]);
    let mut found = [w.ints(0); CHAINS];
    for n in 0..CHAINS {
        let check = canonical(f, checks[n]);
        let opposite = equals(w, &check, MINUS_ONE);
        roots[n] = f.select(w.odd(opposite), turned[n], roots[n]);
        found[n] = w.add(opposite, equals(w, &check, ONE));
    }
    (roots, found)
}

/// −1
const MINUS_ONE: Limbs = [P[0] - 1, P[1], P[2], P[3], P[4]];

/// Which of some counts are not 0, a bit each.
#[inline(always)]
fn nonzero<W: Words>(w: W, counts: W::Int) -> u8 {
    let mut mask = 0;
    for (lane, count) in w.array(counts)[..W::LANES].iter().enumerate() {
        mask |= u8::from(*count != 0) << lane;
    }
    mask
}
