//! What is wrong with a number that should be a safe prime.

use crate::ModulusError;

/// Why a number is no such prime, or there is none of that form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SafePrimeError {
    /// The modulus is no prime p of which (p − 1)/2 is a prime greater than 3.
    #[error(
        "the modulus is not a safe prime of 11 or more; generate one, or ask its sender for another"
    )]
    NotSafePrime,
    /// The modulus is shorter than the numbers that it is used for.
    #[error("the modulus has {bits} bits where all 2048 are needed; generate a longer safe prime")]
    Length {
        /// What it has.
        bits: u32,
    },
    /// The power of 2 in q − 1 is too large.
    #[error("q = v·2^{log_size} + 1 leaves v too short to find primes; 2^{most} is the most")]
    LogSize {
        /// What was asked for.
        log_size: u32,
        /// What there can be.
        most: u32,
    },
}

/// Why a text is not such a prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAPrime {
    /// Something that is no hexadecimal digit.
    #[error("character {place} is no hexadecimal digit")]
    Character {
        /// Its place, from 1 on.
        place: usize,
    },
    /// Too many digits, or too few.
    #[error("there are {count} hexadecimal digits where a prime of 2048 bits has 512")]
    Digits {
        /// How many there are.
        count: usize,
    },
    /// Another number.
    #[error(transparent)]
    Number(#[from] SafePrimeError),
}

impl From<ModulusError> for SafePrimeError {
    fn from(_: ModulusError) -> Self {
        Self::NotSafePrime
    }
}
