//! Groups of prime order as encryption takes them: whole elements, many at once, and a scalar each.

use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use crate::{Field, NotAnElement};

/// Sums are cut into that many, which a group can compute at the same time.
const PARTS: usize = 8;

/// Products of one element and scalars that stand side by side, which are added to sums that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The place of the element.
    pub element: usize,
    /// The place of the first scalar.
    pub from: usize,
    /// How many there are.
    pub count: usize,
    /// The place of the first sum.
    pub to: usize,
}

/// A group of prime order q in which decisional Diffie–Hellman is taken to be hard, written additively.
///
/// A value of the type is the group, since the parameters of some are known at run time only. Two slices of one call have
/// the same length; an implementation panics otherwise. Times depend on lengths alone. Operations on many elements work on
/// the caller's rayon pool.
pub trait PrimeGroup: Send + Sync {
    /// An integer modulo q.
    type Scalar: Clone + PartialEq + Send + Sync + Zeroize;

    /// The field of these.
    type Field: Field<Element = Self::Scalar>;

    /// An element; who holds a secret one wipes it.
    type Element: Clone + Send + Sync + Zeroize;

    /// A fixed element with what makes its multiplication fast.
    type Base: Send + Sync;

    /// The integers modulo q.
    fn field(&self) -> &Self::Field;

    /// Bytes of an element's encoding.
    fn encoded_len(&self) -> usize;

    /// The residue of a number of 64 bytes, little-endian.
    fn scalar(&self, bytes: &[u8; 64]) -> Self::Scalar;

    /// A uniform scalar. 64 bytes make one within 2^-256 if q is near 2^256; a group of another order has a way of its own.
    fn random(&self, rng: &mut dyn CryptoRng) -> Self::Scalar {
        let mut wide = Zeroizing::new([0; 64]);
        rng.fill_bytes(&mut *wide);
        self.scalar(&wide)
    }

    /// The neutral element.
    fn identity(&self) -> Self::Element;

    /// The generator that all parties use.
    fn generator(&self) -> Self::Element;

    /// Adds to each of `sums` its element.
    fn add(&self, sums: &mut [Self::Element], elements: &[Self::Element]);

    /// Takes from each of `differences` its element.
    fn subtract(&self, differences: &mut [Self::Element], elements: &[Self::Element]);

    /// Replaces each element by its opposite.
    fn negate(&self, elements: &mut [Self::Element]);

    /// Doubles each element.
    fn double(&self, elements: &mut [Self::Element]);

    /// Multiplies each element by its scalar.
    fn multiply(&self, scalars: &[Self::Scalar], elements: &mut [Self::Element]);

    /// Multiplies all elements by the same scalar.
    fn multiply_all(&self, scalar: &Self::Scalar, elements: &mut [Self::Element]);

    /// For every run of `terms` pairs of a scalar and an element the sum of their products; `terms` is not 0 and divides
    /// their number.
    fn sums_of_products(
        &self,
        scalars: &[Self::Scalar],
        elements: &[Self::Element],
        terms: usize,
    ) -> Vec<Self::Element>;

    /// The sum of all products of a scalar and an element, in parts that are computed at the same time.
    fn sum_of_products(
        &self,
        scalars: &[Self::Scalar],
        elements: &[Self::Element],
    ) -> Self::Element {
        let terms = scalars.len().div_ceil(PARTS).max(1);
        let mut scalars = Zeroizing::new(scalars.to_vec());
        let mut elements = Zeroizing::new(elements.to_vec());
        scalars.resize(terms * PARTS, self.field().zero());
        elements.resize(terms * PARTS, self.identity());
        let mut sums = Zeroizing::new(self.sums_of_products(&scalars, &elements, terms));
        let mut half = PARTS / 2;
        while half > 0 {
            let (left, right) = sums[..2 * half].split_at_mut(half);
            self.add(left, right);
            half /= 2;
        }
        sums.swap_remove(0)
    }

    /// From how many scalars in a row on [`sums_of_rows`](Self::sums_of_rows) is the fastest way; `None` where it never is.
    fn least_row(&self) -> Option<usize> {
        None
    }

    /// `count` sums of products, to which `rows` say what contributes.
    fn sums_of_rows(
        &self,
        scalars: &[Self::Scalar],
        elements: &[Self::Element],
        rows: &[Row],
        count: usize,
    ) -> Vec<Self::Element> {
        let mut sums = vec![self.identity(); count];
        for row in rows {
            let products = vec![elements[row.element].clone(); row.count];
            let mut products = Zeroizing::new(products);
            self.multiply(&scalars[row.from..][..row.count], &mut products);
            self.add(&mut sums[row.to..][..row.count], &products);
        }
        sums
    }

    /// The values at `points` of the polynomial with coefficients `elements`, lowest degree first; `None` where
    /// [`sums_of_rows`](Self::sums_of_rows) of the points' powers, or other sums, are as fast.
    fn values(
        &self,
        elements: &[Self::Element],
        points: &[Self::Scalar],
    ) -> Option<Vec<Self::Element>> {
        let _ = (elements, points);
        None
    }

    /// Makes a base of an element.
    fn base(&self, element: &Self::Element) -> Self::Base;

    /// The products of a base with each scalar.
    fn multiply_base(&self, base: &Self::Base, scalars: &[Self::Scalar]) -> Vec<Self::Element>;

    /// The products of the generator with each scalar.
    fn multiply_generator(&self, scalars: &[Self::Scalar]) -> Vec<Self::Element>;

    /// Which elements are the neutral one.
    fn are_identity(&self, elements: &[Self::Element]) -> Vec<bool>;

    /// Appends the encodings, [`encoded_len`](Self::encoded_len) bytes each.
    fn encode(&self, elements: &[Self::Element], out: &mut Vec<u8>);

    /// The elements that `encoded` has one after the other, the neutral one among them.
    ///
    /// # Errors
    /// With the first that is not the encoding of an element.
    ///
    /// # Panics
    /// When there are not whole encodings.
    fn decode(&self, encoded: &[u8]) -> Result<Vec<Self::Element>, NotAnElement>;

    /// Bytes of a scalar's encoding.
    fn scalar_len(&self) -> usize;

    /// Appends the encodings, [`scalar_len`](Self::scalar_len) bytes each.
    fn encode_scalars(&self, scalars: &[Self::Scalar], out: &mut Vec<u8>);

    /// The scalars that `encoded` has one after the other, or `None` when one is not below q.
    ///
    /// # Panics
    /// When there are not whole encodings.
    fn decode_scalars(&self, encoded: &[u8]) -> Option<Vec<Self::Scalar>>;
}
