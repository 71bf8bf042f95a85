//! The simplified map of Shallue, van de Woestijne and Ulas (RFC 9380, section 6.6.2, Z = −10).
//!
//! A field element u goes to a point of y² = g(x):
//!
//! 1. x1 = B·(t + 1) / 3t with t = Z²u⁴ + Zu², where 10 stands for a t of 0 in the divisor;
//! 2. x = x1 if g(x1) is a square, else x2 = Zu²·x1, where then g(x2) = Z³u⁶·g(x1) is one;
//! 3. y is the root of g(x) that is odd if and only if u is.
//!
//! One exponentiation gives both roots: y1 = g(x1)^((p + 1)/4) has the square ±g(x1), and where that is −g(x1), the
//! square of y1·u³·√1000 is −1000·u⁶·g(x1) = g(x2). No divisor is 0.

use super::curve::{self, B, CHAINS};
use super::field::{self, Element, Wide, canonical, carry, montgomery, odd, reduce, select, splat};
use super::lanes::{Lanes, Subroutine};
use super::{GROUPS, Point, powers};

const TEN: field::Limbs = montgomery([10, 0, 0, 0]);

/// √1000, where −1000 = Z³.
const ROOT_1000: field::Limbs = montgomery([
    0xc004_098e_ea05_acfe,
    0xd383_3faa_fb5a_591d,
    0xdeb9_dc09_2f06_aaf8,
    0x8743_8e5e_d276_13f9,
]);

/// Maps at most [`GROUPS`] groups of lanes; `points` are as many.
#[inline(always)]
pub(super) fn map_all<L: Lanes>(l: L, uniform: &[[u8; 48]], points: &mut [Point]) {
    let one = splat(l, &field::ONE);
    let (mut u, mut inverses) = ([one; GROUPS], [one; GROUPS]);
    let groups = points.len().div_ceil(L::LANES);
    for ((u, divisor), group) in u.iter_mut().zip(&mut inverses).zip(uniform.chunks(L::LANES)) {
        *u = field::load_wide(l, group);
        *divisor = l.apart(Divisor { u });
    }
    powers::invert_all(l, &mut inverses[..groups], &mut [one; GROUPS]);
    let (u, inverses) = (&u[..groups], &inverses[..groups]);
    let places = points.chunks_mut(CHAINS * L::LANES);
    for ((u, inverses), points) in u.chunks(CHAINS).zip(inverses.chunks(CHAINS)).zip(places) {
        // A chain without elements works on the last ones again.
        let mut chains = [[u[0]; CHAINS], [inverses[0]; CHAINS]];
        chains[0][..u.len()].copy_from_slice(u);
        chains[1][..u.len()].copy_from_slice(inverses);
        let [u, inverses] = chains;
        map(l, u, inverses, points);
    }
}

/// Zu² and t of u.
#[inline(always)]
fn powers_of<L: Lanes>(l: L, u: Element<L>) -> [Element<L>; 2] {
    let [square] = field::square(l, [u]);
    let [ten_times] = field::multiply(l, [carry(l, square)], [splat(l, &TEN)]);
    let zu2 = reduce(l, Wide::of([l.splat(0); 5]).minus(l, ten_times));
    let [square] = field::square(l, [zu2]);
    [zu2, carry(l, square.plus(l, Wide::of(zu2)))]
}

/// 3t, or 30 where t is 0.
struct Divisor<'a, L: Lanes> {
    u: &'a Element<L>,
}

impl<L: Lanes> Subroutine<L> for Divisor<'_, L> {
    type Output = Element<L>;

    #[inline(always)]
    fn run(self, l: L) -> Element<L> {
        let [_, t] = powers_of(l, *self.u);
        let zero = field::zero(l, canonical(l, t));
        let t = Wide::of(select(l, zero, splat(l, &TEN), t));
        reduce(l, t.plus(l, t.times::<1>(l)))
    }
}

/// Puts the images of numbers u, given the inverses of their divisors, into at most as many points.
#[inline(always)]
fn map<L: Lanes>(
    l: L,
    u: [Element<L>; CHAINS],
    inverses: [Element<L>; CHAINS],
    points: &mut [Point],
) {
    let mut first = inverses;
    for n in 0..CHAINS {
        first[n] = l.apart(First { u: &u[n], inverse: &inverses[n] });
    }
    let values = curve::equation(l, first);
    let roots = powers::root_candidates(l, values);
    for (n, points) in points.chunks_mut(L::LANES).enumerate() {
        let choose = Choose { u: &u[n], x: &first[n], value: &values[n], root: &roots[n] };
        let [x, y] = l.apart(choose);
        field::put::<L, 0>(l, x, points);
        field::put::<L, 32>(l, y, points);
    }
}

/// x1 of u, given the inverse of its divisor.
struct First<'a, L: Lanes> {
    u: &'a Element<L>,
    inverse: &'a Element<L>,
}

impl<L: Lanes> Subroutine<L> for First<'_, L> {
    type Output = Element<L>;

    #[inline(always)]
    fn run(self, l: L) -> Element<L> {
        let [_, t] = powers_of(l, *self.u);
        let more = carry(l, Wide::of(t).plus(l, Wide::of(splat(l, &field::ONE))));
        let b = splat(l, &const { montgomery(B) });
        field::product(l, field::product(l, more, b), *self.inverse)
    }
}

/// Steps 2 and 3, where `root` is the candidate for a root of `value` = g(x1).
struct Choose<'a, L: Lanes> {
    u: &'a Element<L>,
    x: &'a Element<L>,
    value: &'a Element<L>,
    root: &'a Element<L>,
}

impl<L: Lanes> Subroutine<L> for Choose<'_, L> {
    /// Canonical coordinates.
    type Output = [Element<L>; 2];

    #[inline(always)]
    fn run(self, l: L) -> [Element<L>; 2] {
        let Choose { u, x, value, root } = self;
        let [zu2, _] = powers_of(l, *u);
        let cube = field::product(l, field::product(l, *u, *u), *u);
        let other_y = field::product(l, field::product(l, *root, cube), splat(l, &ROOT_1000));
        let first = curve::is_root(l, *root, *value);
        let x = select(l, first, *x, field::product(l, zu2, *x));
        let y = canonical(l, select(l, first, *root, other_y));
        let differ = l.xor(odd(l, y), odd(l, canonical(l, *u)));
        [canonical(l, x), select(l, differ, field::opposite(l, y), y)]
    }
}
