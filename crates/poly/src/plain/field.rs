//! Fields whose elements are words.

use veilset_crypto::{Field, PrimeField};
use veilset_simd::ntt::Transforms;
use veilset_simd::{Kernel, field25519};

use super::{Numbers, leaves};
use crate::{Element25519, Field25519};

/// A field whose elements are numbers of a few words, least first, below its modulus.
///
/// Functions on leaves take runs of `leaf` numbers, one run after the other; see [`field25519`] for what they compute.
pub trait PlainField: Field + Sized {
    /// Words of an element.
    const WORDS: usize;

    /// Puts down an element.
    fn write(&self, element: &Self::Element, words: &mut [u64]);

    /// The element that [`write`](Self::write) put down, or that transforms computed.
    fn read(&self, words: &[u64]) -> Self::Element;

    /// Transforms of up to 2^`log_size` words, of which products come back as elements.
    fn transforms(&self, log_size: u32) -> Transforms;

    /// Up to so many coefficients or points, Horner's rule is faster than a product tree.
    fn horner_most(&self) -> usize;

    /// The most points in a leaf.
    fn leaf_most(&self) -> usize;

    /// The values of a polynomial at all points.
    fn horner(&self, poly: &[u64], points: &[u64], values: &mut [u64]) {
        leaves::horner(self, poly, points, values);
    }

    /// The products over the points of each leaf.
    fn products(&self, leaf: usize, points: &[u64], products: &mut [u64]) {
        leaves::products(self, leaf, points, products);
    }

    /// The values at the points of each leaf.
    fn values(
        &self,
        leaf: usize,
        products: &[u64],
        numerators: &[u64],
        points: &[u64],
        values: &mut [u64],
    ) {
        leaves::values(self, leaf, [products, numerators, points], values);
    }

    /// The weighted sums over the points of each leaf.
    fn sums(&self, leaf: usize, points: &[u64], weights: &[u64], sums: &mut [u64]) {
        leaves::sums(self, leaf, points, weights, sums);
    }

    /// All elements in words.
    fn words_of(&self, elements: &[Self::Element]) -> Numbers {
        let mut words = Numbers::new(vec![0; elements.len() * Self::WORDS]);
        for (element, words) in elements.iter().zip(words.chunks_exact_mut(Self::WORDS)) {
            self.write(element, words);
        }
        words
    }

    /// All elements of words.
    fn elements_of(&self, words: &[u64]) -> Vec<Self::Element> {
        words.chunks_exact(Self::WORDS).map(|words| self.read(words)).collect()
    }
}

impl PlainField for Field25519 {
    const WORDS: usize = 4;

    fn write(&self, element: &Element25519, words: &mut [u64]) {
        words.copy_from_slice(element.words());
    }

    fn read(&self, words: &[u64]) -> Element25519 {
        let [words] = words.as_chunks().0 else { unreachable!("words of one element") };
        Element25519::from_words(*words).expect("transforms give numbers below the modulus")
    }

    fn transforms(&self, log_size: u32) -> Transforms {
        Transforms::new(self.kernel(), &crate::field25519::P, &[1, 0, 0, 0], log_size)
    }

    // Measured with AVX-512 IFMA.
    fn horner_most(&self) -> usize {
        512
    }

    fn leaf_most(&self) -> usize {
        64
    }

    fn horner(&self, poly: &[u64], points: &[u64], values: &mut [u64]) {
        let values = values.as_chunks_mut().0;
        field25519::evaluate(self.kernel(), poly.as_chunks().0, points.as_chunks().0, values);
    }

    fn products(&self, leaf: usize, points: &[u64], products: &mut [u64]) {
        let products = products.as_chunks_mut().0;
        field25519::products(self.kernel(), leaf, points.as_chunks().0, products);
    }

    fn values(
        &self,
        leaf: usize,
        products: &[u64],
        numerators: &[u64],
        points: &[u64],
        values: &mut [u64],
    ) {
        let [products, numerators, points] =
            [products, numerators, points].map(|numbers| numbers.as_chunks().0);
        let values = values.as_chunks_mut().0;
        field25519::values(self.kernel(), leaf, products, numerators, points, values);
    }

    fn sums(&self, leaf: usize, points: &[u64], weights: &[u64], sums: &mut [u64]) {
        let (points, weights) = (points.as_chunks().0, weights.as_chunks().0);
        field25519::sums(self.kernel(), leaf, points, weights, sums.as_chunks_mut().0);
    }
}

impl<const LIMBS: usize> PlainField for PrimeField<LIMBS> {
    const WORDS: usize = LIMBS;

    fn write(&self, element: &Self::Element, words: &mut [u64]) {
        words.copy_from_slice(&element.to_words());
    }

    fn read(&self, words: &[u64]) -> Self::Element {
        let [words] = words.as_chunks().0 else { unreachable!("words of one element") };
        self.from_words(words).expect("transforms give numbers below the modulus")
    }

    fn transforms(&self, log_size: u32) -> Transforms {
        // Products of residues in Montgomery form have their factor twice.
        let (modulus, factor) = (self.modulus().as_words(), self.inverse_of_factor());
        Transforms::new(Kernel::best(), modulus, factor.as_words(), log_size)
    }

    // Measured with 2048 bits.
    fn horner_most(&self) -> usize {
        64
    }

    fn leaf_most(&self) -> usize {
        8
    }
}
