//! Elligator 2 on Curve25519 (RFC 9380, section 6.7.1, Z = 2), u-coordinates only.
//!
//! With g(x) = x³ + Ax² + x, a number r goes to
//!
//! 1. x1 = −A / (1 + 2r²), if g(x1) is a square;
//! 2. −x1 − A otherwise.
//!
//! Nothing here is exceptional: 1 + 2r² is never 0, since −1/2 is no square (−1 is one and 2 is none for
//! p = 5 mod 8); g(x1) is never 0, since x1 is not and x² + Ax + 1 has no root.

use super::field::{self, Field};
use super::{GROUPS, Point, powers, symbol};

/// The curve's coefficient.
pub(super) const A: u64 = 486_662;

/// Groups of lanes side by side.
const CHAINS: usize = 3;

/// Maps at most [`GROUPS`] groups of lanes; `points` are as many.
#[inline(always)]
pub(super) fn map_all<F: Field>(f: F, uniform: &[[u8; 48]], points: &mut [Point]) {
    let one = f.splat(1);
    let mut inverses = [one; GROUPS];
    let groups = points.len().div_ceil(F::LANES);
    for (denominator, group) in inverses.iter_mut().zip(uniform.chunks(F::LANES)) {
        let [square] = f.square([f.load(&field::rows(group, field::wide_limbs))]);
        *denominator = f.add(f.carry(f.wide_add(square, square)), one);
    }
    powers::invert_all(f, &mut inverses[..groups], &mut [one; GROUPS][..groups]);
    let places = points.chunks_mut(CHAINS * F::LANES);
    for (inverses, points) in inverses[..groups].chunks(CHAINS).zip(places) {
        // A chain without elements works on the last ones again.
        let mut chains = [inverses[inverses.len() - 1]; CHAINS];
        chains[..inverses.len()].copy_from_slice(inverses);
        let images = map(f, chains);
        for (group, image) in points.chunks_mut(F::LANES).zip(images) {
            field::put(f, image, group);
        }
    }
}

/// The images of numbers r, given 1 / (1 + 2r²).
#[inline(always)]
fn map<F: Field>(f: F, inverses: [F::Element; CHAINS]) -> [F::Element; CHAINS] {
    let (a, one) = (f.splat(A), f.splat(1));
    // −x1
    let opposites = powers::products(f, [a; CHAINS], inverses);
    let mut first = opposites;
    let mut sums = opposites;
    for n in 0..CHAINS {
        first[n] = f.subtract(f.splat(0), opposites[n]);
        sums[n] = f.subtract(a, opposites[n]);
    }
    let mut equation = powers::products(f, sums, first);
    for value in &mut equation {
        *value = f.add(*value, one);
    }
    let values = powers::products(f, equation, first);
    let mut rows = [f.store(values[0]); CHAINS];
    for n in 1..CHAINS {
        rows[n] = f.store(values[n]);
    }
    let squares = symbol::squares(f.words(), &rows);
    let mut images = first;
    for n in 0..CHAINS {
        let second = f.subtract(opposites[n], a);
        images[n] = f.select(f.mask(squares[n]), first[n], second);
    }
    images
}
