//! Montgomery's multiplication by halves of products, block by block.
//!
//! R is 2^2080. Limbs are below 2^52 and numbers below 2p. A block multiplies five limbs by five: ten sums and ten factors stay in
//! registers, for 50 multiplications.
//!
//! A column has at most 40 low and 40 high halves of a product and as many of a multiple of p, and a carry: below
//! 161·2^52 < 2^60. The product of numbers a, b < 2p and the multiple q·p with q < R are below R·(p + 4p²/R): divided by R
//! below p·(1 + 2^-30), as p < 2^2048 = R/2^32.

use super::lanes::{Constants, Element, LIMBS};
use crate::vector::{Halves, MASK_52, Vector};

/// Limbs of a block.
const BLOCK: usize = 5;
const BLOCKS: usize = LIMBS / BLOCK;

type Columns<L> = [<L as Vector>::Int; 2 * LIMBS];
type Factor<L> = [<L as Vector>::Int; BLOCK];

#[inline(always)]
pub(super) fn multiply<L: Halves>(
    l: L,
    constants: &Constants,
    a: &Element<L>,
    b: &Element<L>,
) -> Element<L> {
    let mut columns = [l.splat(0); 2 * LIMBS];
    for i in 0..BLOCKS {
        let factor = block(a, i);
        for j in 0..BLOCKS {
            add_product(l, &mut columns, i + j, factor, block(b, j));
        }
    }
    reduce(l, constants, columns)
}

/// Products of different blocks once and doubled, then those of each with itself.
#[inline(always)]
pub(super) fn square<L: Halves>(l: L, constants: &Constants, a: &Element<L>) -> Element<L> {
    let mut columns = [l.splat(0); 2 * LIMBS];
    for i in 0..BLOCKS {
        let factor = block(a, i);
        for j in i + 1..BLOCKS {
            add_product(l, &mut columns, i + j, factor, block(a, j));
        }
    }
    for column in &mut columns {
        *column = l.add(*column, *column);
    }
    for i in 0..BLOCKS {
        add_product(l, &mut columns, 2 * i, block(a, i), block(a, i));
    }
    reduce(l, constants, columns)
}

#[inline(always)]
fn block<I: Copy>(limbs: &[I; LIMBS], index: usize) -> [I; BLOCK] {
    let mut block = [limbs[0]; BLOCK];
    block.copy_from_slice(&limbs[BLOCK * index..][..BLOCK]);
    block
}

/// Adds the product of two blocks to the columns from block `place` on.
#[inline(always)]
fn add_product<L: Halves>(
    l: L,
    columns: &mut Columns<L>,
    place: usize,
    a: Factor<L>,
    b: Factor<L>,
) {
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
fn reduce<L: Halves>(l: L, constants: &Constants, mut columns: Columns<L>) -> Element<L> {
    let p = |j| block(&constants.p, j).map(|limb| l.splat(limb));
    for i in 0..BLOCKS {
        let multiple = clear(l, constants.factor, &mut columns, i, p(0));
        for j in 1..BLOCKS {
            add_product(l, &mut columns, i + j, multiple, p(j));
        }
    }
    let mut limbs = [l.splat(0); LIMBS];
    let mut carry = l.splat(0);
    let mask = l.splat(MASK_52);
    for (limb, column) in limbs.iter_mut().zip(&columns[LIMBS..]) {
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
    columns: &mut Columns<L>,
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
