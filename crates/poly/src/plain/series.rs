//! The inverse of a power series with the constant coefficient 1.

use super::spectrum::{Ntt, size};
use super::{Numbers, PlainField};
use crate::coefficients::Wiped;
use crate::series;

/// So many coefficients are computed one by one.
const ONE_BY_ONE: usize = 32;

/// The first `len` coefficients of 1/`series`; coefficients that `series` lacks are 0.
///
/// Newton's iteration with a middle product (Hanrot, Quercia, Zimmermann: "The middle product algorithm I", AAECC 2004,
/// section 4.1).
pub(super) fn invert<F: PlainField>(ntt: &Ntt<'_, F>, series: &[u64], len: usize) -> Numbers {
    let field = ntt.field;
    let doublings = len.div_ceil(ONE_BY_ONE).next_power_of_two().ilog2();
    let first = len.div_ceil(1 << doublings);
    let known = first.min(series.len() / F::WORDS);
    let start = Wiped::new(field.elements_of(&series[..known * F::WORDS]));
    let start = series::one_by_one(field, &field.one(), &start, first);
    let mut inverse = field.words_of(&start);
    for _ in 0..doublings {
        inverse = double(ntt, series, &inverse);
    }
    inverse.truncate(len * F::WORDS);
    inverse
}

/// Twice as many coefficients of the inverse g of f: where f·g = 1 + x^l·e, the next ones are those of −e·g. What wraps
/// around a transform of 2·l words falls on the first l coefficients of f·g, which are known.
fn double<F: PlainField>(ntt: &Ntt<'_, F>, series: &[u64], inverse: &[u64]) -> Numbers {
    let len = inverse.len() / F::WORDS;
    let size = size(2 * len);
    let known = series.len().min(2 * inverse.len());
    let f = ntt.forward(&series[..known], size);
    let g = ntt.forward(inverse, size);
    let mut error = Numbers::new(vec![0; inverse.len()]);
    ntt.backward(ntt.product(&f, &g), len, &mut error);
    let error = ntt.forward(&error, size);
    let mut longer = Numbers::new(vec![0; 2 * inverse.len()]);
    let (low, high) = longer.split_at_mut(inverse.len());
    low.copy_from_slice(inverse);
    ntt.backward(ntt.product(&error, &g), 0, high);
    for words in high.chunks_exact_mut(F::WORDS) {
        let opposite = ntt.field.neg(&ntt.field.read(words));
        ntt.field.write(&opposite, words);
    }
    longer
}
