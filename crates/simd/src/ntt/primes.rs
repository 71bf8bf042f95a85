//! The primes modulo which transforms are done.

use std::sync::Mutex;

/// Transforms have at most 2^`MOST_LOG` words: the primes are 1 more than a multiple of that.
pub(super) const MOST_LOG: u32 = 27;

/// Primes are below 2^50, so that four times one is below 2^52.
const BITS: u32 = 50;

/// The bits that a prime has at least: even the 2^10th of them is above 2^50 − 2^10·2^27·50 > 2^49.99.
const PRIME_BITS: f64 = 49.99;

/// Bases that tell primes from all other numbers below 3.3·10^24 (Sorenson, Webster: "Strong pseudoprimes to twelve
/// prime bases", 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// So many that their product has at least `bits` bits.
pub(super) fn count(bits: u32) -> usize {
    (f64::from(bits) / PRIME_BITS).ceil() as usize
}

/// The largest primes below 2^50 that are 1 more than a multiple of 2^27, the largest first. They are found once.
pub(super) fn largest(count: usize) -> Vec<u64> {
    static KNOWN: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    // What is known is always whole, even if somebody panicked.
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut candidate = known.last().map_or((1 << BITS) + 1, |last| *last);
    while known.len() < count {
        candidate -= 1 << MOST_LOG;
        if is_prime(candidate) {
            known.push(candidate);
        }
    }
    known[..count].to_vec()
}

/// By Miller and Rabin's test with bases that are enough for such numbers.
fn is_prime(number: u64) -> bool {
    let zeros = (number - 1).trailing_zeros();
    BASES.into_iter().all(|base| {
        let mut x = power(base, (number - 1) >> zeros, number);
        let one = x == 1;
        let minus_one = (0..zeros).any(|_| {
            let found = x == number - 1;
            x = multiply(x, x, number);
            found
        });
        one || minus_one
    })
}

/// a·b modulo p, both below p.
pub(super) fn multiply(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

/// a^`exponent` modulo p.
pub(super) fn power(a: u64, exponent: u64, p: u64) -> u64 {
    (0..u64::BITS).rev().fold(1, |power, bit| {
        let square = multiply(power, power, p);
        if exponent >> bit & 1 == 1 { multiply(square, a, p) } else { square }
    })
}

/// 1/a modulo the prime p.
pub(super) fn inverse(a: u64, p: u64) -> u64 {
    power(a, p - 2, p)
}

/// An element of order 2^`MOST_LOG` modulo the prime p.
pub(super) fn root(p: u64) -> u64 {
    let roots = (2..p).map(|base| power(base, (p - 1) >> MOST_LOG, p));
    // Its half-order power is −1 if and only if the base is no square.
    let mut roots = roots.filter(|root| power(*root, 1 << (MOST_LOG - 1), p) == p - 1);
    roots.next().expect("half of all elements are no squares")
}

/// floor(a·2^52/p) for a below p: with it, products with a take no division (Shoup).
pub(super) fn quotient(a: u64, p: u64) -> u64 {
    let about = (a as f64 * (2f64.powi(52) / p as f64)) as u64;
    // Doubles are off by less than 2: what is left shows by how much.
    let rest = (a << 52).wrapping_sub(about.wrapping_mul(p)).cast_signed();
    about.wrapping_add_signed(rest.div_euclid(p.cast_signed()))
}
