//! Powers of many numbers with one exponent: windows of four bits, of which every table entry is read.

use super::lanes::{self, Element, Lanes};
use super::{Exponent, Modulus, Work, select, subtract};

/// Bits of a window; 64 multiplications and a table of 14 take fewer than windows of 5 bits would, 52 and 30.
const WINDOW: usize = 4;

pub(super) struct Power<'a, const WORDS: usize, const LIMBS: usize> {
    pub(super) modulus: &'a Modulus<WORDS, LIMBS>,
    pub(super) exponent: &'a Exponent,
    pub(super) numbers: &'a mut [[u64; WORDS]],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Power<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for group in self.numbers.chunks_mut(L::LANES) {
            let factor = lanes::splat(l, &l.constants(self.modulus).square);
            let base = l.multiply(self.modulus, &lanes::load(l, group), &factor);
            store(l, self.modulus, &power(l, self.modulus, self.exponent, &base), group);
        }
    }
}

#[inline(always)]
fn power<L: Lanes, const WORDS: usize, const LIMBS: usize>(
    l: L,
    modulus: &Modulus<WORDS, LIMBS>,
    exponent: &Exponent,
    base: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let mut powers = [lanes::splat(l, &l.constants(modulus).one); 1 << WINDOW];
    powers[1] = *base;
    for index in 2..1 << WINDOW {
        powers[index] = l.multiply(modulus, &powers[index - 1], base);
    }
    let mut product = powers[0];
    for (index, byte) in exponent.iter().rev().enumerate() {
        for (half, digit) in [byte >> WINDOW, byte & 15].into_iter().enumerate() {
            let factor = look_up(l, &powers, digit);
            if index + half == 0 {
                product = factor;
                continue;
            }
            for _ in 0..WINDOW {
                product = l.square(modulus, &product);
            }
            product = l.multiply(modulus, &product, &factor);
        }
    }
    product
}

/// The power that the digit, which is secret, names.
#[inline(always)]
fn look_up<L: Lanes, const LIMBS: usize>(
    l: L,
    powers: &[Element<L, LIMBS>; 1 << WINDOW],
    digit: u8,
) -> Element<L, LIMBS> {
    let mut found = [l.splat(0); LIMBS];
    for (index, power) in (0u64..).zip(powers) {
        // All bits where the two are the same.
        let mask = l.splat(((index ^ u64::from(digit)).wrapping_sub(1) >> 63).wrapping_neg());
        for (found, limb) in found.iter_mut().zip(power) {
            *found = l.add(*found, l.and(*limb, mask));
        }
    }
    found
}

/// Puts the numbers, divided by R, below p, into a group of at most as many as lanes.
#[inline(always)]
pub(super) fn store<L: Lanes, const WORDS: usize, const LIMBS: usize>(
    l: L,
    modulus: &Modulus<WORDS, LIMBS>,
    element: &Element<L, LIMBS>,
    group: &mut [[u64; WORDS]],
) {
    let mut one = [l.splat(0); LIMBS];
    one[0] = l.splat(1);
    // At most p, and less than R·(p + 1) before it is divided: 4p + (R − 1)·p.
    let columns = lanes::columns(l, &l.multiply(modulus, element, &one));
    for (number, limbs) in group.iter_mut().zip(&columns) {
        let most_p = l.number(limbs);
        let (less, borrow) = subtract(&most_p, &modulus.number);
        *number = select(borrow, &most_p, &less);
    }
}
