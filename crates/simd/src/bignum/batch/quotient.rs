//! Products with factors whose quotients are known (Shoup; Harvey, "Faster arithmetic for number-theoretic transforms", 2014,
//! section 3), on as many limbs as registers hold sums of.
//!
//! A factor w ≤ p comes with w' = (w·R − m)/p, where m < 4p is w·R modulo p, so w' is above w·R/p − 4. For a < 4p the upper half q of a·w'
//! is above a·w/p − 3, if R is at least 16p: less than 1 is lost by w', less than 1 by rounding, and less than 1 by the columns that are
//! left out, all but the highest of the lower half. So a·w − q·p is below 3p, and its lower half is all of it. That takes 1,239
//! multiplications for 20 limbs, where a product and its reduction take 1,640.
//!
//! A column has at most as many low and as many high halves of two products as there are limbs: below 80·2^52 < 2^59.

use std::hint::black_box;

use super::lanes::Element;
use super::multiply::{IN_REGISTERS, carried};
use super::narrow;
use crate::vector::{Halves, MASK_52};

/// What such products need to know of a modulus p.
pub(super) struct Quotients<const LIMBS: usize> {
    /// −1/p modulo R
    inverse: [u64; LIMBS],
    /// R − p
    complement: [u64; LIMBS],
}

impl<const LIMBS: usize> Quotients<LIMBS> {
    /// For p, and −1/p modulo 2^64.
    pub(super) fn new<const WORDS: usize>(p: &[u64; WORDS], factor: u64) -> Self {
        let p: [u64; LIMBS] = narrow::limbs(p);
        // The multiples of p that clear 1 limb by limb.
        let (mut sums, mut inverse) = ([0u64; LIMBS], [0; LIMBS]);
        sums[0] = 1;
        for place in 0..LIMBS {
            let multiple = sums[place].wrapping_mul(factor) & MASK_52;
            inverse[place] = multiple;
            let mut carry = 0;
            for (sum, limb) in sums[place..].iter_mut().zip(p) {
                let wide = u128::from(multiple) * u128::from(limb) + u128::from(*sum) + carry;
                *sum = wide as u64 & MASK_52;
                carry = wide >> 52;
            }
        }
        let mut carry = 1;
        let complement = p.map(|limb| {
            let sum = (limb ^ MASK_52) + carry;
            carry = sum >> 52;
            sum & MASK_52
        });
        Self { inverse, complement }
    }
}

/// w' of a factor w, from w·R modulo p.
#[inline(always)]
pub(super) fn quotient<L: Halves, const LIMBS: usize>(
    l: L,
    quotients: &Quotients<LIMBS>,
    residue: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let inverse = |limb: usize| l.splat(quotients.inverse[limb]);
    carried(l, &add_lower(l, [l.splat(0); LIMBS], inverse, residue))
}

/// a·w modulo p, for the limbs of w and of w'.
#[inline(always)]
pub(super) fn multiply<L: Halves, const LIMBS: usize>(
    l: L,
    quotients: &Quotients<LIMBS>,
    factor: impl Fn(usize) -> L::Int,
    quotient: impl Fn(usize) -> L::Int,
    a: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    const { assert!(LIMBS <= IN_REGISTERS && LIMBS.is_multiple_of(2), "pairs of limbs, in registers") };
    let q = upper(l, quotient, a);
    let sums = add_lower(l, [l.splat(0); LIMBS], factor, a);
    let complement = |limb: usize| l.splat(quotients.complement[limb]);
    carried(l, &add_lower(l, sums, complement, &q))
}

/// The block once for each limb that fits into registers, whose index the constant is: a loop with such bounds stays one.
macro_rules! unrolled {
    ($index:ident $block:block) => {
        unrolled!(@ $index $block 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
    };
    (@ $index:ident $block:block $($value:literal)*) => {
        $({
            const $index: usize = $value;
            $block
        })*
    };
}

/// Adds the lower half of a·b, two limbs of a at a time.
#[inline(always)]
fn add_lower<L: Halves, const LIMBS: usize>(
    l: L,
    mut sums: Element<L, LIMBS>,
    a: impl Fn(usize) -> L::Int,
    b: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    unrolled!(ROW {
        if ROW.is_multiple_of(2) && ROW < LIMBS {
            sums = lower_rows::<L, LIMBS, ROW>(l, sums, [a(ROW), a(ROW + 1)], read_anew(b));
        }
    });
    sums
}

/// A factor: kept in registers, its limbs would push sums out of them. One is good for four products, or loads would take longest.
#[inline(always)]
fn read_anew<T>(factor: &T) -> &T {
    black_box(factor)
}

#[inline(always)]
fn lower_rows<L: Halves, const LIMBS: usize, const ROW: usize>(
    l: L,
    mut sums: Element<L, LIMBS>,
    a: [L::Int; 2],
    b: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    unrolled!(PLACE {
        if ROW + PLACE < LIMBS {
            let sum = &mut sums[ROW + PLACE];
            *sum = l.low(*sum, a[0], b[PLACE]);
        }
        if ROW + PLACE + 1 < LIMBS {
            let sum = &mut sums[ROW + PLACE + 1];
            *sum = l.low(l.high(*sum, a[0], b[PLACE]), a[1], b[PLACE]);
        }
        if ROW + PLACE + 2 < LIMBS {
            let sum = &mut sums[ROW + PLACE + 2];
            *sum = l.high(*sum, a[1], b[PLACE]);
        }
    });
    sums
}

/// The upper half of a·b without what is carried from more than a column below it, two limbs of a at a time.
#[inline(always)]
fn upper<L: Halves, const LIMBS: usize>(
    l: L,
    a: impl Fn(usize) -> L::Int,
    b: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    // Those of the columns from LIMBS − 1 on.
    let mut sums = [l.splat(0); IN_REGISTERS + 1];
    unrolled!(ROW {
        if ROW.is_multiple_of(2) && ROW < LIMBS {
            sums = upper_rows::<L, LIMBS, ROW>(l, sums, [a(ROW), a(ROW + 1)], read_anew(b));
        }
    });
    let mut columns = [l.splat(0); LIMBS];
    columns.copy_from_slice(&sums[1..=LIMBS]);
    columns[0] = l.add(columns[0], l.right::<52>(sums[0]));
    carried(l, &columns)
}

#[inline(always)]
fn upper_rows<L: Halves, const LIMBS: usize, const ROW: usize>(
    l: L,
    mut sums: [L::Int; IN_REGISTERS + 1],
    a: [L::Int; 2],
    b: &Element<L, LIMBS>,
) -> [L::Int; IN_REGISTERS + 1] {
    unrolled!(PLACE {
        if PLACE < LIMBS && ROW + PLACE + 1 >= LIMBS {
            let sum = &mut sums[ROW + PLACE + 1 - LIMBS];
            *sum = l.low(*sum, a[0], b[PLACE]);
        }
        if PLACE < LIMBS && ROW + PLACE + 2 >= LIMBS {
            let sum = &mut sums[ROW + PLACE + 2 - LIMBS];
            *sum = l.low(l.high(*sum, a[0], b[PLACE]), a[1], b[PLACE]);
        }
        if PLACE < LIMBS && ROW + PLACE + 3 >= LIMBS {
            let sum = &mut sums[ROW + PLACE + 3 - LIMBS];
            *sum = l.high(*sum, a[1], b[PLACE]);
        }
    });
    sums
}
