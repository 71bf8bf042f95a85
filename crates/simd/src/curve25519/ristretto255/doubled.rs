//! Encodings of doubled points, many with one inversion and no root.
//!
//! With the factors of a doubled point, x = E/G and y = H/F, where G = Y² − X², H = Y² + X² and E = 2·X·Y of the point. By
//! the curve's equation F² − H² = (a − d)·E² for a = −1, so that a root that section 4.3.2 of RFC 9496 takes is known:
//! 1/√(1 − y²) = F / (E·√(a − d)). Its encoding is then the one that is not negative of
//!
//! - ±(F − H) / (E·√(a − d)), if x·y is not negative, with −H for H if x is;
//! - ±(G − i·E) / H for i = √−1, if x·y is negative, with −E for E if i·y is.
//!
//! The neutral element has x·y = 0, which the inversion leaves out: it is encoded as 0.

use super::constants::{INVERSE_ROOT_OF_A_MINUS_D, ROOT_OF_MINUS_1, in_all_lanes};
use super::formulas::{self, Extended, Factors};
use super::{Encoded, Point};
use crate::curve25519::canonical::{self, absolute, canonical, negative};
use crate::curve25519::field::Field;
use crate::curve25519::powers::{self, multiply, products};
use crate::curve25519::words::Words;

/// Groups of lanes that share an inversion.
pub(super) const GROUPS: usize = 16;

/// Puts the encodings of twice the points of at most [`GROUPS`] groups of lanes into `encoded`, which are as many.
#[inline(always)]
pub(super) fn encode_doubled<F: Field>(f: F, points: &[Point], encoded: &mut [Encoded]) {
    let one = f.splat(1);
    let neutral = Factors { e: one, f: one, g: one, h: one };
    let (mut factors, mut inverses) = ([neutral; GROUPS], [one; GROUPS]);
    let mut left_out = [f.mask(0); GROUPS];
    let groups = points.len().div_ceil(F::LANES);
    for (index, group) in points.chunks(F::LANES).enumerate() {
        let point = Extended::load(f, group);
        factors[index] = formulas::double(f, point.projective(f));
        let [t, z] = t_and_z(f, factors[index]);
        let product = multiply(f, t, z);
        left_out[index] = f.words().odd(canonical::zero(f, product));
        inverses[index] = f.select(left_out[index], one, product);
    }
    powers::invert_all(f, &mut inverses[..groups], &mut [one; GROUPS][..groups]);
    for (index, group) in encoded.chunks_mut(F::LANES).enumerate() {
        let w = f.words();
        let inverse = f.select(left_out[index], f.splat(0), inverses[index]);
        let s = quotient(f, factors[index], inverse);
        canonical::put(w, &absolute(w, &canonical(f, s)), group);
    }
}

#[inline(always)]
fn t_and_z<F: Field>(f: F, factors: Factors<F>) -> [F::Element; 2] {
    products(f, [factors.e, factors.f], [factors.h, factors.g])
}

/// The encoding or its opposite, from 1/(T·Z).
#[inline(always)]
fn quotient<F: Field>(f: F, factors: Factors<F>, inverse: F::Element) -> F::Element {
    let root = in_all_lanes(f, ROOT_OF_MINUS_1);
    let [t, z] = t_and_z(f, factors);
    let [z_inverse, t_inverse] = products(f, [t, z], [inverse, inverse]);
    let [xy, ie, h_over_root] = products(
        f,
        [t, factors.e, factors.h],
        [z_inverse, root, in_all_lanes(f, INVERSE_ROOT_OF_A_MINUS_D)],
    );
    let rotate = negative(f, xy);
    let minuend = f.select(rotate, factors.g, factors.f);
    let subtrahend = f.select(rotate, ie, factors.h);
    // Over T: 1/E = H/T, and 1/H = E/T.
    let numerator = f.select(rotate, factors.e, h_over_root);
    let x = products(f, [f.select(rotate, factors.h, factors.e)], [minuend]);
    let [x, numerator] =
        products(f, [x[0], numerator], [f.select(rotate, root, f.splat(1)), t_inverse]);
    let change = negative(f, multiply(f, x, z_inverse));
    let difference = f.subtract(minuend, subtrahend);
    multiply(f, f.select(change, f.add(minuend, subtrahend), difference), numerator)
}
