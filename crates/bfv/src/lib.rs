//! Vectors of residues that can be computed with under encryption: the scheme of Brakerski, Fan and Vercauteren with
//! batching, seeded ciphertexts, products, relinearisation, modulus switching and noise flooding.
//!
//! Deterministic given the randomness that is passed in. Times depend on sizes alone where secrets steer.

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

pub use ciphertext::{Ciphertext, Plain};
pub use keys::{PublicKey, RelinearisationKey, SecretKey, Seed, Seeded};
pub use noise::{Model, Noise, flood_bits};
pub use parameters::{ParameterError, Parameters, has_prime, most_bits};
pub use ring::Ring;
pub use wire::{Cut, WireError};
