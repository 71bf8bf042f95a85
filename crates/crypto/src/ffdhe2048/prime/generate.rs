//! Fresh primes (Kim and Kim, "An experimental study of encrypted polynomial arithmetics for private set
//! operations", section III-A and Figure 1).

use crypto_bigint::{Odd, RandomBits, Uint};
use rand_core::CryptoRng;
use rayon::prelude::*;

use super::SafePrimeError;
use super::primality::{is_prime, is_safe_prime, passes_fermat};
use super::sieve::{Sieve, WINDOW};

/// q and p = 2q + 1 of exactly 64·`LIMBS` bits, where q is v·2^`log_size` + 1 and `log_size` at least 1.
///
/// The figure draws a new v until both q and p are prime. Here all v of a short interval are tried, which a sieve
/// makes cheap; primes that follow a long gap are somewhat likelier than others. Works on the caller's rayon pool.
///
/// # Errors
/// When so large a power of 2 is asked for that few primes are left.
pub fn generate_safe_prime<const LIMBS: usize>(
    log_size: u32,
    rng: &mut dyn CryptoRng,
) -> Result<(Uint<LIMBS>, Uint<LIMBS>), SafePrimeError> {
    let most = Uint::<LIMBS>::BITS / 4;
    if log_size > most {
        return Err(SafePrimeError::LogSize { log_size, most });
    }
    let sieve = Sieve::new();
    loop {
        let start = random_start(log_size, rng);
        let survivors = sieve.survivors(&start, log_size);
        let found = survivors.into_par_iter().find_map_first(|k| candidate(&start, k, log_size));
        if let Some((q, p)) = found
            && is_prime(&q, rng)
        {
            return Ok((q.get(), p.get()));
        }
    }
}

/// A uniform v of the length that makes q one bit shorter than p may be; with the rest of its window.
fn random_start<const LIMBS: usize>(log_size: u32, rng: &mut dyn CryptoRng) -> Uint<LIMBS> {
    let bits = Uint::<LIMBS>::BITS - 1 - log_size;
    let top = Uint::ONE.shl_vartime(bits - 1);
    loop {
        let start = Uint::random_bits(rng, bits - 1).bitor(&top);
        if start.wrapping_add(&Uint::from(WINDOW)).bits_vartime() == bits {
            return start;
        }
    }
}

/// q and p for v = `start` + k, if both are prime by a first test.
fn candidate<const LIMBS: usize>(
    start: &Uint<LIMBS>,
    k: u32,
    log_size: u32,
) -> Option<(Odd<Uint<LIMBS>>, Odd<Uint<LIMBS>>)> {
    let v = start.wrapping_add(&Uint::from(k));
    let q = v.shl_vartime(log_size).wrapping_add(&Uint::ONE);
    let p = q.shl_vartime(1).wrapping_add(&Uint::ONE);
    let (q, p) = (Odd::new(q).into_option()?, Odd::new(p).into_option()?);
    (passes_fermat(&q) && is_safe_prime(&p)).then_some((q, p))
}
