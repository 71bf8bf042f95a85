//! Points in projective coordinates, a point in each lane.

use super::curve::B;
use super::field::{Element, Wide, carry, difference, montgomery, multiply, reduce, splat, square};
use super::lanes::{Lanes, Subroutine};

/// The coordinates x and y.
pub(super) type Affine<L> = [Element<L>; 2];

/// Jacobian coordinates: x = X/Z², y = Y/Z³.
pub(super) struct Jacobian<L: Lanes> {
    pub(super) x: Element<L>,
    pub(super) y: Element<L>,
    pub(super) z: Element<L>,
}

// Not derived, which would ask more of `L`.
impl<L: Lanes> Clone for Jacobian<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lanes> Copy for Jacobian<L> {}

/// Homogeneous coordinates: x = X/Z, y = Y/Z.
pub(super) struct Homogeneous<L: Lanes> {
    pub(super) x: Element<L>,
    pub(super) y: Element<L>,
    pub(super) z: Element<L>,
}

/// Groups of lanes that go through doublings and additions side by side, for each alone waits on its own sums.
pub(super) const SIDES: usize = 2;

/// 2^`times`·P of each P.
#[inline(always)]
pub(super) fn double<L: Lanes>(l: L, points: &mut [Jacobian<L>; SIDES], times: u32) {
    l.apart(Double { points, times });
}

/// P + Q for points with P ≠ ±Q, none of them neutral.
#[inline(always)]
pub(super) fn add<L: Lanes>(l: L, points: &mut [Jacobian<L>; SIDES], others: &[Affine<L>; SIDES]) {
    l.apart(Add { points, others });
}

/// P + Q for any P, and any Q but the neutral one.
#[inline(always)]
pub(super) fn add_any<L: Lanes>(l: L, point: &Jacobian<L>, other: &Affine<L>) -> Homogeneous<L> {
    l.apart(AddAny { point, other })
}

struct Double<'a, L: Lanes> {
    points: &'a mut [Jacobian<L>; SIDES],
    times: u32,
}

/// Hankerson, Menezes and Vanstone, "Guide to Elliptic Curve Cryptography", algorithm 3.21: four products, four squares.
impl<L: Lanes> Subroutine<L> for Double<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self, l: L) {
        for _ in 0..self.times {
            let zero = [l.splat(0); 5];
            let mut gammas = [zero; SIDES];
            let mut less = [zero; SIDES];
            let mut more = [zero; SIDES];
            for (n, point) in self.points.iter().enumerate() {
                let [delta, gamma] = square(l, [point.z, point.y]);
                gammas[n] = carry(l, gamma);
                less[n] = reduce(l, Wide::of(point.x).minus(l, delta));
                more[n] = carry(l, Wide::of(point.x).plus(l, delta));
            }
            let mut betas = [Wide::of(zero); SIDES];
            let mut alphas = [zero; SIDES];
            for (n, point) in self.points.iter().enumerate() {
                let [beta, third] = multiply(l, [point.x, less[n]], [gammas[n], more[n]]);
                betas[n] = beta;
                alphas[n] = carry(l, third.plus(l, third.times::<1>(l)));
            }
            let mut fourths = [Wide::of(zero); SIDES];
            let mut rests = [zero; SIDES];
            for (n, point) in self.points.iter_mut().enumerate() {
                let [square, fourth] = square(l, [alphas[n], gammas[n]]);
                fourths[n] = fourth.times::<3>(l);
                point.x = reduce(l, square.minus(l, betas[n].times::<3>(l)));
                rests[n] = reduce(l, betas[n].times::<2>(l).minus(l, Wide::of(point.x)));
            }
            for (n, point) in self.points.iter_mut().enumerate() {
                let [slope, half] = multiply(l, [alphas[n], point.y], [rests[n], point.z]);
                point.y = reduce(l, slope.minus(l, fourths[n]));
                point.z = carry(l, half.times::<1>(l));
            }
        }
    }
}

struct Add<'a, L: Lanes> {
    points: &'a mut [Jacobian<L>; SIDES],
    others: &'a [Affine<L>; SIDES],
}

/// The same book, algorithm 3.22: eight products, three squares.
impl<L: Lanes> Subroutine<L> for Add<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self, l: L) {
        let zero = [l.splat(0); 5];
        let (points, others) = (self.points, self.others);
        let mut zzs = [zero; SIDES];
        let squares = square(l, [points[0].z, points[1].z]);
        for (zz, square) in zzs.iter_mut().zip(squares) {
            *zz = carry(l, square);
        }
        let (mut hs, mut zzzs) = ([zero; SIDES], [zero; SIDES]);
        for (n, point) in points.iter().enumerate() {
            let [u, zzz] = multiply(l, [others[n][0], point.z], [zzs[n], zzs[n]]);
            hs[n] = reduce(l, u.minus(l, Wide::of(point.x)));
            zzzs[n] = carry(l, zzz);
        }
        let mut rs = [zero; SIDES];
        for (n, point) in points.iter_mut().enumerate() {
            let [s, z] = multiply(l, [others[n][1], point.z], [zzzs[n], hs[n]]);
            rs[n] = reduce(l, s.minus(l, Wide::of(point.y)));
            point.z = carry(l, z);
        }
        let (mut hhs, mut rrs) = ([zero; SIDES], [Wide::of(zero); SIDES]);
        for n in 0..SIDES {
            let [hh, rr] = square(l, [hs[n], rs[n]]);
            (hhs[n], rrs[n]) = (carry(l, hh), rr);
        }
        let (mut hhhs, mut rests) = ([zero; SIDES], [zero; SIDES]);
        for (n, point) in points.iter_mut().enumerate() {
            let [hhh, v] = multiply(l, [hs[n], point.x], [hhs[n], hhs[n]]);
            hhhs[n] = carry(l, hhh);
            point.x = reduce(l, rrs[n].minus(l, hhh).minus(l, v.times::<1>(l)));
            rests[n] = reduce(l, v.minus(l, Wide::of(point.x)));
        }
        for (n, point) in points.iter_mut().enumerate() {
            let [slope, last] = multiply(l, [rs[n], point.y], [rests[n], hhhs[n]]);
            point.y = reduce(l, slope.minus(l, last));
        }
    }
}

struct AddAny<'a, L: Lanes> {
    point: &'a Jacobian<L>,
    other: &'a Affine<L>,
}

/// Renes, Costello and Batina, "Complete addition formulas for prime order elliptic curves", algorithm 5.
impl<L: Lanes> Subroutine<L> for AddAny<'_, L> {
    type Output = Homogeneous<L>;

    #[inline(always)]
    fn run(self, l: L) -> Homogeneous<L> {
        let sum = |a: Element<L>, b: Wide<L>| reduce(l, Wide::of(a).plus(l, b));
        let thrice = |a: Element<L>| Wide::of(a).plus(l, Wide::of(a).times::<1>(l));
        let b = splat(l, &const { montgomery(B) });
        let [x2, y2] = *self.other;
        let Jacobian { x, y: y1, z } = *self.point;
        let [x1, zz] = multiply(l, [x, z], [z, z]);
        let [z1] = multiply(l, [z], [carry(l, zz)]);
        let (x1, z1) = (carry(l, x1), carry(l, z1));
        let [xx, yy] = multiply(l, [x1, y1], [x2, y2]);
        let [both] = multiply(l, [sum(x2, Wide::of(y2))], [sum(x1, Wide::of(y1))]);
        // x1·y2 + x2·y1, y1 + y2·z1 and x1 + x2·z1.
        let xy = reduce(l, both.minus(l, xx).minus(l, yy));
        let [yz, xz] = multiply(l, [y2, x2], [z1, z1]);
        let (yz, xz) = (sum(y1, yz), sum(x1, xz));
        let [bz, bxz] = multiply(l, [b, b], [z1, xz]);
        let part = reduce(l, thrice(reduce(l, Wide::of(xz).minus(l, bz))));
        let (less, more) = (reduce(l, yy.minus(l, Wide::of(part))), sum(part, yy));
        let rest = bxz.minus(l, xx).minus(l, thrice(z1));
        let rest = reduce(l, thrice(reduce(l, rest)));
        let slope = reduce(l, thrice(difference(l, carry(l, xx), z1)));
        let [y3, to_y] = multiply(l, [more, slope], [less, rest]);
        let [x3, from_x] = multiply(l, [xy, yz], [more, rest]);
        let [z3, to_z] = multiply(l, [yz, xy], [less, slope]);
        Homogeneous {
            x: reduce(l, x3.minus(l, from_x)),
            y: reduce(l, y3.plus(l, to_y)),
            z: reduce(l, z3.plus(l, to_z)),
        }
    }
}
