//! Leaves of product trees, element by element.

use super::PlainField;
use crate::coefficients::Wiped;
use crate::{interpolate, tree};
use veilset_crypto::Field;

/// The values of a polynomial at all points.
pub(super) fn horner<F: PlainField>(field: &F, poly: &[u64], points: &[u64], values: &mut [u64]) {
    let poly = Wiped::new(field.elements_of(poly));
    for (point, words) in runs::<F>(1, points).zip(values.chunks_exact_mut(F::WORDS)) {
        field.write(&value(field, &poly, &field.read(point)), words);
    }
}

/// Horner's rule.
fn value<F: Field>(field: &F, poly: &[F::Element], x: &F::Element) -> F::Element {
    let coefficients = poly.iter().rev();
    coefficients.fold(field.zero(), |sum, c| field.add(&field.mul(&sum, x), c))
}

/// The products over the points of each leaf.
pub(super) fn products<F: PlainField>(
    field: &F,
    leaf: usize,
    points: &[u64],
    products: &mut [u64],
) {
    let products = products.chunks_exact_mut(leaf * F::WORDS);
    for (points, words) in runs::<F>(leaf, points).zip(products) {
        let points = Wiped::new(field.elements_of(points));
        words.copy_from_slice(&field.words_of(&tree::one_by_one(field, &points)));
    }
}

/// The values at the points of each leaf, from its product and its numerators.
pub(super) fn values<F: PlainField>(
    field: &F,
    leaf: usize,
    [products, numerators, points]: [&[u64]; 3],
    values: &mut [u64],
) {
    let nodes = runs::<F>(leaf, products).zip(runs::<F>(leaf, numerators));
    let values = values.chunks_exact_mut(leaf * F::WORDS);
    for ((product, numerators), (points, words)) in nodes.zip(runs::<F>(leaf, points).zip(values)) {
        let product = Wiped::new(field.elements_of(product));
        let numerators = Wiped::new(field.elements_of(numerators));
        let rest = field.words_of(&remainder(field, &product, &numerators));
        horner(field, &rest, points, words);
    }
}

/// The polynomial r with r/P = Σ u_i·x^(i − d) + …, in falling powers from i = d − 1 on, for P = x^d + …: its coefficients
/// are r_i = u_i + Σ_k u_k·P_(d − k + i), over k > i.
fn remainder<F: Field>(
    field: &F,
    product: &[F::Element],
    numerators: &[F::Element],
) -> Wiped<F::Element> {
    let coefficient = |i: usize| {
        let terms = numerators[i + 1..].iter().zip(product.iter().rev());
        terms.fold(numerators[i].clone(), |sum, (u, p)| field.add(&sum, &field.mul(u, p)))
    };
    Wiped::new((0..numerators.len()).map(coefficient).collect())
}

/// Σ w·P/(x − α) over the points α of each leaf and their weights w.
pub(super) fn sums<F: PlainField>(
    field: &F,
    leaf: usize,
    points: &[u64],
    weights: &[u64],
    sums: &mut [u64],
) {
    let leaves = runs::<F>(leaf, points).zip(runs::<F>(leaf, weights));
    for ((points, weights), words) in leaves.zip(sums.chunks_exact_mut(leaf * F::WORDS)) {
        let points = Wiped::new(field.elements_of(points));
        let weights = Wiped::new(field.elements_of(weights));
        words.copy_from_slice(&field.words_of(&interpolate::one_by_one(field, &points, &weights)));
    }
}

/// Runs of so many numbers.
fn runs<F: PlainField>(count: usize, words: &[u64]) -> impl Iterator<Item = &[u64]> {
    words.chunks_exact(count * F::WORDS)
}
