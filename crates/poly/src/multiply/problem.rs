//! Products to compute, and where their factors are.

use std::ops::Deref;

use zeroize::Zeroize;

use super::split::Lengths;
use crate::coefficients::Wiped;
use crate::{Module, Scalar};

/// A plain factor and one with coefficients in the module.
pub(crate) struct Problem<'a, M: Module> {
    pub(crate) form: Form,
    /// A transposed product has the lengths of the product that it transposes.
    pub(crate) lengths: Lengths,
    pub(crate) plain: MaybeOwned<'a, Scalar<M>>,
    pub(crate) poly: MaybeOwned<'a, M::Element>,
}

/// Which of the two linear maps of the second factor, given the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// c_k = Σ_{i+j=k} a_i b_j.
    Product,
    /// c_i = Σ_j a_j b_{i+j}.
    Transposed,
}

/// Coefficients of a problem: somebody else's, or sums that a step made.
pub(crate) enum MaybeOwned<'a, T: Zeroize> {
    Borrowed(&'a [T]),
    Owned(Wiped<T>),
}

impl<'a, M: Module> Problem<'a, M> {
    pub(crate) fn product(
        plain: impl Into<MaybeOwned<'a, Scalar<M>>>,
        poly: impl Into<MaybeOwned<'a, M::Element>>,
    ) -> Self {
        let (plain, poly) = (plain.into(), poly.into());
        let lengths = Lengths::new(plain.len(), poly.len());
        Self { form: Form::Product, lengths, plain, poly }
    }

    /// There is a coefficient for each place at which the plain factor fits into the other.
    pub(crate) fn transposed(
        plain: impl Into<MaybeOwned<'a, Scalar<M>>>,
        poly: impl Into<MaybeOwned<'a, M::Element>>,
    ) -> Self {
        let (plain, poly) = (plain.into(), poly.into());
        let places = (poly.len() + 1).saturating_sub(plain.len());
        let lengths = Lengths::new(plain.len(), if plain.is_empty() { 0 } else { places });
        Self { form: Form::Transposed, lengths, plain, poly }
    }
}

impl<T: Zeroize> Deref for MaybeOwned<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Borrowed(coefficients) => coefficients,
            Self::Owned(coefficients) => coefficients,
        }
    }
}

impl<'a, T: Zeroize> From<&'a [T]> for MaybeOwned<'a, T> {
    fn from(coefficients: &'a [T]) -> Self {
        Self::Borrowed(coefficients)
    }
}

impl<T: Zeroize> From<Wiped<T>> for MaybeOwned<'_, T> {
    fn from(coefficients: Wiped<T>) -> Self {
        Self::Owned(coefficients)
    }
}
