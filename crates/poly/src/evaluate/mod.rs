//! Evaluation at many points.

mod blocks;
mod horner;
mod remainders;
mod sums;
#[cfg(test)]
mod tests;
pub(crate) mod transposed;

use crate::multiply::Solver;
use crate::tree::ProductTree;
use crate::{Itself, Module, Multiplication, PolyError, Scalar};

/// How to evaluate a polynomial with coefficients in a module at many plain points. [`cost`](crate::cost) says what each
/// costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// Horner's rule, for all points at the same time: a product for each coefficient and point.
    Horner,
    /// Algorithm 2 of Kim and Kim: the remainders by the polynomials whose roots are blocks of points, and Horner's rule
    /// on these.
    Blocks {
        /// Points in a block, η in the paper.
        size: usize,
        /// Multiplies in the divisions.
        multiplication: Multiplication,
    },
    /// The remainders down a tree: by the product over all points, over each half of them, and so on (von zur Gathen,
    /// Gerhard: "Modern Computer Algebra", section 10.1); below, Horner's rule.
    RemainderTree {
        /// Points in a leaf of the tree.
        leaf: usize,
        /// Multiplies in the divisions.
        multiplication: Multiplication,
    },
    /// The powers of each point, and for each [`Module::sum_of_products`].
    MultiScalar,
    /// The transpose of adding up fractions w_i/(1 − α_i·z) over a tree (Bostan, Lecerf, Schost, ISSAC 2003, section 6.2):
    /// a transposed product with the inverse of the product over all points, and then one for each node, where remainders
    /// take two products.
    Transposed {
        /// Points in a leaf of the tree; in one with more than a single point, each point takes a
        /// [`Module::sum_of_products`].
        leaf: usize,
        /// Multiplies in the nodes.
        multiplication: Multiplication,
    },
}

/// The values of `poly`, lowest degree first, at the points. It works on the current rayon pool.
///
/// Plain polynomials on the way are multiplied by what is [fastest](Multiplication::fastest) for them.
///
/// # Errors
/// As [`multiply`](crate::multiply).
pub fn evaluate<M: Module>(
    module: &M,
    how: Evaluation,
    poly: &[M::Element],
    points: &[Scalar<M>],
) -> Result<Vec<M::Element>, PolyError> {
    let plain = &Itself(module.field());
    let len = poly.len().max(points.len());
    let plain = Solver::new(plain, Multiplication::fastest(module.field(), len))?;
    match how {
        Evaluation::Horner => Ok(horner::evaluate(module, poly, points)),
        Evaluation::MultiScalar => Ok(sums::evaluate(module, poly, points)),
        Evaluation::Blocks { size, multiplication } => {
            let solver = Solver::new(module, multiplication)?;
            blocks::evaluate(&solver, &plain, poly, points, size.max(1))
        }
        Evaluation::RemainderTree { leaf, multiplication } => {
            let solver = Solver::new(module, multiplication)?;
            let tree = ProductTree::new(&plain, points, leaf)?;
            remainders::descend(&solver, &plain, &tree, poly, points)
        }
        Evaluation::Transposed { leaf, multiplication } => {
            let solver = Solver::new(module, multiplication)?;
            let tree = ProductTree::new(&plain, points, leaf)?;
            transposed::descend(&solver, &plain, &tree, poly, points)
        }
    }
}
