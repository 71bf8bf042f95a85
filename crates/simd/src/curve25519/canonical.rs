//! Numbers modulo p in their one form, in lanes: signs, zeros, comparisons and bytes.
//!
//! Answers are words: 1 says yes, 0 says no.

use super::Point;
use super::field::{Field, Int, Limbs, MASK, P, Rows, each_limb};
use super::words::Words;
use crate::vector::{MOST_LANES, Vector};

/// Limbs of 51 bits of numbers below p.
pub(super) type Canonical<W> = [<W as Vector>::Int; 5];

/// The numbers below p.
#[inline(always)]
pub(super) fn canonical<F: Field>(f: F, element: F::Element) -> Canonical<F::Words> {
    reduce(f.words(), &f.store(element))
}

/// The limbs as they are.
#[inline(always)]
pub(super) fn load<W: Words>(w: W, rows: &Rows) -> Canonical<W> {
    each_limb!(k => w.load(&rows[k]))
}

/// The numbers below p of limbs below 2^52.
#[inline(always)]
pub(super) fn reduce<W: Words>(w: W, rows: &Rows) -> Canonical<W> {
    let mut limbs = load(w, rows);
    // Twice, so that each limb but the last is below 2^51 and the whole is below 2^255 + 2^51.
    for _ in 0..2 {
        ripple(w, &mut limbs);
        limbs[0] = w.add(limbs[0], nineteen_times(w, w.right::<51>(limbs[4])));
        limbs[4] = w.and(limbs[4], w.ints(MASK.cast_signed()));
    }
    // A number is at least p if and only if adding 19 reaches 2^255.
    let mut reaches = w.ints(19);
    for limb in limbs {
        reaches = w.right::<51>(w.add(limb, reaches));
    }
    limbs[0] = w.add(limbs[0], nineteen_times(w, reaches));
    ripple(w, &mut limbs);
    limbs[4] = w.and(limbs[4], w.ints(MASK.cast_signed()));
    limbs
}

/// Carries from each limb but the last.
#[inline(always)]
fn ripple<W: Words>(w: W, limbs: &mut [W::Int; 5]) {
    for k in 0..4 {
        limbs[k + 1] = w.add(limbs[k + 1], w.right::<51>(limbs[k]));
        limbs[k] = w.and(limbs[k], w.ints(MASK.cast_signed()));
    }
}

#[inline(always)]
fn nineteen_times<W: Words>(w: W, carry: W::Int) -> W::Int {
    w.multiply(carry, w.ints(19))
}

/// Whether an element is negative as RFC 9496 (section 3.1) has it: an odd number.
#[inline(always)]
pub(super) fn negative<F: Field>(f: F, element: F::Element) -> F::Mask {
    f.words().odd(canonical(f, element)[0])
}

/// Of each element and its opposite the one that is not negative.
#[inline(always)]
pub(super) fn positive<F: Field>(f: F, element: F::Element) -> F::Element {
    let opposite = f.subtract(f.splat(0), element);
    let opposite = f.carry(f.multiply_add(opposite, f.splat(0), 1));
    f.select(negative(f, element), opposite, element)
}

/// Of each number and its opposite the one that is not negative.
#[inline(always)]
pub(super) fn absolute<W: Words>(w: W, limbs: &Canonical<W>) -> Canonical<W> {
    // p − x; each limb borrows from the next.
    let mut opposite = each_limb!(k => w.subtract(w.ints(P[k].cast_signed()), limbs[k]));
    for k in 0..4 {
        opposite[k + 1] = w.add(opposite[k + 1], w.right_signed::<51>(opposite[k]));
        opposite[k] = w.and(opposite[k], w.ints(MASK.cast_signed()));
    }
    let negative = w.odd(limbs[0]);
    each_limb!(k => w.select(negative, opposite[k], limbs[k]))
}

/// Whether a number is this constant.
#[inline(always)]
pub(super) fn equals<W: Words>(w: W, number: &Canonical<W>, constant: Limbs) -> W::Int {
    zero_sum(w, each_limb!(k => w.xor(number[k], w.ints(constant[k].cast_signed()))))
}

/// Whether two numbers are the same.
#[inline(always)]
pub(super) fn same<W: Words>(w: W, a: &Canonical<W>, b: &Canonical<W>) -> W::Int {
    zero_sum(w, each_limb!(k => w.xor(a[k], b[k])))
}

/// Whether an element is 0.
#[inline(always)]
pub(super) fn zero<F: Field>(f: F, element: F::Element) -> Int<F> {
    zero_sum(f.words(), canonical(f, element))
}

/// Whether all of these words, from 0 to 2^51, are 0.
#[inline(always)]
fn zero_sum<W: Words>(w: W, [w0, w1, w2, w3, w4]: [W::Int; 5]) -> W::Int {
    let sum = w.add(w.add(w.add(w0, w1), w.add(w2, w3)), w4);
    w.right::<63>(w.subtract(sum, w.ints(1)))
}

/// Puts the numbers into a group of byte strings, at most as many as lanes.
#[inline(always)]
pub(super) fn put<W: Words>(w: W, limbs: &Canonical<W>, group: &mut [Point]) {
    let words = words(w, limbs);
    for (lane, point) in group.iter_mut().enumerate() {
        for (bytes, word) in point.chunks_exact_mut(8).zip(&words) {
            bytes.copy_from_slice(&word[lane].to_le_bytes());
        }
    }
}

/// The words of the numbers: row k has word k of each lane.
#[inline(always)]
pub(super) fn words<W: Words>(w: W, limbs: &Canonical<W>) -> [[u64; MOST_LANES]; 4] {
    let [l0, l1, l2, l3, l4] = *limbs;
    [
        w.array(w.add(l0, w.left::<51>(l1))),
        w.array(w.add(w.right::<13>(l1), w.left::<38>(l2))),
        w.array(w.add(w.right::<26>(l2), w.left::<25>(l3))),
        w.array(w.add(w.right::<39>(l3), w.left::<12>(l4))),
    ]
}
