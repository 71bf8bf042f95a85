//! Paillier's encryption ("Public-key cryptosystems based on composite degree residuosity classes", EUROCRYPT 1999), with
//! g = N + 1: of m with randomness r it is (1 + m·N)·r^N modulo N². Ciphertexts add up, and known numbers scale them.
//!
//! **Randomness.** r^N is taken to be h^x, where h = (−y²)^N and y is a digest of N, so that tables of h make it fast
//! (Damgård, Jurik, Nielsen: "A generalization of Paillier's public-key system with applications to electronic voting",
//! 2010, section 4.2). An encryption takes x of half of N's bits: that h^x looks like any power of h then follows from
//! the hardness of factoring (Goldreich, Rosen: "On the security of modular exponentiation", J. Cryptology 2003). So semantic
//! security rests on decisional composite residuosity and on factoring, and on a random oracle for y. That hides plaintexts
//! from those without the key. What must hide from who has the key how a ciphertext was made,
//! [`rerandomise`](PublicKey::rerandomise), takes x of 64 bits more than N has: the order of h is below N, so
//! the power is uniform among all of h's but for 2^-64, whatever anybody can compute.
//!
//! **Keys.** N is the product of two primes of the same length, both 3 modulo 4. A peer's key comes with a proof that N and
//! φ(N) have no common divisor: [`KeyProof`].
//!
//! [`SecretKey`] encrypts faster than [`PublicKey`], and decrypts, modulo the squares of both primes, put together by the
//! Chinese remainder theorem. Times depend on lengths alone, but that of finding a key. Operations on many ciphertexts work
//! on the caller's rayon pool.
//!
//! ```
//! use chacha20::ChaCha20Rng;
//! use rand_core::SeedableRng;
//! use veilset_crypto::paillier::{KeySize, SecretKey};
//!
//! let rng = &mut ChaCha20Rng::from_seed([1; 32]);
//! let key = SecretKey::generate(KeySize::B2048, rng);
//! let (public, numbers) = (key.public(), key.public().plaintexts());
//! let mut sum = public.encrypt(&[numbers.element(40)], rng);
//! public.add(&mut sum, &public.encrypt(&[numbers.element(2)], rng));
//! assert!(key.decrypt(&sum)[0] == numbers.element(42));
//! ```

mod half;
mod plaintexts;
mod power;
mod prime;
mod proof;
mod public;
mod secret;
#[cfg(test)]
mod tests;

pub use crypto_bigint::BoxedUint as Integer;
pub use plaintexts::Plaintexts;
pub use proof::KeyProof;
pub use public::{Ciphertext, CiphertextPowers, PublicKey};
pub use secret::SecretKey;

/// Bits of N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySize(u32);

impl KeySize {
    /// 2048 bits, some 112 bits of security.
    pub const B2048: Self = Self(2048);

    /// 3072 bits, some 128 bits of security.
    pub const B3072: Self = Self(3072);

    /// 4096 bits, some 140 bits of security.
    pub const B4096: Self = Self(4096);

    /// **Insecure:** any length, to measure again what papers measured with keys that can be factored in hours.
    ///
    /// # Panics
    /// When the two primes would not have whole words of 64 bits, two or more.
    #[must_use]
    pub const fn insecure(bits: u32) -> Self {
        assert!(bits.is_multiple_of(128) && bits >= 256, "a multiple of 128 bits, 256 at least");
        Self(bits)
    }

    /// Bits of N.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Bytes of a ciphertext.
    #[must_use]
    pub const fn ciphertext_len(self) -> usize {
        self.0 as usize / 4
    }

    /// Bytes of a public key with its proof.
    #[must_use]
    pub const fn key_len(self) -> usize {
        (1 + proof::ROUNDS) * self.0 as usize / 8
    }
}

/// Why bytes are no key to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// N has another length, or is even.
    #[error(
        "the public key is not an odd number of {bits} bits; ask the peer for a key of that size"
    )]
    Shape {
        /// Bits that it should have.
        bits: u32,
    },
    /// N has a divisor below 2^16.
    #[error("the public key has a small prime factor, which no honest key has; end the run")]
    SmallFactor,
    /// The proof does not fit.
    #[error(
        "the proof that the public key is well formed is wrong; no honest peer sends it, so end the run"
    )]
    Proof,
}
