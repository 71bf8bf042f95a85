//! Inverses, roots, and products side by side.

use super::field::{self, Element};
use super::lanes::{Lanes, Subroutine};

/// Replaces each of `values`, none of them 0 in any lane, by its inverse with one inversion a lane (Montgomery's
/// trick); `before` is as long.
#[inline(always)]
pub(super) fn invert_all<L: Lanes>(l: L, values: &mut [Element<L>], before: &mut [Element<L>]) {
    let mut product = field::splat(l, &field::ONE);
    for (value, before) in values.iter().zip(before.iter_mut()) {
        *before = product;
        [product] = products(l, [product], [*value]);
    }
    let mut inverse = invert(l, product);
    for (value, before) in values.iter_mut().zip(before).rev() {
        let [next, inverted] = products(l, [inverse, inverse], [*value, *before]);
        *value = inverted;
        inverse = next;
    }
}

/// x^(p − 2)
#[inline(always)]
fn invert<L: Lanes>(l: L, x: Element<L>) -> Element<L> {
    // p − 2 in binary: 32 ones, 31 zeros, a one, 96 zeros, 94 ones, a zero, a one.
    let x = [x];
    let (ones_30, ones_32) = powers_of_ones(l, x);
    let head = append(l, squares(l, append(l, ones_32, 32, x), 96), 32, ones_32);
    let [inverse] = append(l, append(l, append(l, head, 32, ones_32), 30, ones_30), 2, x);
    inverse
}

/// Each to the power (p + 1)/4: a square root of each square x, and of −x for each other x, since p = 3 mod 4.
#[inline(always)]
pub(super) fn root_candidates<L: Lanes, const N: usize>(
    l: L,
    x: [Element<L>; N],
) -> [Element<L>; N] {
    // (p + 1)/4 in binary: 32 ones, 31 zeros, a one, 95 zeros, a one, 94 zeros.
    let (_, ones_32) = powers_of_ones(l, x);
    squares(l, append(l, append(l, ones_32, 32, x), 96, x), 94)
}

/// Each to the powers 2^30 − 1 and 2^32 − 1.
#[inline(always)]
fn powers_of_ones<L: Lanes, const N: usize>(
    l: L,
    x: [Element<L>; N],
) -> ([Element<L>; N], [Element<L>; N]) {
    let ones_2 = append(l, x, 1, x);
    let ones_4 = append(l, ones_2, 2, ones_2);
    let ones_8 = append(l, ones_4, 4, ones_4);
    let ones_16 = append(l, ones_8, 8, ones_8);
    let ones_24 = append(l, ones_16, 8, ones_8);
    let ones_28 = append(l, ones_24, 4, ones_4);
    let ones_30 = append(l, ones_28, 2, ones_2);
    (ones_30, append(l, ones_30, 2, ones_2))
}

/// Each to the power whose bits are those of `x`'s exponent followed by those of `y`'s, which are `length`.
#[inline(always)]
fn append<L: Lanes, const N: usize>(
    l: L,
    x: [Element<L>; N],
    length: u32,
    y: [Element<L>; N],
) -> [Element<L>; N] {
    products(l, squares(l, x, length), y)
}

/// Each x, squared `times` times.
#[inline(always)]
fn squares<L: Lanes, const N: usize>(l: L, x: [Element<L>; N], times: u32) -> [Element<L>; N] {
    l.apart(Squares::<L, N> { x, times })
}

/// Each x·y.
#[inline(always)]
pub(super) fn products<L: Lanes, const N: usize>(
    l: L,
    x: [Element<L>; N],
    y: [Element<L>; N],
) -> [Element<L>; N] {
    l.apart(Products::<L, N> { x: &x, y: &y })
}

struct Squares<L: Lanes, const N: usize> {
    x: [Element<L>; N],
    times: u32,
}

impl<L: Lanes, const N: usize> Subroutine<L> for Squares<L, N> {
    type Output = [Element<L>; N];

    #[inline(always)]
    fn run(mut self, l: L) -> [Element<L>; N] {
        for _ in 0..self.times {
            let squares = field::square(l, self.x);
            for (x, square) in self.x.iter_mut().zip(squares) {
                *x = field::carry(l, square);
            }
        }
        self.x
    }
}

// By reference, for what is passed by value is copied.
struct Products<'a, L: Lanes, const N: usize> {
    x: &'a [Element<L>; N],
    y: &'a [Element<L>; N],
}

impl<L: Lanes, const N: usize> Subroutine<L> for Products<'_, L, N> {
    type Output = [Element<L>; N];

    #[inline(always)]
    fn run(self, l: L) -> [Element<L>; N] {
        let mut x = *self.x;
        let products = field::multiply(l, x, *self.y);
        for (x, product) in x.iter_mut().zip(products) {
            *x = field::carry(l, product);
        }
        x
    }
}
