//! Polynomials over the field of 2^255 − 19 elements, where each coefficient meets each point: the leaves of product
//! trees, and Horner's rule.
//!
//! Numbers are below 2^255 − 19 wherever they come out, and may be any of 255 bits where they go in. The time of every
//! function depends on the numbers of points and coefficients, on nothing else. A kernel that does not run here gives way
//! to [`Kernel::Scalar`].

mod horner;
mod leaves;
#[cfg(test)]
mod tests;

use self::horner::Evaluate;
use self::leaves::{Products, Sums, Values};
use super::canonical::{canonical, words};
use super::field::{Field, Rows, limbs, rows};
use super::{Point, on_lanes_with};
use crate::Kernel;
use crate::vector::MOST_LANES;

/// A number of 255 bits, in words, least first.
pub type Number = [u64; 4];

/// The most points that a leaf can have.
pub const MOST_LEAF: usize = 64;

/// Bytes of stack that are wiped: two arrays of a leaf's coefficients for eight lanes, and what finds no register.
const STACK: usize = 2 * MOST_LEAF * 5 * 64 + (16 << 10);

/// Puts the values of a polynomial, lowest degree first, at each point into `values`.
///
/// # Panics
/// When points and values differ in number.
pub fn evaluate(kernel: Kernel, coefficients: &[Number], points: &[Number], values: &mut [Number]) {
    assert_eq!(points.len(), values.len(), "each point has its value");
    on_lanes_with::<STACK>(kernel, Evaluate { coefficients, points, values });
}

/// Puts the coefficients of Π (x − α), over each run of `leaf` roots α, into as many places of `products`: those below the
/// leading one, lowest degree first.
///
/// # Panics
/// When the two differ in length, or are no multiple of a `leaf` from 1 to [`MOST_LEAF`].
pub fn products(kernel: Kernel, leaf: usize, roots: &[Number], products: &mut [Number]) {
    check(leaf, &[roots, products]);
    on_lanes_with::<STACK>(kernel, Products { leaf, roots, products });
}

/// Puts the values at each point α of the polynomial r of degree below `leaf` with r/P = Σ u_i·x^(i − leaf) + …, in
/// falling powers from i = leaf − 1 on, into `values`: P is the product over a run of `leaf` points, as [`products`] gives
/// it, and u_0, u_1, … are its numerators.
///
/// # Panics
/// As [`products`].
pub fn values(
    kernel: Kernel,
    leaf: usize,
    products: &[Number],
    numerators: &[Number],
    points: &[Number],
    values: &mut [Number],
) {
    check(leaf, &[products, numerators, points, values]);
    on_lanes_with::<STACK>(kernel, Values { leaf, products, numerators, points, values });
}

/// Puts the coefficients of Σ w·P/(x − α), over each run of `leaf` points α with their weights w and P = Π (x − α), into
/// as many places of `sums`, lowest degree first.
///
/// # Panics
/// As [`products`].
pub fn sums(
    kernel: Kernel,
    leaf: usize,
    points: &[Number],
    weights: &[Number],
    sums: &mut [Number],
) {
    check(leaf, &[points, weights, sums]);
    on_lanes_with::<STACK>(kernel, Sums { leaf, points, weights, sums });
}

fn check(leaf: usize, all: &[&[Number]]) {
    assert!((1..=MOST_LEAF).contains(&leaf), "a leaf of 1 to {MOST_LEAF} points");
    assert!(all[0].len().is_multiple_of(leaf), "whole leaves");
    assert!(all.iter().all(|numbers| numbers.len() == all[0].len()), "as many of each");
}

fn bytes(number: &Number) -> Point {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(number) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// The same number in all lanes.
fn everywhere(number: &Number) -> Rows {
    limbs(&bytes(number)).map(|limb| [limb; MOST_LANES])
}

/// The numbers at `place` of each leaf, a lane each.
#[inline(always)]
fn load<F: Field>(f: F, leaves: &[Number], leaf: usize, place: usize) -> F::Element {
    let mut numbers = [[0; 4]; MOST_LANES];
    for (number, leaf) in numbers.iter_mut().zip(leaves.chunks_exact(leaf)) {
        *number = leaf[place];
    }
    f.load(&rows(&numbers[..F::LANES], |number| limbs(&bytes(number))))
}

/// Puts the lanes at `place` of each leaf.
#[inline(always)]
fn store<F: Field>(f: F, element: F::Element, leaves: &mut [Number], leaf: usize, place: usize) {
    let numbers = words(f.words(), &canonical(f, element));
    for (lane, leaf) in leaves.chunks_exact_mut(leaf).enumerate() {
        leaf[place] = std::array::from_fn(|word| numbers[word][lane]);
    }
}
