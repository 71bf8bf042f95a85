//! Products by number-theoretic transforms.
//!
//! A product of n coefficients is the cyclic one of length n. The transform of the module's factor is linear with public
//! scalars, powers of a root of unity ω; the powers that are 1 cost nothing, and the division by n is done on the plain
//! factor. If a product has few coefficients more than a power of two, those are computed each by each, and taken from
//! where they wrap around to: k + 1 by k + 1 coefficients with k a power of two need transforms of 2k, not 4k.

use veilset_crypto::tasks;

use super::problem::{Form, Problem};
use super::split::{BATCH, Lengths};
use super::transform::{Direction, Roots, transform};
use crate::coefficients::{Wiped, concatenate, padded};
use crate::{Itself, Module, PolyError, Scalar};

/// A product as a cyclic one of 2^`log_size` coefficients, `wrapped` fewer than the product has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cyclic {
    pub(crate) log_size: u32,
    pub(crate) wrapped: usize,
}

impl Cyclic {
    pub(crate) const fn size(self) -> usize {
        1 << self.log_size
    }

    /// Products of a scalar and an element.
    pub(crate) const fn scalings(self) -> usize {
        2 * transform_scalings(self.log_size) + self.size() + self.wrapped_pairs()
    }

    /// Pairs of coefficients that wrap around: one for the highest coefficient, two for the next, and so on.
    pub(crate) const fn wrapped_pairs(self) -> usize {
        self.wrapped * (self.wrapped + 1) / 2
    }

    /// The cheapest for those lengths.
    pub(super) fn cheapest(lengths: Lengths) -> Self {
        let product = lengths.product().max(1);
        let whole = Self { log_size: product.next_power_of_two().ilog2(), wrapped: 0 };
        if whole.size() == product || 2 * lengths.longer() > whole.size() {
            return whole;
        }
        let half = whole.log_size - 1;
        let half = Self { log_size: half, wrapped: product - (1 << half) };
        if half.scalings() < whole.scalings() { half } else { whole }
    }
}

/// In each of log2 n steps half of the elements is multiplied, and over all steps n − 1 of the factors are 1.
pub(crate) const fn transform_scalings(log_size: u32) -> usize {
    ((log_size as usize) << log_size) / 2 + 1 - (1 << log_size)
}

/// Solves problems that have the same size.
pub(super) fn solve<M: Module>(
    module: &M,
    cyclic: Cyclic,
    problems: &[Problem<'_, M>],
) -> Result<Vec<Wiped<M::Element>>, PolyError> {
    let field = &Itself(module.field());
    let size = cyclic.size();
    let roots = Roots::new(field.0, cyclic.log_size)?;
    let plain = problems.iter().map(|problem| cyclic_plain(field.0, problem, size));
    let mut plain = Wiped::new(concatenate(&plain.collect::<Vec<_>>()));
    let poly = problems.iter().map(|problem| padded(module, &problem.poly, size));
    let mut poly = Wiped::new(concatenate(&poly.collect::<Vec<_>>()));
    transform(field, &roots, Direction::Forward, &mut plain);
    transform(module, &roots, Direction::Forward, &mut poly);
    tasks::each(plain.chunks_mut(BATCH).zip(poly.chunks_mut(BATCH)), |(plain, poly)| {
        field.scale(&vec![roots.inverse_of_size.clone(); plain.len()], plain);
        module.scale(plain, poly);
    });
    transform(module, &roots, Direction::Inverse, &mut poly);
    let products = poly.chunks(size).zip(problems);
    Ok(products.map(|(product, problem)| linear(module, cyclic, problem, product)).collect())
}

/// The plain factor a, or for the transpose what stands for a_j at the place −j.
fn cyclic_plain<M: Module>(
    field: &M::Field,
    problem: &Problem<'_, M>,
    size: usize,
) -> Wiped<Scalar<M>> {
    let mut plain = padded(&Itself(field), &problem.plain, size);
    if problem.form == Form::Transposed {
        plain[1..].reverse();
    }
    plain
}

/// The product, or its transpose, from the cyclic one.
fn linear<M: Module>(
    module: &M,
    cyclic: Cyclic,
    problem: &Problem<'_, M>,
    product: &[M::Element],
) -> Wiped<M::Element> {
    match problem.form {
        Form::Product => {
            let mut product = padded(module, product, problem.lengths.product());
            if cyclic.wrapped > 0 {
                let high = wrapped_product(module, cyclic.wrapped, problem);
                module.sub(&mut product[..cyclic.wrapped], &high);
                product[cyclic.size()..].clone_from_slice(&high);
            }
            product
        }
        Form::Transposed => {
            let mut product = padded(module, product, problem.lengths.poly);
            if cyclic.wrapped > 0 {
                let missing = wrapped_transposed(module, cyclic, problem);
                let from = product.len() - cyclic.wrapped;
                module.add(&mut product[from..], &missing);
            }
            product
        }
    }
}

/// The highest `wrapped` coefficients of the product.
fn wrapped_product<M: Module>(
    module: &M,
    wrapped: usize,
    problem: &Problem<'_, M>,
) -> Wiped<M::Element> {
    let Lengths { plain, poly } = problem.lengths;
    let sums = (0..wrapped).map(|index| {
        let missing = wrapped - index;
        let reversed = problem.poly[poly - missing..].iter().rev().cloned();
        module.sum_of_products(&problem.plain[plain - missing..], &Wiped::new(reversed.collect()))
    });
    Wiped::new(sums.collect())
}

/// What the last `wrapped` coefficients of the transposed product lack: the plain coefficient a_j met c_{i+j−n} in place of
/// c_{i+j}.
fn wrapped_transposed<M: Module>(
    module: &M,
    cyclic: Cyclic,
    problem: &Problem<'_, M>,
) -> Wiped<M::Element> {
    let mut missed = Wiped::new(problem.poly[cyclic.size()..].to_vec());
    module.sub(&mut missed, &problem.poly[..cyclic.wrapped]);
    let end = problem.plain.len();
    let sums = (1..=cyclic.wrapped)
        .map(|count| module.sum_of_products(&problem.plain[end - count..], &missed[..count]));
    Wiped::new(sums.collect())
}
