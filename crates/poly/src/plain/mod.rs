//! Interpolation and evaluation of plain polynomials in quasi-linear time, over fields of any size.
//!
//! Products are computed by transforms modulo word-sized primes ([`veilset_simd::ntt`]), so that the field needs no roots
//! of unity. A product tree keeps its nodes' transforms, for the way up and down.
//!
//! No time and no address depends on coefficients, points or values, only on how many there are; an error tells that points
//! coincide, and which. Intermediate values are wiped, but for what transforms leave on the stack.

mod field;
mod leaves;
mod series;
mod spectrum;
#[cfg(test)]
mod tests;
mod tree;

use veilset_crypto::tasks;
use zeroize::Zeroizing;

pub use self::field::PlainField;
use self::spectrum::Ntt;
use self::tree::Tree;
use crate::coefficients::{Wiped, concatenate};
use crate::interpolate::{derivative, quotients};
use crate::{Multiplication, PolyError};

/// Coefficients and points in words, which wipe themselves.
type Numbers = Zeroizing<Vec<u64>>;

/// Up to so many points are interpolated one by one.
const ONE_BY_ONE: usize = 32;

/// Points that one task takes with Horner's rule.
const POINTS: usize = 256;

/// The polynomial of fewer coefficients than there are points, or as many, that has `ys[i]` at `xs[i]`; as many
/// coefficients as points, lowest degree first. It works on the current rayon pool.
///
/// Lagrange's formula over a product tree, as [`interpolate`](crate::interpolate) has it.
///
/// # Errors
/// [`PolyError::RepeatedPoint`] if points are not distinct, [`PolyError::Lengths`] if there are not as many values.
///
/// # Panics
/// With more than 2^26 points, and over a prime of more than 3,072 bits.
pub fn interpolate<F: PlainField>(
    field: &F,
    xs: &[F::Element],
    ys: &[F::Element],
) -> Result<Vec<F::Element>, PolyError> {
    if xs.len() != ys.len() {
        return Err(PolyError::Lengths { points: xs.len(), values: ys.len() });
    }
    if xs.len() <= ONE_BY_ONE {
        let how = Multiplication::Toom3 { cutoff: ONE_BY_ONE };
        return crate::interpolate(field, how, xs, ys);
    }
    let split = tree::PointSplit::new(field, xs.len());
    let ntt = Ntt::new(field, split.most(xs.len()));
    let points = field.words_of(xs);
    let tree = Tree::new(&ntt, split, &points);
    // Points that fill the leaves are 0: the product has as many coefficients 0 first.
    let filled = split.points() - xs.len();
    let product = field.elements_of(&tree.root[filled * F::WORDS..]);
    let derivative = field.words_of(&derivative(field, &Zeroizing::new(product)));
    let slopes = Zeroizing::new(field.elements_of(&tree.values(&ntt, &derivative)));
    let weights = quotients(field, ys, &slopes[..xs.len()])?;
    let sum = tree.sum(&ntt, &field.words_of(&weights));
    Ok(field.elements_of(&sum[filled * F::WORDS..]))
}

/// The values of the polynomial with these coefficients, lowest degree first, at the points. It works on the current rayon
/// pool.
///
/// Horner's rule for what is short; otherwise the transpose of adding up fractions over a product tree, as
/// [`Evaluation::Transposed`](crate::Evaluation::Transposed) says, for blocks of about as many points as coefficients. A
/// polynomial with far more coefficients than there are points is taken in pieces, so that memory grows with the points.
///
/// # Panics
/// With more than 2^26 coefficients, and over a prime of more than 3,072 bits, where the size asks for a tree.
pub fn evaluate<F: PlainField>(
    field: &F,
    coefficients: &[F::Element],
    points: &[F::Element],
) -> Vec<F::Element> {
    let poly = field.words_of(coefficients);
    if coefficients.len().min(points.len()) <= field.horner_most() {
        return horner(field, &poly, points);
    }
    let blocks = points.len().div_ceil(coefficients.len());
    let block = points.len().div_ceil(blocks);
    let piece = coefficients.len().div_ceil((coefficients.len() / block).max(1));
    let split = tree::PointSplit::new(field, block);
    let ntt = Ntt::new(field, split.most(piece));
    let blocks = points.chunks(block).map(|points| {
        let split = tree::PointSplit::new(field, points.len());
        let tree = Tree::new(&ntt, split, &field.words_of(points));
        let values = |piece| {
            let values = tree.values(&ntt, piece);
            Wiped::new(field.elements_of(&values[..points.len() * F::WORDS]))
        };
        let mut pieces = poly.chunks(piece * F::WORDS).rev();
        let mut sums = values(pieces.next().unwrap_or_default());
        for piece in pieces {
            multiply_by_powers(field, &mut sums, points, piece.len() / F::WORDS);
            sums.iter_mut()
                .zip(&*values(piece))
                .for_each(|(sum, value)| *sum = field.add(sum, value));
        }
        sums
    });
    concatenate(&blocks.collect::<Vec<_>>())
}

/// Multiplies each sum by its point to a power.
fn multiply_by_powers<F: PlainField>(
    field: &F,
    sums: &mut [F::Element],
    points: &[F::Element],
    exponent: usize,
) {
    tasks::pairs::<POINTS, _, _>(sums, points, |sum, point| {
        let mut power = Zeroizing::new(field.one());
        for bit in (0..usize::BITS - exponent.leading_zeros()).rev() {
            *power = field.mul(&power, &power);
            if exponent >> bit & 1 == 1 {
                *power = field.mul(&power, point);
            }
        }
        *sum = field.mul(sum, &power);
    });
}

fn horner<F: PlainField>(field: &F, poly: &[u64], points: &[F::Element]) -> Vec<F::Element> {
    let points = field.words_of(points);
    let mut values = Numbers::new(vec![0; points.len()]);
    let runs = values.chunks_mut(POINTS * F::WORDS).zip(points.chunks(POINTS * F::WORDS));
    tasks::each(runs, |(values, points)| field.horner(poly, points, values));
    field.elements_of(&values)
}
