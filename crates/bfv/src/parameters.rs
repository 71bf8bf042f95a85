//! Degrees and moduli, and the table that says which are secure.

use crate::modulus::{MOST_BITS, primes};

/// For log₂ of a degree, the most bits of all primes together at 128 bits of classical security, for ternary secrets and
/// errors of standard deviation 3.2: table 1 of the Homomorphic Encryption Standard (Albrecht et al., 2018).
const STANDARD: [(u32, u32); 5] = [(11, 54), (12, 109), (13, 218), (14, 438), (15, 881)];

/// The most bits that all primes together may have for polynomials of 2^`log_n` coefficients; 0 for degrees that the
/// standard does not have.
#[must_use]
pub fn most_bits(log_n: u32) -> u32 {
    STANDARD.iter().find(|(log, _)| *log == log_n).map_or(0, |(_, bits)| *bits)
}

/// Whether there is a prime of `bits` bits for polynomials of 2^`log_n` coefficients, which for few bits more than those of the degree is
/// not always so.
#[must_use]
pub fn has_prime(log_n: u32, bits: u32) -> bool {
    primes(bits, log_n + 1).next().is_some()
}

/// Parameters of the scheme: polynomials modulo x^n + 1, plaintexts modulo a prime t, ciphertexts modulo a product Q of
/// primes. All primes are 1 more than a multiple of 2n.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BfvParameters {
    log_n: u32,
    t: u64,
    primes: Vec<u64>,
    special: Option<u64>,
}

/// Why parameters are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Not 128 bits of security.
    #[error(
        "primes of {bits} bits in all are not secure for degree 2^{log_n}, where the standard allows {most}; \
         take a larger degree or smaller primes"
    )]
    Insecure {
        /// log₂ of the degree.
        log_n: u32,
        /// Bits of all primes together.
        bits: u32,
        /// As many are allowed.
        most: u32,
    },
    /// Too few primes of that size, or a size that the arithmetic does not take.
    #[error("there are too few primes of {bits} bits for degree 2^{log_n}; take another size")]
    NoPrime {
        /// log₂ of the degree.
        log_n: u32,
        /// Bits of the prime.
        bits: u32,
    },
}

impl BfvParameters {
    /// For polynomials of 2^`log_n` coefficients, a plaintext modulus of `plain` bits, ciphertext primes of `bits`, the
    /// one that stays to the last first, and with `special` a prime for keys that relinearise.
    ///
    /// # Errors
    /// When they would not be secure, or there are no such primes.
    pub fn new(
        log_n: u32,
        plain: u32,
        bits: &[u32],
        special: Option<u32>,
    ) -> Result<Self, ParameterError> {
        let total = bits.iter().chain(&special).sum();
        let most = most_bits(log_n);
        if total > most {
            return Err(ParameterError::Insecure { log_n, bits: total, most });
        }
        let mut taken = Vec::new();
        let mut prime = |bits: u32| {
            let missing = ParameterError::NoPrime { log_n, bits };
            if !(log_n + 2..=MOST_BITS).contains(&bits) {
                return Err(missing);
            }
            let found = primes(bits, log_n + 1).find(|prime| !taken.contains(prime));
            taken.extend(found);
            found.ok_or(missing)
        };
        let t = prime(plain)?;
        let primes = bits.iter().map(|bits| prime(*bits)).collect::<Result<_, _>>()?;
        let special = special.map(prime).transpose()?;
        Ok(Self { log_n, t, primes, special })
    }

    /// log₂ of how many coefficients a polynomial has, which is also how many slots a plaintext has.
    #[must_use]
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Slots of a plaintext.
    #[must_use]
    pub fn slots(&self) -> usize {
        1 << self.log_n
    }

    /// The plaintext modulus.
    #[must_use]
    pub fn t(&self) -> u64 {
        self.t
    }

    /// The primes of ciphertexts; the last is dropped first.
    #[must_use]
    pub fn primes(&self) -> &[u64] {
        &self.primes
    }

    /// The prime of keys that relinearise.
    #[must_use]
    pub fn special(&self) -> Option<u64> {
        self.special
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_bounds_all_primes_together() {
        for (log_n, most) in [(12, 109), (13, 218), (14, 438)] {
            let (count, bits) = (most / 54, [54; 8]);
            let rest = most - 54 * count;
            let fitting = &bits[..count as usize];
            assert!(BfvParameters::new(log_n, 20, fitting, None).is_ok());
            let wanted = ParameterError::Insecure { log_n, bits: most + 55 - rest, most };
            assert_eq!(BfvParameters::new(log_n, 20, fitting, Some(55)), Err(wanted));
        }
        assert!(matches!(
            BfvParameters::new(10, 20, &[27], None),
            Err(ParameterError::Insecure { most: 0, .. })
        ));
    }

    #[test]
    fn primes_are_distinct_and_split_the_ring() {
        let parameters =
            BfvParameters::new(13, 40, &[40, 40, 40], Some(40)).expect("there are such");
        let mut all = parameters.primes().to_vec();
        all.extend(parameters.special());
        all.push(parameters.t());
        assert!(all.iter().all(|p| p % (1 << 14) == 1));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
        assert!(has_prime(13, 18) && !has_prime(13, 19) && has_prime(13, 20));
        let missing = ParameterError::NoPrime { log_n: 13, bits: 61 };
        assert_eq!(BfvParameters::new(13, 20, &[61], None), Err(missing));
    }
}
