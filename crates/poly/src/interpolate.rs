//! Interpolation.

use veilset_crypto::{Field, tasks};

use crate::coefficients::{Wiped, add_at};
use crate::evaluate::transposed;
use crate::multiply::{Problem, Solver};
use crate::tree::{ONE_BY_ONE, ProductTree};
use crate::{Itself, Multiplication, PolyError};

/// The polynomial of fewer coefficients than there are points, or as many, that has `values[i]` at `points[i]`; as many
/// coefficients as points, lowest degree first.
///
/// Lagrange's formula over a product tree: with P = Π (x − α_j), Σ v_i/P'(α_i)·P/(x − α_i) (von zur Gathen, Gerhard:
/// "Modern Computer Algebra", section 10.2).
///
/// # Errors
/// [`PolyError::RepeatedPoint`] if points are not distinct, [`PolyError::Lengths`] if there are not as many values, and as
/// [`multiply`](crate::multiply).
pub fn interpolate<F: Field>(
    field: &F,
    how: Multiplication,
    points: &[F::Element],
    values: &[F::Element],
) -> Result<Vec<F::Element>, PolyError> {
    if points.len() != values.len() {
        return Err(PolyError::Lengths { points: points.len(), values: values.len() });
    }
    let plain = Itself(field);
    let solver = Solver::new(&plain, how)?;
    let tree = ProductTree::new(&solver, points, ONE_BY_ONE)?;
    let derivative = derivative(field, tree.root());
    let slopes = transposed::descend(&solver, &solver, &tree, &derivative, points)?;
    let weights = quotients(field, values, &Wiped::new(slopes))?;

    let leaves = points.chunks(ONE_BY_ONE).zip(weights.chunks(ONE_BY_ONE));
    let mut sums = tasks::map(leaves, |(points, weights)| one_by_one(field, points, weights));
    for level in &tree.levels {
        sums = merge(&solver, level, sums)?;
    }
    let mut sum = sums.pop().unwrap_or_default();
    Ok(std::mem::take(&mut *sum))
}

/// The derivative of a monic polynomial that has these coefficients below the leading one.
pub(crate) fn derivative<F: Field>(field: &F, low: &[F::Element]) -> Wiped<F::Element> {
    let one = field.one();
    let coefficients = low.iter().chain([&one]).zip(0u64..).skip(1);
    let derivative = coefficients.map(|(c, degree)| field.mul(c, &field.element(degree)));
    Wiped::new(derivative.collect())
}

/// values[i]/slopes[i] with a single inversion: of the product of all slopes, from which those of the products of the
/// first ones follow, and from these the inverse of each (Montgomery 1987).
pub(crate) fn quotients<F: Field>(
    field: &F,
    values: &[F::Element],
    slopes: &[F::Element],
) -> Result<Wiped<F::Element>, PolyError> {
    let mut products = Wiped::new(Vec::with_capacity(slopes.len()));
    let mut product = field.one();
    for slope in slopes {
        products.push(product.clone());
        product = field.mul(&product, slope);
    }
    let mut inverse = field.inverse(&product).ok_or_else(|| {
        let zero = field.zero();
        let index = slopes.iter().position(|slope| *slope == zero).unwrap_or_default();
        PolyError::RepeatedPoint { index }
    })?;
    for ((before, slope), value) in products.iter_mut().zip(slopes).zip(values).rev() {
        *before = field.mul(value, &field.mul(before, &inverse));
        inverse = field.mul(&inverse, slope);
    }
    Ok(products)
}

/// Σ w_i·P/(x − α_i), where P = Π (x − α_i), point by point: the sum S and the product P become (x − α)·S + w·P and
/// (x − α)·P.
pub(crate) fn one_by_one<F: Field>(
    field: &F,
    points: &[F::Element],
    weights: &[F::Element],
) -> Wiped<F::Element> {
    let mut sum: Wiped<F::Element> = Wiped::new(vec![field.zero(); points.len()]);
    let mut product: Wiped<F::Element> = Wiped::new(vec![field.zero(); points.len() + 1]);
    product[0] = field.one();
    for (count, (point, weight)) in points.iter().zip(weights).enumerate() {
        times_linear(field, &mut sum[..=count], point);
        for (s, p) in sum.iter_mut().zip(&product[..=count]) {
            *s = field.add(s, &field.mul(weight, p));
        }
        times_linear(field, &mut product[..count + 2], point);
    }
    sum
}

/// Multiplies by x − α; the highest coefficient is 0 before.
fn times_linear<F: Field>(field: &F, poly: &mut [F::Element], point: &F::Element) {
    for index in (1..poly.len()).rev() {
        poly[index] = field.sub(&poly[index - 1], &field.mul(point, &poly[index]));
    }
    poly[0] = field.neg(&field.mul(point, &poly[0]));
}

/// The sums over pairs of nodes: S_a·B + S_b·A, where A = x^a + A' and B = x^b + B' are the products over the nodes'
/// points. An odd one is passed on.
fn merge<F: Field>(
    solver: &Solver<'_, Itself<'_, F>>,
    products: &[Wiped<F::Element>],
    mut sums: Vec<Wiped<F::Element>>,
) -> Result<Vec<Wiped<F::Element>>, PolyError> {
    let odd = if sums.len() % 2 == 1 { sums.pop() } else { None };
    let (nodes, _) = products.as_chunks::<2>();
    let (pairs, _) = sums.as_chunks::<2>();
    let problems = nodes.iter().zip(pairs).flat_map(|([a, b], [s_a, s_b])| {
        [Problem::product(&b[..], &s_a[..]), Problem::product(&a[..], &s_b[..])]
    });
    let solved = solver.solve(&problems.collect::<Vec<_>>())?;
    let (solved, _) = solved.as_chunks::<2>();
    let merged = tasks::map(solved.iter().zip(pairs), |([with_a, with_b], [s_a, s_b])| {
        let (a, b) = (s_a.len(), s_b.len());
        let mut sum = Wiped::new(Vec::with_capacity(a + b));
        sum.extend_from_slice(with_a);
        add_at(solver.module, &mut sum, 0, with_b);
        add_at(solver.module, &mut sum, b, s_a);
        add_at(solver.module, &mut sum, a, s_b);
        sum
    });
    Ok(merged.into_iter().chain(odd).collect())
}
