//! Each point times its own scalar: signed windows of 4 bits, a table of 8 odd multiples in each lane.
//!
//! In the field these are 1,012 squarings and 1,337 multiplications: 4 and 3 for each of 252 doublings, 8 for each of 63
//! additions after them, 69 and 4 squarings for the table. Windows of 5 bits save 13 additions, and cost 8 more multiples and
//! lookups that read twice as much: slower by a tenth.

use super::digits::{Digit, Windows};
use super::formulas::{self, Extended, Left, Right};
use crate::curve25519::field::Field;

/// The odd multiples 1, 3, 5, …, 15 of a point.
pub(super) type OddMultiples<F> = [Right<F>; 8];

/// The products of a group of points with scalars.
#[inline(always)]
pub(super) fn multiply<F: Field>(f: F, windows: &Windows, point: Extended<F>) -> Extended<F> {
    let table = odd_multiples(f, point);
    let digit = windows.digit(Windows::COUNT - 1);
    // The highest digit is positive.
    let mut sum = formulas::add(f, Left::neutral(f), look_up(f, &table, &digit));
    for index in (0..Windows::COUNT - 1).rev() {
        for _ in 0..4 {
            sum = formulas::double(f, sum.projective(f));
        }
        let digit = windows.digit(index);
        let multiple = look_up(f, &table, &digit);
        sum = formulas::add_or_subtract(f, f.mask(digit.negative), sum.left(f), multiple);
    }
    sum.extended(f)
}

#[inline(always)]
pub(super) fn odd_multiples<F: Field>(f: F, point: Extended<F>) -> OddMultiples<F> {
    let twice = formulas::double(f, point.projective(f)).left(f).right(f);
    let mut multiple = point.left(f);
    let mut table = [multiple.right(f); 8];
    for entry in &mut table[1..] {
        multiple = formulas::add(f, multiple, twice).left(f);
        *entry = multiple.right(f);
    }
    table
}

/// In each lane the multiple of the digit's size; all are read.
#[inline(always)]
pub(super) fn look_up<F: Field>(f: F, table: &OddMultiples<F>, digit: &Digit) -> Right<F> {
    let [low, middle, high] =
        [f.mask(digit.place[0]), f.mask(digit.place[1]), f.mask(digit.place[2])];
    let mut chosen = table[0];
    for (coordinate, chosen) in chosen.0.iter_mut().enumerate() {
        let mut half = [*chosen; 2];
        for (index, half) in half.iter_mut().enumerate() {
            let entries = &table[4 * index..];
            let first = f.select(low, entries[1].0[coordinate], entries[0].0[coordinate]);
            let second = f.select(low, entries[3].0[coordinate], entries[2].0[coordinate]);
            *half = f.select(middle, second, first);
        }
        *chosen = f.select(high, half[1], half[0]);
    }
    chosen
}
