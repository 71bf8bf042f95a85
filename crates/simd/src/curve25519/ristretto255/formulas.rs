//! Addition and doubling on the twisted Edwards curve −x² + y² = 1 + d·x²·y² (Hisil, Wong, Carter and Dawson, Asiacrypt
//! 2008, sections 3.1 and 3.3), a point in each lane.
//!
//! A point is (X : Y : Z : T) with x = X/Z, y = Y/Z and x·y = T/Z. Both formulas give factors E, F, G, H with X = E·F,
//! Y = G·H, Z = F·G and T = E·H; what of these products is formed, and which sums of them, depends on what comes next.
//! So sums and differences are formed before the carries, and no product is carried that is not a factor itself. Since d is
//! not a square and −1 is one, there are no exceptions.
//!
//! E, F, G and H are sums and differences of at most four products, of which the one taken off is a sum of at most two, as
//! [`Field`] allows; so are the sums of X, Y and Z.

use super::Point;
use super::constants::{TWICE_D, in_all_lanes};
use crate::curve25519::field::{self, Field};
use crate::curve25519::powers;

/// A point.
#[derive(Clone, Copy)]
pub(super) struct Extended<F: Field> {
    pub(super) x: F::Element,
    pub(super) y: F::Element,
    pub(super) z: F::Element,
    pub(super) t: F::Element,
}

/// What a doubling takes.
#[derive(Clone, Copy)]
pub(super) struct Projective<F: Field> {
    x: F::Element,
    y: F::Element,
    z: F::Element,
    /// X + Y
    sum: F::Element,
}

/// What an addition takes on the left.
#[derive(Clone, Copy)]
pub(super) struct Left<F: Field> {
    /// Y + X
    plus: F::Element,
    /// Y − X
    minus: F::Element,
    pub(super) z: F::Element,
    t: F::Element,
}

/// What an addition takes on the right: Y + X, Y − X, 2·Z and 2·d·T.
#[derive(Clone, Copy)]
pub(super) struct Right<F: Field>(pub(super) [F::Element; 4]);

/// What additions of affine points take on the left and give.
#[derive(Clone, Copy)]
pub(super) struct Running<F: Field> {
    plus: F::Element,
    minus: F::Element,
    z: F::Wide,
    t: F::Element,
}

/// What such an addition takes on the right: y + x, y − x and 2·d·x·y.
#[derive(Clone, Copy)]
pub(super) struct Affine<F: Field>(pub(super) [F::Element; 3]);

/// E, F, G and H.
#[derive(Clone, Copy)]
pub(super) struct Factors<F: Field> {
    pub(super) e: F::Element,
    pub(super) f: F::Element,
    pub(super) g: F::Element,
    pub(super) h: F::Element,
}

impl<F: Field> Extended<F> {
    /// At most as many points as lanes; the other lanes are 0 throughout, which is no point, and no formula minds.
    #[inline(always)]
    pub(super) fn load(f: F, group: &[Point]) -> Self {
        Self {
            x: f.load(&field::rows(group, |point| point.x)),
            y: f.load(&field::rows(group, |point| point.y)),
            z: f.load(&field::rows(group, |point| point.z)),
            t: f.load(&field::rows(group, |point| point.t)),
        }
    }

    #[inline(always)]
    pub(super) fn store(self, f: F, group: &mut [Point]) {
        let (x, y, z, t) = (f.store(self.x), f.store(self.y), f.store(self.z), f.store(self.t));
        for (lane, point) in group.iter_mut().enumerate() {
            *point = Point {
                x: field::column(&x, lane),
                y: field::column(&y, lane),
                z: field::column(&z, lane),
                t: field::column(&t, lane),
            };
        }
    }

    #[inline(always)]
    pub(super) fn projective(self, f: F) -> Projective<F> {
        Projective { x: self.x, y: self.y, z: self.z, sum: carried_sum(f, self.x, self.y) }
    }

    #[inline(always)]
    pub(super) fn left(self, f: F) -> Left<F> {
        let Self { x, y, z, t } = self;
        Left { plus: carried_sum(f, y, x), minus: carried_difference(f, y, x), z, t }
    }

    #[inline(always)]
    pub(super) fn right(self, f: F) -> Right<F> {
        self.left(f).right(f)
    }
}

impl<F: Field> Left<F> {
    /// The neutral element.
    #[inline(always)]
    pub(super) fn neutral(f: F) -> Self {
        let one = f.splat(1);
        Self { plus: one, minus: one, z: one, t: f.splat(0) }
    }

    /// As additions of affine points take it.
    #[inline(always)]
    pub(super) fn running(self, f: F) -> Running<F> {
        let Self { plus, minus, z, t } = self;
        let [z] = f.multiply([z], [f.splat(1)]);
        Running { plus, minus, z, t }
    }

    #[inline(always)]
    pub(super) fn right(self, f: F) -> Right<F> {
        let Self { plus, minus, z, t } = self;
        let [t] = f.multiply([t], [in_all_lanes(f, TWICE_D)]);
        Right([plus, minus, carried_sum(f, z, z), f.carry(t)])
    }

    /// Over Z, of which the inverse is given.
    #[inline(always)]
    pub(super) fn affine(self, f: F, inverse: F::Element) -> Affine<F> {
        let [t] = powers::products_apart(f, [self.t], [in_all_lanes(f, TWICE_D)]);
        Affine(powers::products_apart(f, [self.plus, self.minus, t], [inverse; 3]))
    }
}

impl<F: Field> Running<F> {
    /// The neutral element.
    #[inline(always)]
    pub(super) fn neutral(f: F) -> Self {
        Left::neutral(f).running(f)
    }
}

impl<F: Field> Affine<F> {
    /// The point (x, y), of which x·y is given.
    #[inline(always)]
    pub(super) fn of(f: F, x: F::Element, y: F::Element, xy: F::Element) -> Self {
        let [t] = powers::products_apart(f, [xy], [in_all_lanes(f, TWICE_D)]);
        Self([carried_sum(f, y, x), carried_difference(f, y, x), t])
    }

    /// The neutral element.
    #[inline(always)]
    pub(super) fn neutral(f: F) -> Self {
        Self([f.splat(1), f.splat(1), f.splat(0)])
    }
}

impl<F: Field> Factors<F> {
    #[inline(always)]
    pub(super) fn extended(self, f: F) -> Extended<F> {
        let [x, y, z, t] = self.products(f);
        Extended { x: f.carry(x), y: f.carry(y), z: f.carry(z), t: f.carry(t) }
    }

    #[inline(always)]
    pub(super) fn projective(self, f: F) -> Projective<F> {
        let [x, y, z] = f.multiply([self.e, self.g, self.f], [self.f, self.h, self.g]);
        let sum = f.carry(f.wide_add(x, y));
        Projective { x: f.carry(x), y: f.carry(y), z: f.carry(z), sum }
    }

    #[inline(always)]
    pub(super) fn left(self, f: F) -> Left<F> {
        let [x, y, z, t] = self.products(f);
        Left {
            plus: f.carry(f.wide_add(y, x)),
            minus: f.carry(f.wide_subtract(y, x)),
            z: f.carry(z),
            t: f.carry(t),
        }
    }

    #[inline(always)]
    pub(super) fn running(self, f: F) -> Running<F> {
        let [x, y, z, t] = self.products(f);
        Running {
            plus: f.carry(f.wide_add(y, x)),
            minus: f.carry(f.wide_subtract(y, x)),
            z,
            t: f.carry(t),
        }
    }

    #[inline(always)]
    fn products(self, f: F) -> [F::Wide; 4] {
        f.multiply([self.e, self.g, self.f, self.e], [self.f, self.h, self.g, self.h])
    }
}

/// Twice a point: E = (X + Y)² − X² − Y², G = Y² − X², and F and H with the opposite signs.
#[inline(always)]
pub(super) fn double<F: Field>(f: F, point: Projective<F>) -> Factors<F> {
    let [xx, yy, zz, square] = f.square([point.x, point.y, point.z, point.sum]);
    let h = f.wide_add(xx, yy);
    Factors {
        e: f.carry(f.wide_subtract(square, h)),
        f: f.carry(f.wide_subtract(f.wide_add(f.wide_add(zz, zz), xx), yy)),
        g: f.carry(f.wide_subtract(yy, xx)),
        h: f.carry(h),
    }
}

/// The sum of two points.
#[inline(always)]
pub(super) fn add<F: Field>(
    f: F,
    left: Left<F>,
    Right([plus, minus, z, t]): Right<F>,
) -> Factors<F> {
    let [a, b, c, d] = f.multiply([left.minus, left.plus, left.t, left.z], [minus, plus, t, z]);
    factors(f, [a, b, c, d])
}

/// From (Y1 − X1)·(Y2 − X2), (Y1 + X1)·(Y2 + X2), 2·d·T1·T2 and 2·Z1·Z2, which may be a sum of two.
#[inline(always)]
fn factors<F: Field>(f: F, [a, b, c, d]: [F::Wide; 4]) -> Factors<F> {
    Factors {
        e: f.carry(f.wide_subtract(b, a)),
        f: f.carry(f.wide_subtract(d, c)),
        g: f.carry(f.wide_add(d, c)),
        h: f.carry(f.wide_add(b, a)),
    }
}

/// The sum, or the difference where the mask says so: the opposite of a point has Y + X and Y − X exchanged and T, of
/// which F and G are a difference and a sum, with the other sign.
#[inline(always)]
pub(super) fn add_or_subtract<F: Field>(
    f: F,
    subtract: F::Mask,
    left: Left<F>,
    Right([plus, minus, z, t]): Right<F>,
) -> Factors<F> {
    let [plus, minus] = exchange(f, subtract, [plus, minus]);
    let sum = add(f, left, Right([plus, minus, z, t]));
    let [f_, g] = exchange(f, subtract, [sum.f, sum.g]);
    Factors { f: f_, g, ..sum }
}

/// [`add_or_subtract`] for an affine point on the right.
#[inline(always)]
pub(super) fn add_affine<F: Field>(
    f: F,
    subtract: F::Mask,
    left: Running<F>,
    Affine([plus, minus, t]): Affine<F>,
) -> Factors<F> {
    let [plus, minus] = exchange(f, subtract, [plus, minus]);
    let [a, b, c] = f.multiply([left.minus, left.plus, left.t], [minus, plus, t]);
    let sum = factors(f, [a, b, c, f.wide_add(left.z, left.z)]);
    let [f_, g] = exchange(f, subtract, [sum.f, sum.g]);
    Factors { f: f_, g, ..sum }
}

#[inline(always)]
fn exchange<F: Field>(f: F, mask: F::Mask, [a, b]: [F::Element; 2]) -> [F::Element; 2] {
    [f.select(mask, b, a), f.select(mask, a, b)]
}

/// a + b, fit to be squared.
#[inline(always)]
pub(super) fn carried_sum<F: Field>(f: F, a: F::Element, b: F::Element) -> F::Element {
    f.carry(f.multiply_add(a, b, 1))
}

/// a − b, fit to be squared.
#[inline(always)]
pub(super) fn carried_difference<F: Field>(f: F, a: F::Element, b: F::Element) -> F::Element {
    carried_sum(f, a, f.subtract(f.splat(0), b))
}
