//! Polynomials whose coefficients stand in the exponent: elements of a group of prime order, and ElGamal ciphertexts.

use veilset_crypto::PrimeGroup;
use veilset_crypto::elgamal::Ciphertext;
use zeroize::Zeroizing;

use crate::Module;

/// Elements of a group as a module over the field of its scalars.
pub struct Elements<'a, G>(pub &'a G);

/// ElGamal ciphertexts under any one key as a module over the field of the plaintexts.
///
/// Sums and multiples are not fresh encryptions: who must not learn how they were made gets an encryption of 0 on top.
pub struct Ciphertexts<'a, G>(pub &'a G);

impl<G: PrimeGroup> Module for Elements<'_, G> {
    type Field = G::Field;
    type Element = G::Element;

    fn field(&self) -> &G::Field {
        self.0.field()
    }

    fn zero(&self) -> G::Element {
        self.0.identity()
    }

    fn add(&self, into: &mut [G::Element], other: &[G::Element]) {
        self.0.add(into, other);
    }

    fn sub(&self, from: &mut [G::Element], other: &[G::Element]) {
        self.0.subtract(from, other);
    }

    fn negate(&self, elements: &mut [G::Element]) {
        self.0.negate(elements);
    }

    fn double(&self, elements: &mut [G::Element]) {
        self.0.double(elements);
    }

    fn scale(&self, scalars: &[G::Scalar], elements: &mut [G::Element]) {
        self.0.multiply(scalars, elements);
    }

    fn sum_of_products(&self, scalars: &[G::Scalar], elements: &[G::Element]) -> G::Element {
        self.0.sum_of_products(scalars, elements)
    }
}

impl<G: PrimeGroup> Module for Ciphertexts<'_, G> {
    type Field = G::Field;
    type Element = Ciphertext<G::Element>;

    fn field(&self) -> &G::Field {
        self.0.field()
    }

    fn zero(&self) -> Ciphertext<G::Element> {
        [self.0.identity(), self.0.identity()]
    }

    fn add(&self, into: &mut [Ciphertext<G::Element>], other: &[Ciphertext<G::Element>]) {
        self.0.add(into.as_flattened_mut(), other.as_flattened());
    }

    fn sub(&self, from: &mut [Ciphertext<G::Element>], other: &[Ciphertext<G::Element>]) {
        self.0.subtract(from.as_flattened_mut(), other.as_flattened());
    }

    fn negate(&self, elements: &mut [Ciphertext<G::Element>]) {
        self.0.negate(elements.as_flattened_mut());
    }

    fn double(&self, elements: &mut [Ciphertext<G::Element>]) {
        self.0.double(elements.as_flattened_mut());
    }

    fn scale(&self, scalars: &[G::Scalar], elements: &mut [Ciphertext<G::Element>]) {
        let twice = scalars.iter().flat_map(|scalar| [scalar.clone(), scalar.clone()]);
        let twice = Zeroizing::new(twice.collect::<Vec<_>>());
        self.0.multiply(&twice, elements.as_flattened_mut());
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;
    use veilset_crypto::Ristretto255;
    use veilset_crypto::elgamal::SecretKey;
    use veilset_paper_groups::{Pallas, SafePrimeGroup, Setting};

    use super::*;
    use crate::{Evaluation, Itself, Multiplication, evaluate, multiply};

    const GROUP: Ristretto255 = Ristretto255;

    fn scalars(count: usize, seed: u8) -> Vec<curve25519_dalek::Scalar> {
        let rng = &mut ChaCha20Rng::from_seed([seed; 32]);
        (0..count).map(|_| GROUP.random(rng)).collect()
    }

    fn encoded(elements: &[<Ristretto255 as PrimeGroup>::Element]) -> Vec<u8> {
        let mut out = Vec::new();
        GROUP.encode(elements, &mut out);
        out
    }

    #[test]
    fn encrypted_products_decrypt_to_plain_ones() {
        let rng = &mut ChaCha20Rng::from_seed([9; 32]);
        let key = SecretKey::generate(&GROUP, rng);
        for (plain, poly) in [(1, 1), (5, 9), (20, 20), (33, 7)] {
            let (plain, poly) = (scalars(plain, 1), scalars(poly, 2));
            let ciphertexts = key.public(&GROUP).encrypt(&GROUP, &poly, rng);
            let expected =
                multiply(&Itself(GROUP.field()), Multiplication::Schoolbook, &plain, &poly);
            let expected = encoded(&GROUP.multiply_generator(&expected.expect("any field")));
            for how in
                [Multiplication::Karatsuba { cutoff: 1 }, Multiplication::Toom3 { cutoff: 1 }]
            {
                let product = multiply(&Ciphertexts(&GROUP), how, &plain, &ciphertexts);
                let product = key.decrypt(&GROUP, &product.expect("any field"));
                assert_eq!(encoded(&product), expected, "{how:?}");
            }
        }
    }

    #[test]
    fn values_in_the_exponent_are_exponents_of_the_values() {
        let (poly, points) = (scalars(40, 3), scalars(17, 4));
        let elements = GROUP.multiply_generator(&poly);
        let expected = evaluate(&Itself(GROUP.field()), Evaluation::Horner, &poly, &points);
        let expected = encoded(&GROUP.multiply_generator(&expected.expect("any field")));
        let multiplication = Multiplication::Toom3 { cutoff: 1 };
        for how in [
            Evaluation::Horner,
            Evaluation::MultiScalar,
            Evaluation::Transposed { leaf: 4, multiplication },
            Evaluation::RemainderTree { leaf: 1, multiplication },
        ] {
            let values = evaluate(&Elements(&GROUP), how, &elements, &points).expect("any field");
            assert_eq!(encoded(&values), expected, "{how:?}");
        }
        assert!(GROUP.are_identity(&[Elements(&GROUP).sum_of_products(&[], &[])])[0]);
    }

    /// The product of an encrypted and a plain polynomial by transforms, decrypted, and the product of the plain ones by
    /// the schoolbook, put in the exponent.
    fn transforms<G: PrimeGroup>(group: &G) {
        let rng = &mut ChaCha20Rng::from_seed([12; 32]);
        let mut random = |count| (0..count).map(|_| group.random(rng)).collect::<Vec<_>>();
        let (plain, poly) = (random(6), random(9));
        let key = SecretKey::generate(group, rng);
        let ciphertexts = key.public(group).encrypt(group, &poly, rng);
        let expected = multiply(&Itself(group.field()), Multiplication::Schoolbook, &plain, &poly);
        let mut encoded = [Vec::new(), Vec::new()];
        let expected = group.multiply_generator(&expected.expect("any field"));
        group.encode(&expected, &mut encoded[0]);
        let product =
            multiply(&Ciphertexts(group), Multiplication::Ntt { cutoff: 1 }, &plain, &ciphertexts);
        let product = key.decrypt(group, &product.expect("roots of order 16"));
        group.encode(&product, &mut encoded[1]);
        assert_eq!(encoded[0], encoded[1]);
    }

    #[test]
    fn groups_whose_exponents_have_roots_transform() {
        transforms(&Pallas);
        let setting = Setting::Special { log_size: 4 };
        let rng = &mut ChaCha20Rng::from_seed([11; 32]);
        transforms(&SafePrimeGroup::<4>::generate(setting, rng).expect("a small power"));
    }
}
