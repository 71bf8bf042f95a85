//! A sum of products for each point.

use rayon::prelude::*;

use crate::coefficients::{Wiped, powers};
use crate::{Module, Scalar};

pub(super) fn evaluate<M: Module>(
    module: &M,
    poly: &[M::Element],
    points: &[Scalar<M>],
) -> Vec<M::Element> {
    let value = |point| {
        let powers = Wiped::new(powers(module.field(), point, poly.len()));
        value(module, &powers, poly)
    };
    points.par_iter().map(value).collect()
}

/// Σ `scalars[i]`·`elements[i]`, where the first scalar is 1.
pub(super) fn value<M: Module>(
    module: &M,
    scalars: &[Scalar<M>],
    elements: &[M::Element],
) -> M::Element {
    let Some((first, others)) = elements.split_first() else {
        return module.zero();
    };
    let mut value = first.clone();
    if !others.is_empty() {
        let sum = module.sum_of_products(&scalars[1..], others);
        module.add(std::slice::from_mut(&mut value), &[sum]);
    }
    value
}
