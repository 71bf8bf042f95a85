use std::collections::BTreeSet;

use chacha20::ChaCha20Rng;
use crypto_bigint::Word;
use rand_core::SeedableRng;

use super::*;
use crate::ffdhe2048::PRIME;

/// The prime of RFC 3526's group 14: 2^2048 − 2^1984 + (⌊2^1918·π⌋ + 124476)·2^64 − 1.
pub(in crate::ffdhe2048) const GROUP_14: &str =
    include_str!("../../../../../vectors/rfc3526-group14.txt");

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

#[test]
fn primes_are_files_of_hexadecimal_digits() {
    let read = |text: &str| SafePrime::from_hex(text, &mut rng(5));
    let prime = read(GROUP_14).expect("a safe prime");
    assert_eq!(prime.to_hex(), GROUP_14);
    assert_eq!(read(&GROUP_14.to_uppercase()), Ok(prime));
    let name = prime.to_string();
    let other = read(PRIME).expect("a safe prime").to_string();
    assert!(name.len() == other.len() && name.starts_with("safe-prime-") && name != other);

    assert_eq!(read(&GROUP_14.replacen('9', "x", 1)), Err(NotAPrime::Character { place: 18 }));
    assert_eq!(read(&GROUP_14[1..]), Err(NotAPrime::Digits { count: 511 }));
    assert_eq!(read(""), Err(NotAPrime::Digits { count: 0 }));
    let even = GROUP_14.trim_end().trim_end_matches('f').to_owned() + "fffffffffffffffe";
    assert_eq!(read(&even), Err(NotAPrime::Number(SafePrimeError::NotSafePrime)));
}

#[test]
fn moduli_that_are_no_long_safe_primes_are_refused() {
    let p = Uint::<32>::from_be_hex(PRIME);
    let q = p.shr_vartime(1);
    let new = |p: &Uint<32>| SafePrime::new(p, &mut rng(4)).err();
    assert_eq!(new(&q), Some(SafePrimeError::Length { bits: 2047 }));
    assert_eq!(new(&p.wrapping_add(&Uint::from(2u8))), Some(SafePrimeError::NotSafePrime));
    assert_eq!(new(&p.wrapping_add(&Uint::ONE)), Some(SafePrimeError::NotSafePrime));
}

/// The sieve strikes exactly the numbers with a small divisor, counted by trial division.
#[test]
fn the_sieve_is_trial_division() {
    let start = Uint::<1>::from(0x1234_5678_9abc_u64);
    for log_size in [1, 9] {
        let survivors = sieve::Sieve::new().survivors(&start, log_size);
        let survivors: BTreeSet<u32> = survivors.into_iter().collect();
        for k in 0..2000 {
            let q = ((start.as_words()[0] + Word::from(k)) << log_size) + 1;
            let small = |n: u64| (3..1 << 21).step_by(2).any(|d| n.is_multiple_of(d));
            assert_eq!(survivors.contains(&k), !small(q) && !small(2 * q + 1), "{k}");
        }
    }
}
