//! Groups that papers measure and no program offers: that of the curve [`Pallas`], and the residues modulo safe primes up to
//! the sign, [`SafePrimeGroup`].
//!
//! They are what measurements and tests take for a [`PrimeGroup`](veilset_crypto::PrimeGroup) whose exponents have
//! number-theoretic transforms.

mod pallas;
mod safe_prime;

use veilset_crypto::KnownField;

pub use pallas::{Pallas, PallasBase, PallasPoint};
pub use safe_prime::{SafePrimeGroup, Setting, Unsigned};

/// Integers modulo the order of the curve Pallas, whose order less 1 is 2^32 times an odd number.
pub type PallasScalars = KnownField<pasta_curves::pallas::Scalar>;
