//! Fields to take coefficients from.

mod known;
mod prime;
#[cfg(test)]
mod tests;

pub use known::{KnownField, PallasScalars, RistrettoScalars};
pub use veilset_crypto::{ModulusError, PrimeField, Residue};
