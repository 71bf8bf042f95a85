//! Polynomials whose coefficients are encrypted with Paillier's scheme.

use veilset_crypto::paillier::{Ciphertext, Integer, Plaintexts, PublicKey};

use crate::Module;

/// Paillier ciphertexts under a key as a module over the plaintexts.
///
/// These are no field, but a number that is neither 0 nor a unit comes up with probability some 2^-1023 for keys of 2048
/// bits, unless somebody who knows the factors puts it there: what a protocol concludes from a product that is not 0 must
/// hold against who has the key.
///
/// Sums and multiples are not fresh encryptions: who must not learn how they were made gets them
/// [rerandomised](PublicKey::rerandomise).
pub struct Ciphertexts<'a> {
    key: &'a PublicKey,
    plaintexts: &'a Plaintexts,
    bits: u32,
}

impl<'a> Ciphertexts<'a> {
    /// Under that key, whose plaintexts these are, with any scalars.
    #[must_use]
    pub fn new(key: &'a PublicKey, plaintexts: &'a Plaintexts) -> Self {
        Self::with_short_scalars(key, plaintexts, plaintexts.bits())
    }

    /// With scalars below 2^`bits` alone, which take that much less time: enough for
    /// [`Evaluation::Horner`](crate::Evaluation::Horner) at short points. Of other scalars the higher bits are ignored.
    #[must_use]
    pub fn with_short_scalars(key: &'a PublicKey, plaintexts: &'a Plaintexts, bits: u32) -> Self {
        Self { key, plaintexts, bits }
    }
}

impl Module for Ciphertexts<'_> {
    type Field = Plaintexts;
    type Element = Ciphertext;

    fn field(&self) -> &Plaintexts {
        self.plaintexts
    }

    fn zero(&self) -> Ciphertext {
        self.key.zero()
    }

    fn add(&self, into: &mut [Ciphertext], other: &[Ciphertext]) {
        self.key.add(into, other);
    }

    fn sub(&self, from: &mut [Ciphertext], other: &[Ciphertext]) {
        let mut opposite = other.to_vec();
        self.key.negate(&mut opposite);
        self.key.add(from, &opposite);
    }

    fn negate(&self, elements: &mut [Ciphertext]) {
        self.key.negate(elements);
    }

    fn scale(&self, scalars: &[Integer], elements: &mut [Ciphertext]) {
        self.key.scale(scalars, self.bits, elements);
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;
    use veilset_crypto::paillier::{KeySize, SecretKey};

    use super::*;
    use crate::{Evaluation, Itself, Multiplication, evaluate, multiply};

    fn key() -> (SecretKey, ChaCha20Rng) {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        (SecretKey::generate(KeySize::insecure(256), &mut rng), rng)
    }

    #[test]
    fn encrypted_products_decrypt_to_plain_ones() {
        let (key, mut rng) = key();
        let ring = key.public().plaintexts();
        let mut random = |count| (0..count).map(|_| ring.random(&mut rng)).collect::<Vec<_>>();
        for (plain, poly) in
            [(random(1), random(1)), (random(5), random(9)), (random(13), random(7))]
        {
            let expected = multiply(&Itself(&ring), Multiplication::Schoolbook, &plain, &poly);
            let ciphertexts = key.encrypt(&poly, &mut ChaCha20Rng::from_seed([2; 32]));
            let module = Ciphertexts::new(key.public(), &ring);
            for how in
                [Multiplication::Karatsuba { cutoff: 1 }, Multiplication::Toom3 { cutoff: 1 }]
            {
                let product = multiply(&module, how, &plain, &ciphertexts).expect("any field");
                assert_eq!(*key.decrypt(&product), *expected.as_ref().expect("any field"));
            }
        }
    }

    #[test]
    fn encrypted_polynomials_have_the_values_of_plain_ones() {
        let (key, mut rng) = key();
        let ring = key.public().plaintexts();
        let poly: Vec<_> = (0..12).map(|_| ring.random(&mut rng)).collect();
        let points: Vec<_> = (1..9).map(|point| ring.element(point << 40)).collect();
        let expected = evaluate(&Itself(&ring), Evaluation::Horner, &poly, &points);
        let expected = expected.expect("any field");
        let ciphertexts = key.encrypt(&poly, &mut rng);
        let short = Ciphertexts::with_short_scalars(key.public(), &ring, 44);
        let values = evaluate(&short, Evaluation::Horner, &ciphertexts, &points);
        assert_eq!(*key.decrypt(&values.expect("any field")), expected);
        let module = Ciphertexts::new(key.public(), &ring);
        let multiplication = Multiplication::Toom3 { cutoff: 1 };
        for how in [Evaluation::MultiScalar, Evaluation::RemainderTree { leaf: 1, multiplication }]
        {
            let values = evaluate(&module, how, &ciphertexts, &points).expect("any field");
            assert_eq!(*key.decrypt(&values), expected, "{how:?}");
        }
    }
}
