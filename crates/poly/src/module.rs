//! What coefficients must be able to do.

use veilset_crypto::{Field, Row};
use zeroize::{Zeroize, Zeroizing};

/// A module over a prime field: ciphertexts of an additively homomorphic encryption, elements of a group whose order is
/// the field's, or the field [itself](crate::Itself).
///
/// Operations take slices, so that an implementation can work on many elements at once. Two slices of one call have the
/// same length; an implementation may panic otherwise.
pub trait Module: Sync {
    /// The field that scalars are from.
    type Field: Field;

    /// An element of the module.
    type Element: Clone + Send + Sync + Zeroize;

    /// The field that scalars are from.
    fn field(&self) -> &Self::Field;

    /// The neutral element.
    fn zero(&self) -> Self::Element;

    /// Adds `other[i]` to `into[i]`.
    fn add(&self, into: &mut [Self::Element], other: &[Self::Element]);

    /// Subtracts `other[i]` from `from[i]`.
    fn sub(&self, from: &mut [Self::Element], other: &[Self::Element]);

    /// Multiplies each element by −1.
    fn negate(&self, elements: &mut [Self::Element]);

    /// Adds each element to itself.
    fn double(&self, elements: &mut [Self::Element]) {
        let same = Zeroizing::new(elements.to_vec());
        self.add(elements, &same);
    }

    /// Multiplies `elements[i]` by `scalars[i]`. This is what costs: the crate calls it with up to some thousand at once
    /// where it can, and from several threads.
    fn scale(&self, scalars: &[Scalar<Self>], elements: &mut [Self::Element]);

    /// Σ `scalars[i]`·`elements[i]`, the neutral element if there are none.
    fn sum_of_products(
        &self,
        scalars: &[Scalar<Self>],
        elements: &[Self::Element],
    ) -> Self::Element {
        let mut terms = Zeroizing::new(elements.to_vec());
        self.scale(scalars, &mut terms);
        let mut count = terms.len();
        while count > 1 {
            let (sums, others) = terms[..count].split_at_mut(count.div_ceil(2));
            self.add(&mut sums[..others.len()], others);
            count = sums.len();
        }
        terms.first().cloned().unwrap_or_else(|| self.zero())
    }

    /// The values of a polynomial at `points`, if the module has a way of its own.
    fn values(
        &self,
        poly: &[Self::Element],
        points: &[Scalar<Self>],
    ) -> Option<Vec<Self::Element>> {
        let _ = (poly, points);
        None
    }

    /// From how many scalars in a row on [`sums_of_rows`](Self::sums_of_rows) is what to take; `None` for never.
    fn least_row(&self) -> Option<usize> {
        None
    }

    /// `count` sums of products, to which `rows` say what contributes.
    fn sums_of_rows(
        &self,
        scalars: &[Scalar<Self>],
        elements: &[Self::Element],
        rows: &[Row],
        count: usize,
    ) -> Vec<Self::Element> {
        let mut sums = vec![self.zero(); count];
        for row in rows {
            let mut products = Zeroizing::new(vec![elements[row.element].clone(); row.count]);
            self.scale(&scalars[row.from..][..row.count], &mut products);
            self.add(&mut sums[row.to..][..row.count], &products);
        }
        sums
    }
}

/// An element of a module's field.
pub type Scalar<M> = <<M as Module>::Field as Field>::Element;
