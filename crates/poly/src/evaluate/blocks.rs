//! Remainders by blocks of points.

use veilset_crypto::tasks;

use super::horner;
use crate::coefficients::Wiped;
use crate::divide::{Divisor, divide_each};
use crate::multiply::Solver;
use crate::tree::product;
use crate::{Itself, Module, PolyError, Scalar};

/// In the notation of Kim and Kim's Algorithm 2: `poly` is f, `size` is η, a block's product is φ_j.
pub(super) fn evaluate<M: Module>(
    solver: &Solver<'_, M>,
    plain: &Solver<'_, Itself<'_, M::Field>>,
    poly: &[M::Element],
    points: &[Scalar<M>],
    size: usize,
) -> Result<Vec<M::Element>, PolyError> {
    let blocks: Vec<_> = points.chunks(size).collect();
    let products: Result<Vec<_>, _> =
        tasks::map(&blocks, |block| product(plain, block)).into_iter().collect();
    let products = products?;
    let divisors: Result<Vec<_>, _> =
        tasks::map(&products, |product| Divisor::new(plain, product, size)).into_iter().collect();
    let divisors = divisors?;
    let mut remainders = Vec::with_capacity(blocks.len());
    for divisors in divisors.chunk_by(|a, b| a.degree() == b.degree()) {
        remainders.extend(reduce(solver, poly, divisors)?);
    }
    let places = blocks.iter().zip(&remainders);
    let places = places.flat_map(|(block, rest)| block.iter().map(move |point| (point, &rest[..])));
    Ok(horner::each(solver.module, &places.collect::<Vec<_>>()))
}

/// The remainders of `poly` by divisors of the same degree: long division in pieces of that degree, from the highest,
/// for all divisors at the same time.
fn reduce<M: Module>(
    solver: &Solver<'_, M>,
    poly: &[M::Element],
    divisors: &[Divisor<'_, Scalar<M>>],
) -> Result<Vec<Wiped<M::Element>>, PolyError> {
    let degree = divisors.first().map_or(1, Divisor::degree);
    let mut pieces = poly.chunks(degree).rev();
    let highest = pieces.next().unwrap_or_default();
    let mut remainders = vec![Wiped::new(highest.to_vec()); divisors.len()];
    for piece in pieces {
        let dividends: Vec<_> =
            remainders.iter().map(|rest| Wiped::new([piece, rest].concat())).collect();
        let dividends: Vec<_> = dividends.iter().map(|dividend| &dividend[..]).collect();
        let divisions = divide_each(solver, &dividends, &divisors.iter().collect::<Vec<_>>())?;
        remainders = divisions.into_iter().map(|division| division.remainder).collect();
    }
    Ok(remainders)
}
