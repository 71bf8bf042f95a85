//! Montgomery's multiplication by halves of products.
//!
//! R is 2^(52·limbs). Limbs are below 2^52 and numbers below 4p.
//!
//! Long numbers are multiplied block by block, five limbs by five: ten sums and ten factors stay in registers, for 50
//! multiplications. Up to [`IN_REGISTERS`] limbs the sums of a whole row stay there: each limb of one factor is multiplied by all
//! of the other, the lowest sum cleared by a multiple of p, and all sums move down by one.
//!
//! A column has at most as many low and as many high halves of a product as there are limbs, and as many of a multiple of p,
//! and a carry: below 161·2^52 < 2^60 for 40 limbs. The product of numbers a, b < 4p and the multiple q·p with q < R are
//! below R·(p + 16p²/R): divided by R below p·(1 + 16p/R), and 16p is at most R.

use std::hint::black_box;

use super::lanes::{Constants, Element};
use crate::vector::{Halves, MASK_52, Vector};

/// Limbs of a block.
const BLOCK: usize = 5;

/// Limbs of which a row of sums fits into 32 registers.
pub(super) const IN_REGISTERS: usize = 20;

type Columns<L, const LIMBS: usize> = [Element<L, LIMBS>; 2];
type Factor<L> = [<L as Vector>::Int; BLOCK];

#[inline(always)]
pub(super) fn multiply<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    a: &Element<L, LIMBS>,
    b: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    if LIMBS <= IN_REGISTERS {
        return by_rows(l, constants, a, b);
    }
    let mut columns = [[l.splat(0); LIMBS]; 2];
    let flat = columns.as_flattened_mut();
    for i in 0..LIMBS / BLOCK {
        let factor = block(a, i);
        for j in 0..LIMBS / BLOCK {
            add_product(l, flat, i + j, factor, block(b, j));
        }
    }
    reduce(l, constants, columns)
}

/// Products of different blocks once and doubled, then those of each with itself.
#[inline(always)]
pub(super) fn square<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    a: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    if LIMBS <= IN_REGISTERS {
        return square_by_rows(l, constants, a);
    }
    let mut columns = [[l.splat(0); LIMBS]; 2];
    let flat = columns.as_flattened_mut();
    for i in 0..LIMBS / BLOCK {
        let factor = block(a, i);
        for j in i + 1..LIMBS / BLOCK {
            add_product(l, flat, i + j, factor, block(a, j));
        }
    }
    for column in &mut *flat {
        *column = l.add(*column, *column);
    }
    for i in 0..LIMBS / BLOCK {
        add_product(l, flat, 2 * i, block(a, i), block(a, i));
    }
    reduce(l, constants, columns)
}

#[inline(always)]
fn block<I: Copy, const LIMBS: usize>(limbs: &[I; LIMBS], index: usize) -> [I; BLOCK] {
    let mut block = [limbs[0]; BLOCK];
    block.copy_from_slice(&limbs[BLOCK * index..][..BLOCK]);
    block
}

/// Adds the product of two blocks to the columns from block `place` on.
#[inline(always)]
fn add_product<L: Halves>(l: L, columns: &mut [L::Int], place: usize, a: Factor<L>, b: Factor<L>) {
    let mut sums = [l.splat(0); 2 * BLOCK];
    let columns = &mut columns[BLOCK * place..][..2 * BLOCK];
    sums.copy_from_slice(columns);
    for x in 0..BLOCK {
        for y in 0..BLOCK {
            sums[x + y] = l.low(sums[x + y], a[x], b[y]);
            sums[x + y + 1] = l.high(sums[x + y + 1], a[x], b[y]);
        }
    }
    columns.copy_from_slice(&sums);
}

/// Adds the multiple of p that makes the lower half 0, and gives the upper half in limbs.
#[inline(always)]
fn reduce<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    mut columns: Columns<L, LIMBS>,
) -> Element<L, LIMBS> {
    let p = |j| block(&constants.p, j).map(|limb| l.splat(limb));
    let flat = columns.as_flattened_mut();
    for i in 0..LIMBS / BLOCK {
        let multiple = clear(l, constants.factor, flat, i, p(0));
        for j in 1..LIMBS / BLOCK {
            add_product(l, flat, i + j, multiple, p(j));
        }
    }
    carried(l, &columns[1])
}

/// The limbs of columns.
#[inline(always)]
pub(super) fn carried<L: Vector, const LIMBS: usize>(
    l: L,
    columns: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let mut limbs = [l.splat(0); LIMBS];
    let mut carry = l.splat(0);
    let mask = l.splat(MASK_52);
    for (limb, column) in limbs.iter_mut().zip(columns) {
        let sum = l.add(*column, carry);
        *limb = l.and(sum, mask);
        carry = l.right::<52>(sum);
    }
    limbs
}

/// Finds the factors with which p's lowest block makes the columns of block `place` 0, and adds these products.
#[inline(always)]
fn clear<L: Halves>(
    l: L,
    factor: u64,
    columns: &mut [L::Int],
    place: usize,
    p: Factor<L>,
) -> Factor<L> {
    let mut sums = [l.splat(0); 2 * BLOCK];
    let columns = &mut columns[BLOCK * place..][..2 * BLOCK];
    sums.copy_from_slice(columns);
    let mut multiple = [l.splat(0); BLOCK];
    for x in 0..BLOCK {
        multiple[x] = l.low(l.splat(0), sums[x], l.splat(factor));
        for y in 0..BLOCK {
            sums[x + y] = l.low(sums[x + y], multiple[x], p[y]);
            sums[x + y + 1] = l.high(sums[x + y + 1], multiple[x], p[y]);
        }
        sums[x + 1] = l.add(sums[x + 1], l.right::<52>(sums[x]));
    }
    columns.copy_from_slice(&sums);
    multiple
}

/// a·b/R modulo p, limb by limb of a.
#[inline(always)]
fn by_rows<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    a: &Element<L, LIMBS>,
    b: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let (factor, zero) = (l.splat(constants.factor), l.splat(0));
    let mut sums = [zero; LIMBS];
    for limb in *a {
        // Factors are read anew for each row: kept, they would be put aside where loads straddle lines of the cache.
        let factors = black_box(b);
        for j in 0..LIMBS {
            sums[j] = l.low(sums[j], limb, factors[j]);
        }
        let multiple = l.low(zero, sums[0], factor);
        sums = moved(l, constants, sums, multiple);
        let factors = black_box(b);
        for j in 0..LIMBS {
            sums[j] = l.high(sums[j], limb, factors[j]);
        }
    }
    carried(l, &sums)
}

/// a/R modulo p.
#[inline(always)]
pub(super) fn without_r<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    a: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let mut sums = *a;
    for _ in 0..LIMBS {
        let multiple = l.low(l.splat(0), sums[0], l.splat(constants.factor));
        sums = moved(l, constants, sums, multiple);
    }
    carried(l, &sums)
}

/// a²/R modulo p: limb i of a times itself, and times twice all limbs above it.
#[inline(always)]
fn square_by_rows<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    a: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let mut twice = [l.splat(0); LIMBS];
    for j in 0..LIMBS {
        twice[j] = doubled(l, a[j]);
        if j > 0 {
            twice[j] = l.add(twice[j], l.right::<51>(a[j - 1]));
        }
    }
    let mut sums = [l.splat(0); LIMBS];
    // Each row has a length of its own, so that it is code of its own.
    macro_rules! rows {
        ($($row:literal)*) => {
            $(if $row < LIMBS {
                sums = row::<L, LIMBS, $row>(l, constants, sums, a, &twice);
            })*
        };
    }
    rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    carried(l, &sums)
}

#[inline(always)]
fn row<L: Halves, const LIMBS: usize, const ROW: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    mut sums: Element<L, LIMBS>,
    a: &Element<L, LIMBS>,
    twice: &Element<L, LIMBS>,
) -> Element<L, LIMBS> {
    let (limb, zero) = (a[ROW], l.splat(0));
    // What the limb carries when doubled is no part of those above it.
    let factor = |twice: &Element<L, LIMBS>, j: usize| match j - ROW {
        0 => limb,
        1 => doubled(l, a[j]),
        _ => twice[j],
    };
    let factors = black_box(twice);
    for (j, sum) in sums.iter_mut().enumerate().skip(ROW) {
        *sum = l.low(*sum, limb, factor(factors, j));
    }
    let multiple = l.low(zero, sums[0], l.splat(constants.factor));
    sums = moved(l, constants, sums, multiple);
    let factors = black_box(twice);
    for (j, sum) in sums.iter_mut().enumerate().skip(ROW) {
        *sum = l.high(*sum, limb, factor(factors, j));
    }
    sums
}

/// The lower 52 bits of twice a limb.
#[inline(always)]
fn doubled<L: Vector>(l: L, limb: L::Int) -> L::Int {
    l.and(l.add(limb, limb), l.splat(MASK_52))
}

/// Adds a multiple of p that makes the lowest sum 0, and moves all down by one.
#[inline(always)]
fn moved<L: Halves, const LIMBS: usize>(
    l: L,
    constants: &Constants<LIMBS>,
    mut sums: Element<L, LIMBS>,
    multiple: L::Int,
) -> Element<L, LIMBS> {
    let p = &black_box(constants).p;
    sums[0] = l.low(sums[0], multiple, l.splat(p[0]));
    let carry = l.right::<52>(sums[0]);
    for j in 1..LIMBS {
        sums[j - 1] = l.low(sums[j], multiple, l.splat(p[j]));
    }
    sums[LIMBS - 1] = l.splat(0);
    sums[0] = l.add(sums[0], carry);
    let p = &black_box(constants).p;
    for j in 0..LIMBS {
        sums[j] = l.high(sums[j], multiple, l.splat(p[j]));
    }
    sums
}
