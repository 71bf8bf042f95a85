//! Fields to take coefficients from.

mod field25519;
mod known;
mod plaintexts;
mod prime;
#[cfg(test)]
mod tests;

pub(crate) use field25519::P as P25519;
pub use field25519::{Element25519, Field25519};
pub use known::{KnownField, PallasScalars, RistrettoScalars};
pub use veilset_crypto::{ModulusError, PrimeField, Residue};
