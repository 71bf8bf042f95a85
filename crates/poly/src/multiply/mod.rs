//! Products of a plain polynomial and one with coefficients in a module.
//!
//! All are linear in the second factor, and use the module for nothing but sums, differences, doublings and products
//! with scalars that follow from the first factor alone. So each has a transpose (Bostan, Lecerf, Schost: "Tellegen's
//! principle into practice", ISSAC 2003), with as many products: the middle product (Hanrot, Quercia, Zimmermann: "The
//! middle product algorithm I", AAECC 2004).

mod cut;
mod karatsuba;
mod leaf;
mod matrix;
mod ntt;
mod problem;
mod solver;
mod split;
#[cfg(test)]
mod tests;
mod toom3;
pub(crate) mod toom4;
mod transform;

use crate::{Module, PolyError, Scalar};
pub(crate) use ntt::Cyclic;
pub(crate) use problem::{Form, Problem};
pub(crate) use solver::Solver;
pub(crate) use split::{Lengths, Split, Step};
use veilset_crypto::Field;

/// How to multiply polynomials.
///
/// Lengths need not be equal, nor powers of two: if one factor is much longer it is cut. [`cost`](crate::cost) says what
/// each costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Multiplication {
    /// Each coefficient by each: k^2 products for k coefficients each.
    Schoolbook,
    /// Three products of halves (Karatsuba, Ofman 1962; equation (1) of Kim, Kim: "An experimental study of encrypted
    /// polynomial arithmetics for private set operations", 2017): k^1.585 products.
    Karatsuba {
        /// Factors of at most that length are multiplied each by each; 1 is what the paper counts, and for expensive
        /// products the best.
        cutoff: usize,
    },
    /// Five products of thirds (Toom 1963, at the points 0, 1, −1, 2 and ∞): k^1.465 products. All divisions are done
    /// on the plain factor.
    Toom3 {
        /// As for Karatsuba's.
        cutoff: usize,
    },
    /// Seven products of quarters (Toom's at the points 0, 1, −1, 2, −2, 1/2 and ∞): k^1.404 products, and four times the
    /// additions of thirds. All divisions are done on the plain factor.
    Toom4 {
        /// As for Karatsuba's.
        cutoff: usize,
    },
    /// Number-theoretic transforms: n·(log2 n − 1) products if k = n/2 is a power of two. Needs a root of unity of order
    /// n in the field. Toom-3 is taken where it takes no more products: up to k = 128, and for some beyond that are
    /// little more than a power of two.
    Ntt {
        /// Toom-3's; with [`usize::MAX`] short factors are multiplied each by each.
        cutoff: usize,
    },
}

impl Multiplication {
    /// What multiplies two plain polynomials of that length fastest.
    #[must_use]
    pub fn fastest<F: Field>(field: &F, len: usize) -> Self {
        let log_size = (2 * len).next_power_of_two().ilog2();
        if len > TOOM_MOST && field.root_of_unity(log_size).is_some() {
            return Self::Ntt { cutoff: NTT_CUTOFF };
        }
        Self::Toom3 { cutoff: PLAIN_CUTOFF }
    }
}

/// Beyond that length, transforms are faster than Toom-3; measured with a 255-bit field.
const TOOM_MOST: usize = 64;

/// The cutoff for what is too short for transforms then: the schoolbook is as fast, but a smaller cutoff gives Toom-3 more
/// of them; measured with a 255-bit field.
const NTT_CUTOFF: usize = 4;

/// Up to that length, the schoolbook is faster than halves or thirds; measured with 255-bit fields.
const PLAIN_CUTOFF: usize = 12;

/// The product of `plain` and `poly`, coefficients of the lowest degree first: as many as both factors have together less
/// one, none if a factor has none. It works on the current rayon pool.
///
/// # Errors
/// [`PolyError::NoRootOfUnity`] and [`PolyError::Characteristic`] if the field does not have what `how` needs.
pub fn multiply<M: Module>(
    module: &M,
    how: Multiplication,
    plain: &[Scalar<M>],
    poly: &[M::Element],
) -> Result<Vec<M::Element>, PolyError> {
    let mut product = Solver::new(module, how)?.solve_one(Problem::product(plain, poly))?;
    Ok(std::mem::take(&mut *product))
}

/// The transpose of the multiplication of polynomials by `plain`: c_i = Σ_j plain_j · poly_{i+j} for each place i at which
/// `plain` fits into `poly`; none if `plain` is longer or empty. These are the middle coefficients of the product with the
/// reversal of `plain`. As expensive as a product of that factor and one of as many coefficients as the result has.
///
/// # Errors
/// As [`multiply`].
pub fn transposed_multiply<M: Module>(
    module: &M,
    how: Multiplication,
    plain: &[Scalar<M>],
    poly: &[M::Element],
) -> Result<Vec<M::Element>, PolyError> {
    let mut product = Solver::new(module, how)?.solve_one(Problem::transposed(plain, poly))?;
    Ok(std::mem::take(&mut *product))
}
