//! What a decrypted polynomial tells.

use veilset_crypto::PrimeGroup;
use veilset_poly::encrypted::Elements;
use veilset_poly::{Evaluation, PolyError, evaluate};
use zeroize::Zeroizing;

use super::derivative;
use crate::catalogue::ks::algorithms::evaluation;

/// The coefficients of a polynomial times the group's generator; lowest degree first. Wiped when dropped.
pub struct Revealed<G: PrimeGroup> {
    coefficients: Zeroizing<Vec<G::Element>>,
}

impl<G: PrimeGroup> Revealed<G> {
    /// Of what all coefficients decrypt to.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    pub fn new(coefficients: Zeroizing<Vec<G::Element>>) -> Self {
        assert!(!coefficients.is_empty(), "a polynomial has a coefficient");
        Self { coefficients }
    }

    /// Whether everything is a root, which is true of no multiset.
    #[must_use]
    pub fn is_zero(&self, group: &G) -> bool {
        group.are_identity(&self.coefficients).iter().all(|zero| *zero)
    }

    /// How often each of `elements` occurs, where `most` stands for so many times or more. Time depends on numbers alone.
    ///
    /// # Errors
    /// When the group is too small for polynomials of that degree.
    pub fn multiplicities(
        &self,
        group: &G,
        elements: &[G::Scalar],
        most: usize,
    ) -> Result<Vec<usize>, PolyError> {
        let module = Elements(group);
        let mut poly = self.coefficients.clone();
        let mut counts = vec![0; elements.len()];
        for order in 0..most {
            if order > 0 {
                poly = Zeroizing::new(derivative(&module, &poly));
            }
            let how = evaluation(group.field(), poly.len(), elements.len());
            let values = evaluate(&module, how.unwrap_or(Evaluation::MultiScalar), &poly, elements);
            let zeros = group.are_identity(&Zeroizing::new(values?));
            for (count, zero) in counts.iter_mut().zip(zeros) {
                *count += usize::from(zero & (*count == order));
            }
        }
        Ok(counts)
    }
}
