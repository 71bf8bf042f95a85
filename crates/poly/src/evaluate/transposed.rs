//! The transpose of a sum of fractions.
//!
//! f(α_i) = Σ_j f_j·α_i^j for all i is the transpose of adding up Σ_i w_i/(1 − α_i·z) up to z^(n − 1), which a product tree
//! does with numerators: N_a·P_b + N_b·P_a over P_a·P_b, and at last a product with 1/P. Read backwards, each step becomes
//! its transpose, and none divides. P = Π (1 − α_i·z) is the reversal of Π (x − α_i); its constant coefficient is 1, which
//! costs no products.

use super::sums;
use crate::coefficients::{Wiped, concatenate, padded};
use crate::divide::reversal;
use crate::multiply::{Problem, Solver};
use crate::series::invert;
use crate::tree::ProductTree;
use crate::{Itself, Module, PolyError, Scalar};
use veilset_crypto::{Field, tasks};

/// The values of `poly` at the points of the tree.
pub(crate) fn descend<M: Module>(
    solver: &Solver<'_, M>,
    plain: &Solver<'_, Itself<'_, M::Field>>,
    tree: &ProductTree<Scalar<M>>,
    poly: &[M::Element],
    points: &[Scalar<M>],
) -> Result<Vec<M::Element>, PolyError> {
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let mut numerators = vec![root(solver, plain, tree.root(), poly)?];
    for level in tree.levels.iter().rev().skip(1) {
        numerators = halve(solver, &numerators, level)?;
    }
    let leaf = tree.levels[0][0].len();
    let leaves = points.chunks(leaf).zip(&tree.levels[0]).zip(numerators);
    let values = tasks::map(leaves, |((points, product), numerator)| {
        let field = solver.module.field();
        if solver.module.least_row().is_some_and(|least| points.len() >= least) {
            // Coefficient by coefficient of all cofactors, from the second on.
            let mut below = product.iter().rev();
            let mut next = |coefficients: &mut [Scalar<M>]| {
                let Some(low) = below.next() else { return };
                for (coefficient, point) in coefficients.iter_mut().zip(points) {
                    *coefficient = field.add(low, &field.mul(point, coefficient));
                }
            };
            let mut second = vec![field.one(); points.len()];
            next(&mut second);
            return Wiped::new(sums::by_rows(solver.module, &numerator, second, next));
        }
        let value =
            |point| sums::value(solver.module, &cofactor(field, product, point), &numerator);
        Wiped::new(points.iter().map(value).collect())
    });
    Ok(concatenate(&values))
}

/// The transpose of the product with 1/P.
fn root<M: Module>(
    solver: &Solver<'_, M>,
    plain: &Solver<'_, Itself<'_, M::Field>>,
    product: &[Scalar<M>],
    poly: &[M::Element],
) -> Result<Wiped<M::Element>, PolyError> {
    let (module, field) = (solver.module, solver.module.field());
    let inverse = invert(plain, &reversal(field, product), &field.one(), poly.len())?;
    let (inverse, high) = (inverse.get(1..), poly.get(1..));
    let (inverse, high) = (inverse.unwrap_or_default(), high.unwrap_or_default());
    let wanted = high.len().min(product.len());
    let high = padded(module, high, (high.len() + wanted).saturating_sub(1));
    let sums = solver.solve_one(Problem::transposed(inverse, high))?;
    let mut numerator = padded(module, poly, product.len());
    module.add(&mut numerator[..sums.len()], &sums);
    Ok(numerator)
}

/// The transpose of N_a·P_b + N_b·P_a for each pair of nodes.
fn halve<M: Module>(
    solver: &Solver<'_, M>,
    parents: &[Wiped<M::Element>],
    level: &[Wiped<Scalar<M>>],
) -> Result<Vec<Wiped<M::Element>>, PolyError> {
    let problems = (0..level.len()).map(|index| {
        // A node that its parent passed on has no neighbour, and nothing to add.
        let neighbour = level.get(index ^ 1).map_or(&[][..], |neighbour| neighbour);
        let reversed = Wiped::new(neighbour.iter().rev().cloned().collect());
        Problem::transposed(reversed, &parents[index / 2][1..])
    });
    let sums = solver.solve(&problems.collect::<Vec<_>>())?;
    let nodes = sums.into_iter().zip(level).enumerate();
    Ok(tasks::map(nodes, |(index, (sum, node))| {
        let mut numerator = Wiped::new(parents[index / 2][..node.len()].to_vec());
        solver.module.add(&mut numerator[..sum.len()], &sum);
        numerator
    }))
}

/// P/(1 − α·z) where the reversal of P has these coefficients below the leading one, and α is one of its roots.
fn cofactor<F: Field>(field: &F, low: &[F::Element], root: &F::Element) -> Wiped<F::Element> {
    let mut cofactor = Wiped::new(Vec::with_capacity(low.len()));
    let mut coefficient = field.one();
    for next in low.iter().rev() {
        cofactor.push(coefficient.clone());
        coefficient = field.add(next, &field.mul(root, &coefficient));
    }
    cofactor
}
