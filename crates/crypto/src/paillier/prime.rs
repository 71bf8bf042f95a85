//! Random primes for a key.

use crypto_bigint::{BoxedUint, Limb, NonZero, RandomBits, Resize};
use rand_core::CryptoRng;
use veilset_simd::Kernel;
use veilset_simd::bignum::single::{Montgomery, Residue};
use zeroize::Zeroizing;

use super::power::power;

/// Candidates with a prime divisor below are dropped unseen, seven in eight.
const SIEVE: u32 = 1 << 12;

/// Two to this power bounds the probability that a composite number is taken for a prime.
const ERROR: f64 = -128.0;

/// Random bases of Miller and Rabin's test for a candidate of so many bits.
///
/// Of uniform odd numbers of k bits that pass t rounds, a share below k^(3/2)·2^t·t^(−1/2)·4^(2−√(tk)) is composite, for
/// 3 ≤ t ≤ k/9 (Damgård, Landrock, Pomerance: "Average case error estimates for the strong probable prime test", Math. Comp. 61,
/// 1993). Candidates have two more bits given, which makes that four times as much at most, and a base below 2^k is up to twice
/// as likely modulo n as another. Where a candidate is too short for that, 64 rounds are enough for any composite number, which
/// passes one with probability 1/4 at most (Rabin, 1980).
fn rounds(bits: u32) -> u32 {
    let k = f64::from(bits);
    let error = |rounds: u32| {
        let t = f64::from(rounds);
        let uniform = 1.5 * k.log2() + t - t.log2() / 2.0 + 2.0 * (2.0 - (t * k).sqrt());
        uniform + 2.0 + t
    };
    (3..=bits / 9).find(|rounds| error(*rounds) <= ERROR).unwrap_or(64)
}

/// A random prime p of exactly `bits` bits with p = 3 modulo 4 and the two highest bits set, so that the product of two has
/// exactly twice as many.
pub(super) fn random_prime(bits: u32, rng: &mut dyn CryptoRng) -> BoxedUint {
    let primes = odd_primes(SIEVE);
    let divisors = products(&primes);
    loop {
        let candidate = random_candidate(bits, rng);
        let odds = divisors.iter().all(|(product, primes)| {
            let rest = candidate.rem_limb(*product).0;
            primes.iter().all(|prime| !rest.is_multiple_of(u64::from(*prime)))
        });
        if odds && is_prime(&candidate, rng) {
            return candidate;
        }
    }
}

fn random_candidate(bits: u32, rng: &mut dyn CryptoRng) -> BoxedUint {
    let mut candidate = BoxedUint::random_bits(rng, bits);
    let words = candidate.as_mut_words();
    words[0] |= 3;
    for bit in [bits - 1, bits - 2] {
        words[(bit / 64) as usize] |= 1 << (bit % 64);
    }
    candidate
}

/// Whether n = 3 modulo 4 is prime: a base b passes if b^((n−1)/2) is 1 or −1. Never false for a prime. The first base is 2,
/// and only a number that passes it costs randomness.
fn is_prime(n: &BoxedUint, rng: &mut dyn CryptoRng) -> bool {
    let modulus = Montgomery::new(Kernel::best(), n.as_words());
    // Of a prime these are secret, too.
    let half = Zeroizing::new(n.shr(1));
    let minus_one = Zeroizing::new(n.wrapping_sub(BoxedUint::one()));
    let one = BoxedUint::one().resize(n.bits_precision());
    let passes = |base: &Residue| {
        let power = power(&modulus, base, half.as_words(), n.bits_precision());
        let power = BoxedUint::from_words(modulus.integer(&power));
        power == one || power == *minus_one
    };
    let small = passes(&modulus.residue(&[2]));
    small
        && (0..rounds(n.bits_vartime())).all(|_| {
            let base = BoxedUint::random_bits(rng, n.bits_precision());
            passes(&modulus.residue(base.as_words()))
        })
}

/// The odd primes below `limit` (Eratosthenes).
pub(super) fn odd_primes(limit: u32) -> Vec<u32> {
    let mut composite = vec![false; limit as usize];
    let mut primes = Vec::new();
    for number in (3..limit as usize).step_by(2) {
        if !composite[number] {
            primes.push(number as u32);
            let multiples = composite.iter_mut().skip(number * number);
            multiples.step_by(number).for_each(|composite| *composite = true);
        }
    }
    primes
}

/// Primes in groups whose products fit a word, so that a long number is divided once a group.
pub(super) fn products(primes: &[u32]) -> Vec<(NonZero<Limb>, &[u32])> {
    let word =
        |product: u64| NonZero::new(Limb(product)).into_option().expect("a product of primes");
    let (mut groups, mut product, mut first) = (Vec::new(), 1u64, 0);
    for (place, prime) in primes.iter().enumerate() {
        let prime = u64::from(*prime);
        product = product.checked_mul(prime).unwrap_or_else(|| {
            groups.push((word(product), &primes[first..place]));
            first = place;
            prime
        });
    }
    groups.push((word(product), &primes[first..]));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published bound, as a share: what it says of one round fewer is too much.
    #[test]
    fn as_many_rounds_are_taken_as_the_bound_asks_for() {
        let share = |k: f64, t: i32| {
            let root = (k * f64::from(t)).sqrt();
            k * k.sqrt() * 4f64.powi(t) / f64::from(t).sqrt() * 4f64.powf(2.0 - root) * 4.0
        };
        for (bits, taken) in [(512, 16), (1024, 7), (1536, 5), (2048, 3)] {
            assert_eq!(rounds(bits), taken);
            assert!(share(bits.into(), taken as i32) <= 2f64.powi(-128), "{bits}");
            assert!(taken == 3 || share(bits.into(), taken as i32 - 1) > 2f64.powi(-128), "{bits}");
        }
        // No bound at so few bits: Rabin's.
        assert_eq!(rounds(128), 64);
    }
}
