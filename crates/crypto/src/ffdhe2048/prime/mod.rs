//! Safe primes: tested, generated, and those of 2048 bits that parties choose themselves.

mod error;
mod generate;
mod primality;
mod sieve;
#[cfg(test)]
mod tests;

use std::fmt;

use crypto_bigint::{Odd, Uint};
use rand_core::CryptoRng;

use super::LEN;
use primality::{is_prime, is_safe_prime};

pub use error::{NotAPrime, SafePrimeError};
pub use generate::generate_safe_prime;
#[cfg(test)]
pub(super) use tests::GROUP_14;

/// A prime p of exactly 2048 bits of which (p − 1)/2 is a prime, too. It was tested: an unsuitable number passes with
/// probability at most 2^-128, whoever chose it.
///
/// No test tells a prime of a special form, for which number field sieves are faster and which only its maker knows (Fried,
/// Gaudry, Heninger and Thomé, "A kilobit hidden SNFS discrete logarithm computation", 2017). So the two sides should
/// make it together, or the side whose secrets it guards should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SafePrime(Uint<32>);

impl SafePrime {
    /// A fresh one: about a minute of processor time, spread over the caller's rayon pool.
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        let (_, p) = generate_safe_prime(1, rng).expect("every odd q is 2·v + 1");
        Self(p)
    }

    /// A number, tested.
    ///
    /// # Errors
    /// When it is not a safe prime of exactly 2048 bits.
    pub fn new(p: &Uint<32>, rng: &mut dyn CryptoRng) -> Result<Self, SafePrimeError> {
        let bits = p.bits_vartime();
        if bits < Uint::<32>::BITS {
            return Err(SafePrimeError::Length { bits });
        }
        check_safe_prime(p, rng)?;
        Ok(Self(*p))
    }

    /// A number in 512 hexadecimal digits, with spaces and line ends anywhere, tested.
    ///
    /// # Errors
    /// When there are other characters, more digits or fewer, or no safe prime of exactly 2048 bits.
    pub fn from_hex(text: &str, rng: &mut dyn CryptoRng) -> Result<Self, NotAPrime> {
        let digits: String = text.split_whitespace().collect();
        if let Some(place) = text.chars().position(|c| !c.is_whitespace() && !c.is_ascii_hexdigit())
        {
            return Err(NotAPrime::Character { place: place + 1 });
        }
        if digits.len() != 2 * LEN {
            return Err(NotAPrime::Digits { count: digits.len() });
        }
        Ok(Self::new(&Uint::from_be_hex(&digits), rng)?)
    }

    /// The 512 hexadecimal digits, 64 a line.
    #[must_use]
    pub fn to_hex(&self) -> String {
        let words = self.0.as_words().iter().rev();
        let digits: String = words.map(|word| format!("{word:016x}")).collect();
        let lines = digits.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line) + "\n");
        lines.collect()
    }

    pub(super) fn number(&self) -> &Uint<32> {
        &self.0
    }
}

/// `safe-prime-` and 128 bits of a digest of the prime, by which two sides know that theirs are the same.
impl fmt::Display for SafePrime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 safe prime");
        hasher.update(&super::bytes(self.0.as_words()));
        write!(f, "safe-prime-{}", &hasher.finalize().to_hex()[..32])
    }
}

/// (p − 1)/2, if that and p are prime and p is at least 11. An unsuitable p passes with probability at most 2^-128, whoever
/// chose it.
///
/// # Errors
/// When p is no such prime.
pub fn check_safe_prime<const LIMBS: usize>(
    p: &Uint<LIMBS>,
    rng: &mut dyn CryptoRng,
) -> Result<Uint<LIMBS>, SafePrimeError> {
    let odd = |n: Uint<LIMBS>| Odd::new(n).into_option().ok_or(SafePrimeError::NotSafePrime);
    let (p, q) = (odd(*p)?, odd(p.shr_vartime(1))?);
    let three = crypto_bigint::NonZero::<crypto_bigint::Limb>::new_unwrap(3u64.into());
    let fits = *q.as_ref() > Uint::from(3u8) && p.as_ref().rem_limb(three).0 != 0;
    match fits && is_prime(&q, rng) && is_safe_prime(&p) {
        true => Ok(*q.as_ref()),
        false => Err(SafePrimeError::NotSafePrime),
    }
}
