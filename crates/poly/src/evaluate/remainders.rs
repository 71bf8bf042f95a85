//! Remainders down a product tree.

use veilset_crypto::tasks;

use super::horner;
use crate::coefficients::Wiped;
use crate::divide::{Divisor, divide_each};
use crate::multiply::Solver;
use crate::tree::ProductTree;
use crate::{Itself, Module, PolyError, Scalar};

/// The values of `poly` at the points of the tree.
pub(super) fn descend<M: Module>(
    solver: &Solver<'_, M>,
    plain: &Solver<'_, Itself<'_, M::Field>>,
    tree: &ProductTree<Scalar<M>>,
    poly: &[M::Element],
    points: &[Scalar<M>],
) -> Result<Vec<M::Element>, PolyError> {
    let mut remainders = vec![Wiped::new(poly.to_vec())];
    for level in tree.levels.iter().rev() {
        remainders = reduce(solver, plain, &remainders, level)?;
    }
    let leaf = tree.levels[0].first().map_or(1, |leaf| leaf.len());
    let places = points.chunks(leaf).zip(&remainders);
    let places = places.flat_map(|(block, rest)| block.iter().map(move |point| (point, &rest[..])));
    Ok(horner::each(solver.module, &places.collect::<Vec<_>>()))
}

/// The remainders by the nodes of a level from those by their parents, two nodes each. A node that its parent passed on
/// leaves the remainder as it is.
fn reduce<M: Module>(
    solver: &Solver<'_, M>,
    plain: &Solver<'_, Itself<'_, M::Field>>,
    parents: &[Wiped<M::Element>],
    level: &[Wiped<Scalar<M>>],
) -> Result<Vec<Wiped<M::Element>>, PolyError> {
    let dividends: Vec<_> = (0..level.len()).map(|index| &parents[index / 2][..]).collect();
    let divisors = tasks::map(level.iter().zip(&dividends), |(node, dividend)| {
        Divisor::new(plain, node, dividend.len().saturating_sub(node.len()))
    });
    let divisors = divisors.into_iter().collect::<Result<Vec<_>, _>>()?;
    let divisions = divide_each(solver, &dividends, &divisors.iter().collect::<Vec<_>>())?;
    Ok(divisions.into_iter().map(|division| division.remainder).collect())
}
