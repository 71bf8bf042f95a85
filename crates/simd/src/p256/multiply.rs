//! Multiplication by one scalar, a point in each lane.
//!
//! # The scalar
//!
//! Of k and n − k, which give opposite products, the odd one is taken; [`End`] says which product is wanted. Such a k is the sum of 64 digits d·16^i, each of them one of ±1, ±3, …, ±15 and the last positive: with k_0 = k,
//! d_i = (k_i mod 32) − 16 and k_{i+1} = (k_i − d_i)/16, which is odd again. As k_{i+1} is k_i/32 rounded down, doubled and
//! 1 more, k_i has the bits of k from 4i on, the first of them set; so no digit depends on another.
//!
//! # No exceptions
//!
//! From the last digit on, the sum is multiplied by 16 and the next digit's multiple of the point added. Before the addition
//! the sum is 16m times the point for an odd m = k_{i+1}, and the formula of most additions asks that 16m is none of ±d
//! modulo n. For i > 0, 16m is more than 15 and less than n/8. For i = 0 it is between 16 and n + 16, and
//! 16m = n + d is possible: for k = n + 2d = n − 2. The last addition is by a formula without exceptions, therefore. No sum is
//! neutral: n is odd, so 16m is not n. Multiples of the point are made by the same formula, and 2j is none of ±1 modulo n for j < 8.
//!
//! # What time may tell
//!
//! Each digit takes the same four doublings, a look at all multiples, and one addition.

use super::curve::{put_even, put_signed};
use super::field::{self, Element, Wide, carry, multiply, reduce, select, splat};
use super::lanes::{Lanes, Subroutine};
use super::point::{self, Affine, Jacobian, SIDES};
use super::{GROUPS, Point, powers};

/// Digits of a scalar, least first: 16 more than each.
pub(super) type Windows = [u8; 64];

/// Odd multiples of a point: 1, 3, …, 15 times.
const MULTIPLES: usize = 8;

/// Those but the first.
const OTHERS: usize = MULTIPLES - 1;

/// The odd multiples of a group's points.
type Table<L> = [Affine<L>; MULTIPLES];

/// n, the order of the group.
const ORDER: [u64; 4] =
    [0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, u64::MAX, 0xffff_ffff_0000_0000];

/// Of a product and its opposite the one that is wanted.
#[derive(Clone, Copy)]
pub(super) enum End<'a> {
    /// That with an even y.
    Even,
    /// That with k itself: the opposite where k is even, and this has all bits, else none.
    Signed { opposite: &'a u64 },
}

/// The digits of k or n − k, whichever is odd.
///
/// Never inlined, so that what it leaves is below the caller's frame, where the work's end wipes.
#[inline(never)]
pub(super) fn windows(scalar: &[u8; 32]) -> Windows {
    let number = field::words(scalar);
    let (opposite, _) = field::subtract(&ORDER, &number);
    let odd = (number[0] & 1).wrapping_neg();
    let odd: [u64; 4] =
        std::array::from_fn(|index| opposite[index] ^ (odd & (number[index] ^ opposite[index])));
    std::array::from_fn(|index| {
        let (word, shift) = (index / 16, index % 16 * 4);
        // The last digit is positive: there are no bits above it.
        let above = if word < 3 { odd[word + 1] } else { 1 };
        let bits = if shift == 60 { odd[word] >> 60 | above << 4 } else { odd[word] >> shift };
        bits as u8 & 31 | 1
    })
}

/// Multiplies at most [`GROUPS`] groups of lanes.
#[inline(always)]
pub(super) fn multiply_all<L: Lanes>(l: L, windows: &Windows, points: &mut [Point], end: End<'_>) {
    let one = splat(l, &field::ONE);
    let mut tables = [[[one; 2]; MULTIPLES]; GROUPS];
    let mut inverses = [[one; OTHERS]; GROUPS];
    let mut before = [one; GROUPS * OTHERS];
    let last = points.len().div_ceil(L::LANES).max(1) - 1;
    // A side without a group works on the last one again.
    let groups = (last + 1).next_multiple_of(SIDES);
    let (tables, inverses) = (&mut tables[..groups], &mut inverses[..groups]);
    for (index, table) in tables.iter_mut().enumerate() {
        let group = &points[index.min(last) * L::LANES..];
        let group = &group[..group.len().min(L::LANES)];
        table[0] = [field::load_x(l, group), field::load_y(l, group)];
    }
    for (tables, z) in tables.chunks_exact_mut(SIDES).zip(inverses.chunks_exact_mut(SIDES)) {
        fill(l, tables, z);
    }
    powers::invert_all(l, inverses.as_flattened_mut(), &mut before);
    for (table, inverses) in tables.iter_mut().zip(&*inverses) {
        for (multiple, inverse) in table[1..].iter_mut().zip(inverses) {
            *multiple = l.apart(Normalize { point: multiple, inverse });
        }
    }
    let mut products = [[one; 2]; GROUPS];
    let z = &mut inverses.as_flattened_mut()[..groups];
    for ((tables, products), z) in tables
        .chunks_exact(SIDES)
        .zip(products.chunks_exact_mut(SIDES))
        .zip(z.chunks_exact_mut(SIDES))
    {
        multiply_sides(l, windows, tables, products, z);
    }
    powers::invert_all(l, z, &mut before);
    for ((product, inverse), group) in products.iter().zip(z).zip(points.chunks_mut(L::LANES)) {
        let [x, y] = powers::products(l, *product, [*inverse; 2]);
        field::put::<L, 0>(l, field::canonical(l, x), group);
        let y = field::canonical(l, y);
        match end {
            End::Even => put_even(l, y, group),
            End::Signed { opposite } => put_signed(l, l.splat(*opposite), y, group),
        }
    }
}

/// Puts the odd multiples after the first into the tables, as Jacobian coordinates X and Y, and Z.
#[inline(always)]
fn fill<L: Lanes>(l: L, tables: &mut [Table<L>], z: &mut [[Element<L>; OTHERS]]) {
    let first = [tables[0][0], tables[1][0]];
    let start = first.map(|[x, y]| Jacobian { x, y, z: splat(l, &field::ONE) });
    let mut multiples = [start; 2 * MULTIPLES];
    for index in 1..MULTIPLES {
        let mut sums = multiples[index];
        point::double(l, &mut sums, 1);
        multiples[2 * index] = sums;
        point::add(l, &mut sums, &first);
        multiples[2 * index + 1] = sums;
        for ((table, z), sum) in tables.iter_mut().zip(&mut *z).zip(sums) {
            (table[index], z[index - 1]) = ([sum.x, sum.y], sum.z);
        }
    }
}

/// The point with these X and Y, given 1/Z.
struct Normalize<'a, L: Lanes> {
    point: &'a Affine<L>,
    inverse: &'a Element<L>,
}

impl<L: Lanes> Subroutine<L> for Normalize<'_, L> {
    type Output = Affine<L>;

    #[inline(always)]
    fn run(self, l: L) -> Affine<L> {
        let ([x, y], inverse) = (*self.point, *self.inverse);
        let [square] = field::square(l, [inverse]);
        let square = carry(l, square);
        let [x, cube] = multiply(l, [x, inverse], [square; 2]);
        let [y] = multiply(l, [y], [carry(l, cube)]);
        [carry(l, x), carry(l, y)]
    }
}

/// Puts homogeneous coordinates of the products of groups' points into `products` and `z`.
#[inline(always)]
fn multiply_sides<L: Lanes>(
    l: L,
    windows: &Windows,
    tables: &[Table<L>],
    products: &mut [Affine<L>],
    z: &mut [Element<L>],
) {
    let picks = |window| [pick(l, &tables[0], window), pick(l, &tables[1], window)];
    let mut sums = picks(windows[63]).map(|[x, y]| Jacobian { x, y, z: splat(l, &field::ONE) });
    for window in windows[1..63].iter().rev() {
        point::double(l, &mut sums, 4);
        point::add(l, &mut sums, &picks(*window));
    }
    point::double(l, &mut sums, 4);
    for (n, other) in picks(windows[0]).iter().enumerate() {
        let sum = point::add_any(l, &sums[n], other);
        (products[n], z[n]) = ([sum.x, sum.y], sum.z);
    }
}

/// The multiple that a digit names.
#[inline(always)]
fn pick<L: Lanes>(l: L, table: &Table<L>, window: u8) -> Affine<L> {
    l.apart(Pick { table, window })
}

struct Pick<'a, L: Lanes> {
    table: &'a Table<L>,
    window: u8,
}

impl<L: Lanes> Subroutine<L> for Pick<'_, L> {
    type Output = Affine<L>;

    /// Reads all multiples and keeps one.
    #[inline(always)]
    fn run(self, l: L) -> Affine<L> {
        // The digit 2j + 1 has the place j, and so has −(2j + 1).
        let window = u64::from(self.window);
        let negative = (window >> 4 ^ 1).wrapping_neg();
        let place = (window >> 1 ^ negative) & 7;
        let mut chosen = [[l.splat(0); 5]; 2];
        for (index, multiple) in (0u64..).zip(self.table) {
            // Less than 0 where the two are the same.
            let same = (index ^ place).wrapping_sub(1).cast_signed() >> 63;
            let mask = l.splat(same.cast_unsigned());
            for (chosen, coordinate) in chosen.iter_mut().zip(multiple) {
                for (chosen, limb) in chosen.iter_mut().zip(coordinate) {
                    *chosen = l.xor(*chosen, l.and(mask, *limb));
                }
            }
        }
        let [x, y] = chosen;
        let opposite = reduce(l, Wide::of([l.splat(0); 5]).minus(l, Wide::of(y)));
        [x, select(l, l.splat(negative), opposite, y)]
    }
}
