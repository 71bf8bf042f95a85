//! Polynomials whose coefficients stand in the exponent: elements of a group of prime order, and ElGamal ciphertexts.

use veilset_crypto::elgamal::Ciphertext;
use veilset_crypto::{PrimeGroup, Row};
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

    fn values(&self, poly: &[G::Element], points: &[G::Scalar]) -> Option<Vec<G::Element>> {
        self.0.values(poly, points)
    }

    fn least_row(&self) -> Option<usize> {
        self.0.least_row()
    }

    fn sums_of_rows(
        &self,
        scalars: &[G::Scalar],
        elements: &[G::Element],
        rows: &[Row],
        count: usize,
    ) -> Vec<G::Element> {
        self.0.sums_of_rows(scalars, elements, rows, count)
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

    fn least_row(&self) -> Option<usize> {
        self.0.least_row()
    }

    /// The first halves of all sums, and then the second halves.
    fn sums_of_rows(
        &self,
        scalars: &[G::Scalar],
        elements: &[Ciphertext<G::Element>],
        rows: &[Row],
        count: usize,
    ) -> Vec<Ciphertext<G::Element>> {
        let half = |row: &Row, half: usize| Row {
            element: 2 * row.element + half,
            to: row.to + half * count,
            ..*row
        };
        let halves = |place| rows.iter().map(move |row| half(row, place));
        let rows: Vec<Row> = halves(0).chain(halves(1)).collect();
        let sums = self.0.sums_of_rows(scalars, elements.as_flattened(), &rows, 2 * count);
        let (first, second) = sums.split_at(count);
        first.iter().cloned().zip(second.iter().cloned()).map(|(a, b)| [a, b]).collect()
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
    use crate::{Evaluation, Itself, Multiplication, evaluate, multiply, transposed_multiply};

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

    /// A group whose leaves are sums of rows: products, their transposes and values, against the exponents.
    #[test]
    fn sums_of_rows_are_those_of_products() {
        let rng = &mut ChaCha20Rng::from_seed([13; 32]);
        let group = &SafePrimeGroup::generate(Setting::General, rng).expect("a prime");
        let (module, plain_module) = (&Elements(group), &Itself(group.field()));
        let encoded = |elements: &[_]| {
            let mut out = Vec::new();
            group.encode(elements, &mut out);
            out
        };
        let raised = |exponents: Vec<_>| encoded(&group.multiply_generator(&exponents));
        for (plain, poly) in [(1, 1), (6, 3), (5, 9), (33, 32), (40, 17), (20, 50)] {
            let plain: Vec<_> = (0..plain).map(|_| group.random(rng)).collect();
            let poly: Vec<_> = (0..poly).map(|_| group.random(rng)).collect();
            let elements = group.multiply_generator(&poly);
            for how in [
                Multiplication::Schoolbook,
                Multiplication::Karatsuba { cutoff: 16 },
                Multiplication::Karatsuba { cutoff: 7 },
                Multiplication::Toom3 { cutoff: 8 },
                Multiplication::Toom4 { cutoff: 8 },
            ] {
                let product = multiply(module, how, &plain, &elements).expect("any field");
                let expected = multiply(plain_module, how, &plain, &poly).expect("any field");
                assert!(encoded(&product) == raised(expected), "{how:?}");
                let product = transposed_multiply(module, how, &plain, &elements);
                let expected = transposed_multiply(plain_module, how, &plain, &poly);
                let product = encoded(&product.expect("any field"));
                assert!(product == raised(expected.expect("any field")), "{how:?}");
                for how in [
                    Evaluation::MultiScalar,
                    Evaluation::Transposed { leaf: 16, multiplication: how },
                    Evaluation::Transposed { leaf: 7, multiplication: how },
                ] {
                    let values = evaluate(module, how, &elements, &plain).expect("any field");
                    let expected = evaluate(plain_module, how, &poly, &plain).expect("any field");
                    assert!(encoded(&values) == raised(expected), "{how:?}");
                }
            }
        }
    }

    #[test]
    fn groups_whose_exponents_have_roots_transform() {
        transforms(&Pallas);
        let setting = Setting::Special { log_size: 4 };
        let rng = &mut ChaCha20Rng::from_seed([11; 32]);
        transforms(&SafePrimeGroup::generate(setting, rng).expect("a small power"));
    }
}
