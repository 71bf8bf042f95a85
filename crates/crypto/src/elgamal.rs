//! Additively homomorphic ElGamal: the plaintext stands in the exponent (Cramer, Gennaro, Schoenmakers, Eurocrypt 1997).
//!
//! With Y = x·G a plaintext m is encrypted as (r·G, m·G + r·Y). Ciphertexts add up and can be scaled by known numbers;
//! decryption gives m·G, which tells whether m is 0 and otherwise keeps m as hidden as a discrete logarithm. Semantically
//! secure under DDH.

use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use crate::{NotAnElement, PrimeGroup};

/// The secret key x. Wiped when dropped.
pub struct SecretKey<G: PrimeGroup> {
    x: Zeroizing<G::Scalar>,
}

/// The public key Y = x·G, with what makes its multiplication fast.
pub struct PublicKey<G: PrimeGroup> {
    y: G::Element,
    base: G::Base,
}

/// An encryption of a scalar m: r·G, and m·G + r·Y.
pub type Ciphertext<E> = [E; 2];

impl<G: PrimeGroup> SecretKey<G> {
    /// A uniform key.
    pub fn generate(group: &G, rng: &mut dyn CryptoRng) -> Self {
        Self { x: Zeroizing::new(group.random(rng)) }
    }

    /// The public key.
    #[must_use]
    pub fn public(&self, group: &G) -> PublicKey<G> {
        let mut y = group.multiply_generator(std::slice::from_ref(&*self.x));
        PublicKey::of(group, y.remove(0))
    }

    /// m·G of each ciphertext.
    #[must_use]
    pub fn decrypt(
        &self,
        group: &G,
        ciphertexts: &[Ciphertext<G::Element>],
    ) -> Zeroizing<Vec<G::Element>> {
        let mut masks: Vec<_> = ciphertexts.iter().map(|[a, _]| a.clone()).collect();
        group.multiply_all(&self.x, &mut masks);
        let plain: Vec<_> = ciphertexts.iter().map(|[_, b]| b.clone()).collect();
        let mut plain = Zeroizing::new(plain);
        group.subtract(&mut plain, &masks);
        masks.zeroize();
        plain
    }
}

impl<G: PrimeGroup> PublicKey<G> {
    /// The key Y.
    ///
    /// # Errors
    /// When Y is the neutral element, under which everything would be readable.
    pub fn new(group: &G, y: G::Element) -> Result<Self, NotAnElement> {
        match group.are_identity(std::slice::from_ref(&y))[0] {
            true => Err(NotAnElement { index: 0 }),
            false => Ok(Self::of(group, y)),
        }
    }

    fn of(group: &G, y: G::Element) -> Self {
        Self { base: group.base(&y), y }
    }

    /// Appends the encoding of Y.
    pub fn encode(&self, group: &G, out: &mut Vec<u8>) {
        group.encode(std::slice::from_ref(&self.y), out);
    }

    /// The key that a peer sent.
    ///
    /// # Errors
    /// When `encoded` is no element, or the neutral one, under which everything would be readable.
    ///
    /// # Panics
    /// When `encoded` is not as long as an encoding.
    pub fn decode(group: &G, encoded: &[u8]) -> Result<Self, NotAnElement> {
        assert_eq!(encoded.len(), group.encoded_len(), "one encoding");
        Self::new(group, group.decode(encoded)?.remove(0))
    }

    /// A fresh encryption of each of `plain`.
    pub fn encrypt(
        &self,
        group: &G,
        plain: &[G::Scalar],
        rng: &mut dyn CryptoRng,
    ) -> Vec<Ciphertext<G::Element>> {
        let r = Zeroizing::new(plain.iter().map(|_| group.random(rng)).collect::<Vec<_>>());
        let a = group.multiply_generator(&r);
        let mut b = group.multiply_generator(plain);
        let mut masks = group.multiply_base(&self.base, &r);
        group.add(&mut b, &masks);
        masks.zeroize();
        a.into_iter().zip(b).map(|(a, b)| [a, b]).collect()
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT as G;
    use curve25519_dalek::ristretto::CompressedRistretto;
    use curve25519_dalek::{RistrettoPoint, Scalar};
    use rand_core::SeedableRng;

    use super::*;
    use crate::Ristretto255;

    fn points(elements: &[<Ristretto255 as PrimeGroup>::Element]) -> Vec<RistrettoPoint> {
        let mut encoded = Vec::new();
        Ristretto255.encode(elements, &mut encoded);
        let point = |bytes: &[u8; 32]| CompressedRistretto(*bytes).decompress().expect("canonical");
        encoded.as_chunks().0.iter().map(point).collect()
    }

    #[test]
    fn what_is_decrypted_is_the_plaintext_in_the_exponent() {
        let rng = &mut ChaCha20Rng::from_seed([1; 32]);
        let key = SecretKey::generate(&Ristretto255, rng);
        let public = key.public(&Ristretto255);
        let mut plain: Vec<Scalar> = (0..100).map(|_| Ristretto255.random(rng)).collect();
        plain.extend([Scalar::ZERO, Scalar::ONE, -Scalar::ONE]);
        let ciphertexts = public.encrypt(&Ristretto255, &plain, rng);
        let expected: Vec<_> = plain.iter().map(|m| G * m).collect();
        assert_eq!(points(&key.decrypt(&Ristretto255, &ciphertexts)), expected);
        // By the definition, with the other library's arithmetic.
        let pairs = points(ciphertexts.as_flattened());
        let by_hand = pairs.as_chunks().0.iter().map(|[a, b]| b - a * *key.x);
        assert!(by_hand.eq(expected));
        let zeros = Ristretto255.are_identity(&key.decrypt(&Ristretto255, &ciphertexts));
        assert_eq!(zeros.iter().filter(|zero| **zero).count(), 1);
        assert!(zeros[100]);
    }

    #[test]
    fn equal_plaintexts_do_not_look_equal() {
        let rng = &mut ChaCha20Rng::from_seed([2; 32]);
        let public = SecretKey::generate(&Ristretto255, rng).public(&Ristretto255);
        let ciphertexts = public.encrypt(&Ristretto255, &[Scalar::ONE; 8], rng);
        let pairs = points(ciphertexts.as_flattened());
        let mut seen: Vec<_> = pairs.iter().map(|p| p.compress().0).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 16);
    }

    #[test]
    fn a_key_survives_the_wire_and_the_neutral_element_is_none() {
        let rng = &mut ChaCha20Rng::from_seed([3; 32]);
        let key = SecretKey::generate(&Ristretto255, rng);
        let mut encoded = Vec::new();
        key.public(&Ristretto255).encode(&Ristretto255, &mut encoded);
        let public = PublicKey::decode(&Ristretto255, &encoded).expect("a key");
        let sent = public.encrypt(&Ristretto255, &[Scalar::ZERO], rng);
        assert_eq!(Ristretto255.are_identity(&key.decrypt(&Ristretto255, &sent)), [true]);
        assert!(PublicKey::decode(&Ristretto255, &[0; 32]).is_err());
        assert!(PublicKey::decode(&Ristretto255, &[0xff; 32]).is_err());
    }
}
