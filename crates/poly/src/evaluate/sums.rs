//! A sum of products for each point.

use veilset_crypto::{Row, tasks};

use crate::coefficients::{Wiped, concatenate, powers};
use crate::{Module, Scalar};

pub(super) fn evaluate<M: Module>(
    module: &M,
    poly: &[M::Element],
    points: &[Scalar<M>],
) -> Vec<M::Element> {
    if let Some(values) = module.values(poly, points) {
        return values;
    }
    let value = |point| {
        let powers = Wiped::new(powers(module.field(), point, poly.len()));
        Wiped::new(vec![value(module, &powers, poly)])
    };
    concatenate(&tasks::map(points, value))
}

/// The sums of the elements, of which the first counts once, the second `scalars` times, and each other one as often as `next`
/// says in their place: each element has one row.
pub(super) fn by_rows<M: Module>(
    module: &M,
    elements: &[M::Element],
    scalars: Vec<Scalar<M>>,
    mut next: impl FnMut(&mut [Scalar<M>]),
) -> Vec<M::Element> {
    let (count, mut scalars) = (scalars.len(), Wiped::new(scalars));
    let mut all = Wiped::new(Vec::with_capacity(count * elements.len()));
    let mut rows = Vec::with_capacity(elements.len());
    for element in 1..elements.len() {
        rows.push(Row { element, from: all.len(), count, to: 0 });
        all.extend_from_slice(&scalars);
        next(&mut scalars);
    }
    let mut sums = module.sums_of_rows(&all, elements, &rows, count);
    module.add(&mut sums, &Wiped::new(vec![elements[0].clone(); count]));
    sums
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
