//! From uniform bytes to elements (RFC 9496, section 4.3.4): Elligator on each half, and the sum of both points.

use super::Point;
use super::constants::{
    D, ONE_MINUS_D_SQUARED, ROOT_OF_AD_MINUS_1, ROOT_OF_MINUS_1, SQUARE_OF_D_MINUS_1, in_all_lanes,
};
use super::formulas::{self, Factors, carried_difference, carried_sum};
use crate::curve25519::canonical::{positive, zero};
use crate::curve25519::field::{self, Field};
use crate::curve25519::powers::{self, products_apart as products, squares};
use crate::curve25519::words::Words;
use crate::vector::Vector;

/// The halves of what one element is made of.
const HALVES: usize = 2;

/// Puts the elements of a group of lanes into `points`, which are as many.
#[inline(always)]
pub(super) fn map<F: Field>(f: F, uniform: &[[u8; 64]], points: &mut [Point]) {
    // The highest bit of each half is ignored.
    let halves = [
        f.load(&field::rows(uniform, |bytes| field::limbs(half(bytes, 0)))),
        f.load(&field::rows(uniform, |bytes| field::limbs(half(bytes, 1)))),
    ];
    let [first, second] = elligator(f, halves);
    formulas::add(f, first.left(f), second.left(f).right(f)).extended(f).store(f, points);
}

fn half(bytes: &[u8; 64], index: usize) -> &[u8; 32] {
    bytes[32 * index..][..32].try_into().expect("32 bytes")
}

/// The points of numbers t, with the RFC's names: W0 to W3 are factors of X = W0·W3, Y = W2·W1, Z = W1·W3 and T = W0·W2.
#[inline(always)]
fn elligator<F: Field>(f: F, t: [F::Element; HALVES]) -> [Factors<F>; HALVES] {
    let (nought, one) = (f.splat(0), f.splat(1));
    let d = in_all_lanes(f, D);
    let r = products(f, squares(f, t, 1), [in_all_lanes(f, ROOT_OF_MINUS_1); HALVES]);
    let rd = products(f, r, [d; HALVES]);
    let (mut left, mut right, mut above) = (rd, r, r);
    for n in 0..HALVES {
        left[n] = carried_difference(f, nought, carried_sum(f, one, rd[n]));
        right[n] = carried_sum(f, r[n], d);
        above[n] = carried_sum(f, r[n], one);
    }
    let v = products(f, left, right);
    let u = products(f, above, [in_all_lanes(f, ONE_MINUS_D_SQUARED); HALVES]);
    let (mut s, found) = root_ratios(f, u, v);
    let others = products(f, s, t);
    let (mut c, mut below) = (r, r);
    for n in 0..HALVES {
        let other = carried_difference(f, nought, positive(f, others[n]));
        s[n] = f.select(found[n], s[n], other);
        c[n] = f.select(found[n], carried_difference(f, nought, one), r[n]);
        below[n] = carried_difference(f, r[n], one);
    }
    let below = products(f, below, [in_all_lanes(f, SQUARE_OF_D_MINUS_1); HALVES]);
    let mut n_t = products(f, c, below);
    for n in 0..HALVES {
        n_t[n] = carried_difference(f, n_t[n], v[n]);
    }
    let g = products(f, n_t, [in_all_lanes(f, ROOT_OF_AD_MINUS_1); HALVES]);
    let (half_e, ss) = (products(f, s, v), squares(f, s, 1));
    let mut factors = [Factors { e: one, f: one, g: one, h: one }; HALVES];
    for n in 0..HALVES {
        factors[n] = Factors {
            e: carried_sum(f, half_e[n], half_e[n]),
            f: carried_sum(f, one, ss[n]),
            g: g[n],
            h: carried_difference(f, one, ss[n]),
        };
    }
    factors
}

/// √(u/v), not negative, or √(i·u/v) where u/v is no square; and where it is one (SQRT_RATIO_M1 of section 4.2). 0 is one,
/// and nothing over 0 is, unless u is 0 too.
#[inline(always)]
pub(super) fn root_ratios<F: Field, const N: usize>(
    f: F,
    u: [F::Element; N],
    v: [F::Element; N],
) -> ([F::Element; N], [F::Mask; N]) {
    let w = f.words();
    let i = [in_all_lanes(f, ROOT_OF_MINUS_1); N];
    let v3 = products(f, squares(f, v, 1), v);
    let v7 = products(f, squares(f, v3, 1), v);
    let power = powers::powers_p58(f, products(f, u, v7));
    let mut roots = products(f, products(f, u, v3), power);
    let checks = products(f, v, squares(f, roots, 1));
    let (turned, iu) = (products(f, roots, i), products(f, u, i));
    let mut found = [f.mask(0); N];
    for n in 0..N {
        let opposite = zero(f, carried_sum(f, checks[n], u[n]));
        let turn = w.add(opposite, zero(f, carried_sum(f, checks[n], iu[n])));
        roots[n] = positive(f, f.select(w.odd(turn), turned[n], roots[n]));
        let same = zero(f, carried_difference(f, checks[n], u[n]));
        // Both where u is 0.
        let either = w.right::<1>(w.add(w.add(opposite, same), w.ints(1)));
        found[n] = w.odd(either);
    }
    (roots, found)
}
