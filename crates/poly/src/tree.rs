//! Product trees.

use veilset_crypto::{Field, tasks};
use zeroize::Zeroize;

use crate::coefficients::{Wiped, add_at};
use crate::multiply::{Problem, Solver};
use crate::{Itself, Multiplication, PolyError};

/// So many factors are multiplied one by one; measured with 255-bit fields.
pub(crate) const ONE_BY_ONE: usize = 32;

/// The products of x − α over parts of the points: `levels[0]` has one for each run of as many points as a leaf holds, and
/// each further level one for each pair of the level before; an odd one is passed on. The last has the product over all.
///
/// All are monic, and only coefficients below the leading one are kept.
pub(crate) struct ProductTree<S: Zeroize> {
    pub(crate) levels: Vec<Vec<Wiped<S>>>,
}

/// The coefficients of Π (x − α) over all `roots`, lowest degree first, the last of them 1.
///
/// # Errors
/// As [`multiply`](crate::multiply).
pub fn expand<F: Field>(
    field: &F,
    how: Multiplication,
    roots: &[F::Element],
) -> Result<Vec<F::Element>, PolyError> {
    let mut product = product(&Solver::new(&Itself(field), how)?, roots)?;
    let mut expansion = Vec::with_capacity(product.len() + 1);
    expansion.append(&mut product);
    expansion.push(field.one());
    Ok(expansion)
}

/// The same without the leading coefficient.
pub(crate) fn product<F: Field>(
    solver: &Solver<'_, Itself<'_, F>>,
    roots: &[F::Element],
) -> Result<Wiped<F::Element>, PolyError> {
    let mut level = leaves(solver.module.0, roots, ONE_BY_ONE);
    while level.len() > 1 {
        level = merge(solver, &level)?;
    }
    Ok(level.pop().unwrap_or_default())
}

impl<S: Zeroize> ProductTree<S> {
    /// With `leaf` points in a leaf, at least 1.
    pub(crate) fn new<F: Field<Element = S>>(
        solver: &Solver<'_, Itself<'_, F>>,
        points: &[S],
        leaf: usize,
    ) -> Result<Self, PolyError> {
        let mut level = leaves(solver.module.0, points, leaf.max(1));
        let mut levels = Vec::new();
        while level.len() > 1 {
            let next = merge(solver, &level)?;
            levels.push(std::mem::replace(&mut level, next));
        }
        levels.push(level);
        Ok(Self { levels })
    }

    /// The product over all points.
    pub(crate) fn root(&self) -> &[S] {
        self.levels.last().and_then(|level| level.first()).map_or(&[], |root| root)
    }
}

fn leaves<F: Field>(field: &F, points: &[F::Element], leaf: usize) -> Vec<Wiped<F::Element>> {
    tasks::map(points.chunks(leaf), |points| one_by_one(field, points))
}

/// Π (x − α), root by root.
pub(crate) fn one_by_one<F: Field>(field: &F, roots: &[F::Element]) -> Wiped<F::Element> {
    let mut low: Wiped<F::Element> = Wiped::new(Vec::with_capacity(roots.len()));
    for (degree, root) in roots.iter().enumerate() {
        low.push(field.one());
        for index in (0..=degree).rev() {
            let scaled = field.mul(root, &low[index]);
            let below = if index == 0 { field.zero() } else { low[index - 1].clone() };
            low[index] = field.sub(&below, &scaled);
        }
    }
    low
}

/// The products of neighbours: with A = x^a + A' and B = x^b + B', A·B = x^(a+b) + x^a·B' + x^b·A' + A'·B'.
fn merge<F: Field>(
    solver: &Solver<'_, Itself<'_, F>>,
    level: &[Wiped<F::Element>],
) -> Result<Vec<Wiped<F::Element>>, PolyError> {
    let (pairs, odd) = level.as_chunks::<2>();
    let problems = pairs.iter().map(|[a, b]| Problem::product(&a[..], &b[..]));
    let products = solver.solve(&problems.collect::<Vec<_>>())?;
    let sums = tasks::map(products.into_iter().zip(pairs), |(product, [a, b])| {
        let mut sum = Wiped::new(Vec::with_capacity(a.len() + b.len()));
        sum.extend_from_slice(&product);
        add_at(solver.module, &mut sum, a.len(), b);
        add_at(solver.module, &mut sum, b.len(), a);
        sum
    });
    Ok(sums.into_iter().chain(odd.to_vec()).collect())
}
