//! Inverses of power series.

use veilset_crypto::Field;

use crate::coefficients::{Wiped, padded};
use crate::multiply::{Problem, Solver};
use crate::{Itself, Module, Multiplication, PolyError};

/// So many coefficients are computed one by one; measured with 255-bit fields.
const ONE_BY_ONE: usize = 16;

/// The first `len` coefficients of 1/`series`, lowest degree first; coefficients that `series` lacks are 0.
///
/// Newton's iteration with a middle product (Hanrot, Quercia, Zimmermann, section 4.1): a constant number of products
/// of that length.
///
/// # Errors
/// [`PolyError::ConstantCoefficient`] if there is no inverse, and as [`multiply`](crate::multiply).
pub fn invert_series<F: Field>(
    field: &F,
    how: Multiplication,
    series: &[F::Element],
    len: usize,
) -> Result<Vec<F::Element>, PolyError> {
    let constant = series.first().and_then(|constant| field.inverse(constant));
    let constant = constant.ok_or(PolyError::ConstantCoefficient)?;
    let mut inverse = invert(&Solver::new(&Itself(field), how)?, series, &constant, len)?;
    Ok(std::mem::take(&mut *inverse))
}

/// The same with the inverse of the constant coefficient, which callers know.
pub(crate) fn invert<F: Field>(
    solver: &Solver<'_, Itself<'_, F>>,
    series: &[F::Element],
    constant: &F::Element,
    len: usize,
) -> Result<Wiped<F::Element>, PolyError> {
    let mut inverse = one_by_one(solver.module.0, constant, series, len.min(ONE_BY_ONE));
    while inverse.len() < len {
        inverse = lengthen(solver, series, &inverse, len)?;
    }
    Ok(inverse)
}

/// From Σ f_i·g_{n−i} = 0 for n > 0.
pub(crate) fn one_by_one<F: Field>(
    field: &F,
    constant: &F::Element,
    series: &[F::Element],
    len: usize,
) -> Wiped<F::Element> {
    let mut inverse: Wiped<F::Element> = Wiped::new(Vec::with_capacity(len));
    for index in 0..len {
        let terms = series.iter().skip(1).zip(inverse.iter().rev());
        let sum = terms.fold(field.zero(), |sum, (f, g)| field.add(&sum, &field.mul(f, g)));
        let known = if index == 0 { field.one() } else { field.neg(&sum) };
        inverse.push(field.mul(constant, &known));
    }
    inverse
}

/// Doubles the coefficients of the inverse g of f, up to `len`: where f·g = 1 + x^l·e, the next ones are those of −e·g.
fn lengthen<F: Field>(
    solver: &Solver<'_, Itself<'_, F>>,
    series: &[F::Element],
    inverse: &Wiped<F::Element>,
    len: usize,
) -> Result<Wiped<F::Element>, PolyError> {
    let len = len.min(2 * inverse.len());
    let more = len - inverse.len();
    let reversed = Wiped::new(inverse.iter().rev().cloned().collect());
    let series = padded(solver.module, series.get(1..).unwrap_or_default(), len - 1);
    let error = solver.solve_one(Problem::transposed(reversed, series))?;
    let mut next = solver.solve_one(Problem::product(error, &inverse[..more]))?;
    solver.module.negate(&mut next[..more]);
    let mut longer = Wiped::new(Vec::with_capacity(len));
    longer.extend_from_slice(inverse);
    longer.extend_from_slice(&next[..more]);
    Ok(longer)
}
