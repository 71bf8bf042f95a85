//! Vectors of residues that can be computed with under encryption: the scheme of Brakerski, Fan and Vercauteren with
//! batching, seeded ciphertexts, products, relinearisation, modulus switching and noise flooding.
//!
//! Deterministic given the randomness that is passed in. Times depend on sizes alone where secrets steer.
//!
//! ```
//! use chacha20::ChaCha20Rng;
//! use rand_core::SeedableRng;
//! use veilset_bfv::{Ring, SecretKey};
//!
//! let rng = &mut ChaCha20Rng::from_seed([1; 32]);
//! // 2^12 slots of residues modulo a prime of 25 bits; ciphertexts modulo a prime of 44 bits.
//! let ring = Ring::with(12, 25, &[44], None)?;
//! let key = SecretKey::generate(&ring, rng);
//! let [mut sum, other] = [40, 2].map(|number| {
//!     let mut coefficients = vec![number; ring.parameters().slots()];
//!     ring.encode(&mut coefficients);
//!     key.encrypt(&ring, &coefficients, rng).expand(&ring)
//! });
//! ring.add(&mut sum, &other);
//! let mut slots = key.decrypt(&ring, &sum).to_vec();
//! ring.decode(&mut slots);
//! assert!(slots.iter().all(|slot| *slot == 42));
//! # Ok::<(), veilset_bfv::ParameterError>(())
//! ```

mod ciphertext;
mod flood;
mod keys;
mod modulus;
mod noise;
mod ntt;
mod parameters;
mod polynomial;
mod ring;
mod sample;
#[cfg(test)]
mod tests;
mod wire;

pub use ciphertext::{Ciphertext, MOST_TERMS, Plain};
pub use keys::{PublicKey, RelinearisationKey, SecretKey, Seed, Seeded};
pub use noise::{Model, Noise, flood_bits};
pub use parameters::{BfvParameters, ParameterError, has_prime, most_bits};
pub use ring::Ring;
pub use wire::{Truncation, WireError};
