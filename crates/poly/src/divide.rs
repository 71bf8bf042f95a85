//! Division with remainder by plain polynomials.

use veilset_crypto::{Field, tasks};
use zeroize::Zeroize;

use crate::coefficients::{Wiped, padded};
use crate::multiply::{Problem, Solver};
use crate::series::invert;
use crate::{Itself, Module, Multiplication, PolyError, Scalar};

/// A monic polynomial, and what dividing by it takes.
pub(crate) struct Divisor<'a, S: Zeroize> {
    /// The coefficients below the leading one.
    low: &'a [S],
    /// The coefficients from the second of the inverse power series of its reversal; the first is 1.
    inverse: Wiped<S>,
}

/// A quotient and a remainder, of coefficients that lie in a `P`.
pub struct Division<P> {
    /// The quotient.
    pub quotient: P,
    /// The remainder: of fewer coefficients than the divisor.
    pub remainder: P,
}

/// Divides plain polynomials, lowest degree first. With n coefficients by d + 1, the quotient has n − d and the remainder
/// d of them, or 0 and n if the dividend is shorter than the divisor.
///
/// # Errors
/// [`PolyError::LeadingCoefficient`] unless the divisor's last coefficient is invertible, and as
/// [`multiply`](crate::multiply).
pub fn divide<F: Field>(
    field: &F,
    how: Multiplication,
    dividend: &[F::Element],
    divisor: &[F::Element],
) -> Result<Division<Vec<F::Element>>, PolyError> {
    let degree = divisor.len().saturating_sub(1);
    let leading = divisor.last().and_then(|leading| field.inverse(leading));
    let leading = leading.ok_or(PolyError::LeadingCoefficient { index: degree })?;
    let low = divisor[..degree].iter().map(|coefficient| field.mul(coefficient, &leading));
    let low = Wiped::new(low.collect());

    let plain = Itself(field);
    let solver = Solver::new(&plain, how)?;
    let divisor = Divisor::new(&solver, &low, dividend.len().saturating_sub(degree))?;
    let mut divisions = divide_each(&solver, &[dividend], &[&divisor])?;
    let Division { mut quotient, mut remainder } = divisions.swap_remove(0);
    for coefficient in quotient.iter_mut() {
        *coefficient = field.mul(coefficient, &leading);
    }
    Ok(Division {
        quotient: std::mem::take(&mut *quotient),
        remainder: std::mem::take(&mut *remainder),
    })
}

impl<'a, S: Clone + Zeroize> Divisor<'a, S> {
    /// For quotients of at most `quotient` coefficients.
    pub(crate) fn new<F: Field<Element = S>>(
        solver: &Solver<'_, Itself<'_, F>>,
        low: &'a [S],
        quotient: usize,
    ) -> Result<Self, PolyError> {
        let field = solver.module.0;
        let inverse = invert(solver, &reversal(field, low), &field.one(), quotient)?;
        Ok(Self { low, inverse: Wiped::new(inverse.iter().skip(1).cloned().collect()) })
    }

    pub(crate) fn degree(&self) -> usize {
        self.low.len()
    }
}

/// x^d·P(1/x) for a monic P of degree d with these coefficients below the leading one.
pub(crate) fn reversal<F: Field>(field: &F, low: &[F::Element]) -> Wiped<F::Element> {
    Wiped::new(std::iter::once(field.one()).chain(low.iter().rev().cloned()).collect())
}

/// Divides each dividend by the divisor at the same place (von zur Gathen, Gerhard: "Modern Computer Algebra", section
/// 9.1; the product with the inverse series is a transposed one, so no coefficient of it is computed in vain).
pub(crate) fn divide_each<M: Module>(
    solver: &Solver<'_, M>,
    dividends: &[&[M::Element]],
    divisors: &[&Divisor<'_, Scalar<M>>],
) -> Result<Vec<Division<Wiped<M::Element>>>, PolyError> {
    let module = solver.module;
    let problems = dividends.iter().zip(divisors).map(|(dividend, divisor)| {
        let high = dividend.get(divisor.degree() + 1..).unwrap_or_default();
        let needed = (2 * high.len()).saturating_sub(1);
        Problem::transposed(&divisor.inverse[..high.len()], padded(module, high, needed))
    });
    let mut quotients = solver.solve(&problems.collect::<Vec<_>>())?;
    for ((quotient, dividend), divisor) in quotients.iter_mut().zip(dividends).zip(divisors) {
        let high = dividend.get(divisor.degree()..).unwrap_or_default();
        let mut sum = Wiped::new(high.to_vec());
        module.add(&mut sum[..quotient.len()], quotient);
        *quotient = sum;
    }
    let problems = quotients.iter().zip(divisors).map(|(quotient, divisor)| {
        Problem::product(divisor.low, &quotient[..quotient.len().min(divisor.degree())])
    });
    let products = solver.solve(&problems.collect::<Vec<_>>())?;
    let divisions = quotients.into_iter().zip(products).zip(dividends.iter().zip(divisors));
    Ok(tasks::map(divisions, |((quotient, product), (dividend, divisor))| {
        let len = dividend.len().min(divisor.degree());
        let mut remainder = Wiped::new(dividend[..len].to_vec());
        let low = product.len().min(len);
        module.sub(&mut remainder[..low], &product[..low]);
        Division { quotient, remainder }
    }))
}
