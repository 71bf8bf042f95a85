//! The curve y² = g(x) with g(x) = x³ − 3x + B: from x-coordinates to points, and points that a peer sent.

use super::field::{
    self, Element, Wide, canonical, carry, difference, montgomery, odd, reduce, select, splat,
};
use super::lanes::{Lanes, Subroutine};
use super::{Point, X, powers};

/// The coefficient B.
pub(super) const B: [u64; 4] =
    [0x3bce_3c3e_27d2_604b, 0x651d_06b0_cc53_b0f6, 0xb3eb_bd55_7698_86bc, 0x5ac6_35d8_aa3a_93e7];

/// Groups of lanes whose roots are taken side by side.
pub(super) const CHAINS: usize = 2;

/// g of each x.
#[inline(always)]
pub(super) fn equation<L: Lanes, const N: usize>(l: L, x: [Element<L>; N]) -> [Element<L>; N] {
    l.apart(Equation { x })
}

struct Equation<L: Lanes, const N: usize> {
    x: [Element<L>; N],
}

impl<L: Lanes, const N: usize> Subroutine<L> for Equation<L, N> {
    type Output = [Element<L>; N];

    #[inline(always)]
    fn run(self, l: L) -> [Element<L>; N] {
        let three = Wide::of(splat(l, &const { montgomery([3, 0, 0, 0]) }));
        let b = Wide::of(splat(l, &const { montgomery(B) }));
        let mut values = self.x;
        for (value, square) in values.iter_mut().zip(field::square(l, self.x)) {
            *value = reduce(l, square.minus(l, three));
        }
        let products = field::multiply(l, values, self.x);
        for (value, product) in values.iter_mut().zip(products) {
            *value = carry(l, product.plus(l, b));
        }
        values
    }
}

/// All bits where y² is this value, else none.
#[inline(always)]
pub(super) fn is_root<L: Lanes>(l: L, y: Element<L>, value: Element<L>) -> L::Int {
    let square = field::product(l, y, y);
    field::zero(l, canonical(l, difference(l, square, value)))
}

/// Puts of each canonical y, none of them 0, and its opposite the even one into a group of points.
#[inline(always)]
pub(super) fn put_even<L: Lanes>(l: L, y: Element<L>, group: &mut [Point]) {
    let even = select(l, odd(l, y), field::opposite(l, y), y);
    field::put::<L, 32>(l, even, group);
}

/// Puts each canonical y, none of them 0, or its opposite where the mask has all bits, into a group of points.
#[inline(always)]
pub(super) fn put_signed<L: Lanes>(l: L, mask: L::Int, y: Element<L>, group: &mut [Point]) {
    let signed = select(l, mask, field::opposite(l, y), y);
    field::put::<L, 32>(l, signed, group);
}

/// Puts the points with these x-coordinates and an even y into `points`, as long; fails with the place of the first that is
/// refused.
#[inline(always)]
pub(super) fn lift_all<L: Lanes>(l: L, xs: &[X], points: &mut [Point]) -> Result<(), usize> {
    let most = CHAINS * L::LANES;
    let blocks = xs.chunks(most).zip(points.chunks_mut(most));
    for (block, (xs, points)) in blocks.enumerate() {
        let first = lift_block(l, xs, points).trailing_ones() as usize;
        if first < xs.len() {
            return Err(block * most + first);
        }
    }
    Ok(())
}

/// The same for all that are not refused; says of each whether it is one of them.
#[inline(always)]
pub(super) fn lift_each<L: Lanes>(l: L, xs: &[X], points: &mut [Point], lifted: &mut [bool]) {
    let most = CHAINS * L::LANES;
    let blocks = xs.chunks(most).zip(points.chunks_mut(most)).zip(lifted.chunks_mut(most));
    for ((xs, points), lifted) in blocks {
        let on_curve = lift_block(l, xs, points);
        for (index, lifted) in lifted.iter_mut().enumerate() {
            *lifted = on_curve >> index & 1 == 1;
        }
    }
}

/// Puts the points of one block, at most [`CHAINS`] groups. The bits of those that are not refused are set, the first the
/// lowest.
#[inline(always)]
fn lift_block<L: Lanes>(l: L, xs: &[X], points: &mut [Point]) -> u32 {
    let groups = xs.len().div_ceil(L::LANES);
    // A chain without coordinates works on the last ones again.
    let group = |chain: usize| chain.min(groups - 1) * L::LANES;
    let mut chains = [[l.splat(0); 5]; CHAINS];
    for (chain, x) in chains.iter_mut().enumerate() {
        let xs = &xs[group(chain)..];
        *x = field::load(l, &xs[..xs.len().min(L::LANES)], |x| x);
    }
    let values = equation(l, chains);
    let roots = powers::root_candidates(l, values);
    let mut lifted = 0;
    for chain in 0..groups {
        let lanes = l.array(is_root(l, roots[chain], values[chain]));
        let group = group(chain);
        for (lane, (x, on)) in xs[group..].iter().zip(lanes).take(L::LANES).enumerate() {
            lifted |= u32::from(on != 0 && field::is_below_p(x)) << (group + lane);
        }
        let points = points[group..].chunks_mut(L::LANES).next();
        put_even(l, canonical(l, roots[chain]), points.unwrap_or_default());
    }
    field::put_x(xs, points);
    lifted
}

/// Whether all points are on the curve and have an even y; fails with the place of the first that is refused.
#[inline(always)]
pub(super) fn check_all<L: Lanes>(l: L, points: &[Point]) -> Result<(), usize> {
    for (index, group) in points.chunks(L::LANES).enumerate() {
        let (x, y) = (field::load_x(l, group), field::load_y(l, group));
        let [value] = equation(l, [x]);
        let on_curve = l.array(is_root(l, y, value));
        let valid = |point: &Point| {
            let (x, y) = point.split_at(32);
            field::is_below_p(x) && field::is_below_p(y) && y[31].is_multiple_of(2)
        };
        let mut lanes = group.iter().zip(on_curve);
        if let Some(lane) = lanes.position(|(point, on)| on == 0 || !valid(point)) {
            return Err(index * L::LANES + lane);
        }
    }
    Ok(())
}
