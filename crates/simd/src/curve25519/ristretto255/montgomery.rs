//! Points as u-coordinates of Montgomery's form: u = (Z + Y) / (Z − Y) (RFC 7748, section 4.1).

use super::constants::{D, in_all_lanes};
use super::doubled::GROUPS;
use super::formulas::{Extended, carried_difference as difference, carried_sum as sum};
use super::map::root_ratios;
use super::{Encoded, Point};
use crate::curve25519::Work;
use crate::curve25519::canonical;
use crate::curve25519::field::{self, Field};
use crate::curve25519::powers::{self, products};
use crate::curve25519::words::Words;

/// A point with this u-coordinate, if one is on the curve.
pub(super) struct Lift<'a> {
    pub(super) u: &'a Encoded,
    pub(super) point: &'a mut Option<Point>,
}

impl Work for Lift<'_> {
    /// With y = (u − 1) / (u + 1), the curve's equation is x² = −4u / (d·(u − 1)² + (u + 1)²). The numbers u = −1 and those
    /// of the twist give no square, and the denominator is 0 for none, as −d is no square.
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let (zero, one) = (f.splat(0), f.splat(1));
        let u = f.load(&field::rows(&[*self.u], field::limbs));
        let (y, z) = (difference(f, u, one), sum(f, u, one));
        let [yy, zz] = products(f, [y, z], [y, z]);
        let [dyy, four_u] = products(f, [yy, u], [in_all_lanes(f, D), f.splat(4)]);
        let ([x], [found]) = root_ratios(f, [difference(f, zero, four_u)], [sum(f, dyy, zz)]);
        let [xz, xy] = products(f, [x, x], [z, y]);
        let mut points = [Point::IDENTITY];
        Extended { x: xz, y, z, t: xy }.store(f, &mut points);
        let ones = f.select(found, one, zero);
        let [point] = points;
        *self.point = (field::bits(f, ones, |number| number[0]) & 1 == 1).then_some(point);
    }
}

pub(super) struct UCoordinates<'a> {
    pub(super) points: &'a [Point],
    pub(super) u: &'a mut [Encoded],
}

impl Work for UCoordinates<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = GROUPS * F::LANES;
        for (points, u) in self.points.chunks(most).zip(self.u.chunks_mut(most)) {
            u_coordinates(f, points, u);
        }
    }
}

/// The u-coordinates of at most [`GROUPS`] groups of lanes, with one inversion.
#[inline(always)]
fn u_coordinates<F: Field>(f: F, points: &[Point], u: &mut [Encoded]) {
    let one = f.splat(1);
    let (mut upper, mut inverses) = ([one; GROUPS], [one; GROUPS]);
    let mut left_out = [f.mask(0); GROUPS];
    let groups = points.len().div_ceil(F::LANES);
    for (index, group) in points.chunks(F::LANES).enumerate() {
        let y = f.load(&field::rows(group, |point| point.y));
        let z = f.load(&field::rows(group, |point| point.z));
        let lower = difference(f, z, y);
        upper[index] = sum(f, z, y);
        left_out[index] = f.words().odd(canonical::zero(f, lower));
        inverses[index] = f.select(left_out[index], one, lower);
    }
    powers::invert_all(f, &mut inverses[..groups], &mut [one; GROUPS][..groups]);
    for (index, group) in u.chunks_mut(F::LANES).enumerate() {
        let inverse = f.select(left_out[index], f.splat(0), inverses[index]);
        field::put(f, powers::multiply(f, upper[index], inverse), group);
    }
}
