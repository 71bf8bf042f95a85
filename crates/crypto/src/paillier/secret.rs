//! What only the holder of the primes can do.

use crypto_bigint::{BoxedUint, ConcatenatingMul, Gcd};
use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::half::{Half, Join};
use super::power::FixedBase;
use super::prime::random_prime;
use super::{Ciphertext, Integer, KeySize, PublicKey};

/// A secret key with its public key. Wiped when dropped.
pub struct SecretKey {
    pub(super) public: PublicKey,
    pub(super) halves: [Half; 2],
    /// Of the primes, and of their squares.
    pub(super) primes: Join,
    squares: Join,
    /// h modulo each square.
    bases: [FixedBase; 2],
}

impl SecretKey {
    /// A fresh key.
    pub fn generate(size: KeySize, rng: &mut dyn CryptoRng) -> Self {
        let bits = size.bits() / 2;
        let p = Zeroizing::new(random_prime(bits, rng));
        loop {
            let q = Zeroizing::new(random_prime(bits, rng));
            if q != p && shares_no_factor(&p, &q) {
                return Self::of_primes(size, &p, &q);
            }
        }
    }

    /// Of distinct primes of half the size each, both 3 modulo 4.
    pub(super) fn of_primes(size: KeySize, p: &BoxedUint, q: &BoxedUint) -> Self {
        let n = p.concatenating_mul(q).into_odd().expect("a product of odd numbers");
        let public = PublicKey::new(size, n);
        let halves = [Half::new(p, q), Half::new(q, p)];
        let primes = Join::new(&halves[0].modulus, q);
        let squares = Join::new(&halves[0].square_modulus, &halves[1].square);
        let h = public.modulus.integer(&public.h);
        let bases = [0, 1].map(|half: usize| halves[half].base(&h, size.bits() / 2));
        Self { public, halves, primes, squares, bases }
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// As [`PublicKey::encrypt`], faster: modulo both squares.
    pub fn encrypt(&self, plain: &[Integer], rng: &mut dyn CryptoRng) -> Vec<Ciphertext> {
        let bits = self.public.size.bits() / 2;
        let exponents = self.public.exponents(plain.len(), bits, rng);
        let encrypt = |(plain, exponent): (&Integer, &BoxedUint)| {
            let [x, y] = [0, 1].map(|half: usize| {
                let modulus = &self.halves[half].square_modulus;
                let power = self.bases[half].power(modulus, exponent.as_words(), bits);
                Zeroizing::new(BoxedUint::from_words(modulus.integer(&Zeroizing::new(power))))
            });
            let [p, q] = &self.halves;
            let randomness = self.squares.join(&p.square_modulus, &q.square, &x, &y);
            self.public.encryption(plain, &self.public.modulus.residue(randomness.as_words()))
        };
        plain.par_iter().zip(&*exponents).map(encrypt).collect()
    }

    /// The plaintexts.
    #[must_use]
    pub fn decrypt(&self, ciphertexts: &[Ciphertext]) -> Zeroizing<Vec<Integer>> {
        let [p, q] = &self.halves;
        let decrypt = |ciphertext: &Ciphertext| {
            let words = self.public.modulus.integer(&ciphertext.0);
            let plain = [p.decrypt(&words), q.decrypt(&words)];
            (*self.primes.join(&p.modulus, &q.prime, &plain[0], &plain[1])).clone()
        };
        Zeroizing::new(ciphertexts.par_iter().map(decrypt).collect())
    }
}

/// Whether p − 1 and q − 1 have no common divisor but 2, as Damgård, Jurik and Nielsen ask: two in three pairs. The squares
/// modulo N are then a cyclic group, of which a random one generates all but a small part.
fn shares_no_factor(p: &BoxedUint, q: &BoxedUint) -> bool {
    let [p, q] = [p, q].map(|prime| Zeroizing::new(prime.wrapping_sub(BoxedUint::one())));
    *Zeroizing::new(p.gcd(&q)) == BoxedUint::from(2u8)
}
