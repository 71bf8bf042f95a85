//! Against num-bigint, and statistics that fail where the sign is left out.

use chacha20::ChaCha20Rng;
use num_bigint::BigUint;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::ffdhe2048::prime::GROUP_14;
use crate::uniformity::{distance, of_bits_and_bytes};

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn integer(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes)
}

fn padded(integer: &BigUint) -> Vec<u8> {
    let mut bytes = integer.to_bytes_le();
    bytes.resize(LEN, 0);
    bytes
}

/// ⌊2^1918·e⌋: e is the sum of 1/k!.
fn scaled_e() -> BigUint {
    // 350! is above 2^2400; what the divisions lose is far below the 64 bits that are cut off.
    let one = BigUint::from(1u8) << 1982u32;
    let terms = (1..350u32).scan(one.clone(), |term, k| {
        *term /= k;
        Some(term.clone())
    });
    (one + terms.sum::<BigUint>()) >> 64u32
}

#[test]
fn the_prime_is_that_of_the_formula() {
    let power = |exponent: u32| BigUint::from(1u8) << exponent;
    let middle = (scaled_e() + 560_316u32) << 64u32;
    let p = power(2048) - power(1984) + middle - 1u8;
    assert_eq!(integer(&SafePrimeAgreement::ffdhe2048().modulus()), p);
}

#[test]
fn the_prime_is_safe_and_others_are_taken() {
    for text in [PRIME, GROUP_14] {
        let prime = SafePrime::from_hex(text, &mut rng(1)).expect("a safe prime");
        let agreement = SafePrimeAgreement::new(&prime);
        let (secret, first) = agreement.first(&mut rng(2));
        let second = agreement.second(&first, 9, &mut rng(3)).expect("a first message");
        assert!(agreement.keys(&secret, &second.messages) == second.keys);
        // 4 is a square; −1 is none.
        assert!(prime.number().as_words()[0] & 3 == 3);
        let digits: String = text.split_whitespace().collect();
        assert_eq!(integer(&agreement.modulus()), integer_of(&digits));
    }
}

fn integer_of(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits")
}

#[test]
fn messages_and_keys_are_what_another_library_says() {
    let agreement = SafePrimeAgreement::ffdhe2048();
    let p = integer(&agreement.modulus());
    let secret = EvenExponent(Zeroizing::new([0x5a; 32]));
    let a = integer(&*secret.0);
    let first = padded(&BigUint::from(4u8).modpow(&a, &p));
    for n in [0, 1, 8, 70] {
        let second = agreement.second(&first, n, &mut rng(5)).expect("a first message");
        let keys = agreement.keys(&secret, &second.messages);
        assert!(keys == second.keys);
        for (message, key) in second.messages.iter().zip(&*keys).take(3) {
            // The coset encoding as its paper decodes it: x if it is a square, −x if not.
            let x = integer(message);
            let symbol = x.modpow(&(&p >> 1u32), &p);
            let square = if symbol == BigUint::from(1u8) { x } else { &p - x };
            assert_eq!(integer(key), square.modpow(&a, &p));
        }
    }
}

#[test]
fn both_sides_have_the_same_keys() {
    let agreement = SafePrimeAgreement::ffdhe2048();
    let (secret, first) = agreement.first(&mut rng(6));
    let second = agreement.second(&first, 150, &mut rng(7)).expect("a first message");
    assert!(agreement.keys(&secret, &second.messages) == second.keys);
    let distinct: std::collections::HashSet<_> = second.keys.iter().collect();
    assert_eq!(distinct.len(), 150);
}

#[test]
fn first_messages_that_nobody_sends_are_refused() {
    use FirstMessageError::{Length, NotAnElement, SmallOrder};
    let agreement = SafePrimeAgreement::ffdhe2048();
    let p = integer(&agreement.modulus());
    let refused = |first: &[u8]| agreement.second(first, 3, &mut rng(8)).err();
    for length in [0, 255, 257] {
        let error = Length { expected: 256, found: length };
        assert_eq!(refused(&vec![4; length]), Some(error));
    }
    // Half of the powers of a number that is no square are none.
    let no_square = &p - BigUint::from(4u8).modpow(&77u8.into(), &p);
    let beyond = &p + 4u8;
    for bad in [BigUint::ZERO, &p - 1u8, p.clone(), no_square, beyond] {
        assert_eq!(refused(&padded(&bad)), Some(NotAnElement));
    }
    assert_eq!(refused(&padded(&1u8.into())), Some(SmallOrder));
}

#[test]
fn messages_of_small_order_have_keys_that_anybody_knows() {
    let agreement = SafePrimeAgreement::ffdhe2048();
    let p = integer(&agreement.modulus());
    let (secret, _) = agreement.first(&mut rng(9));
    let message = |integer: BigUint| padded(&integer).try_into().expect("256 bytes");
    let messages = [BigUint::ZERO, 1u8.into(), &p - 1u8, p].map(message);
    let keys = agreement.keys(&secret, &messages);
    let keys: Vec<_> = keys.iter().map(|key| integer(key)).collect();
    assert_eq!(keys, [0u8, 1, 1, 0].map(BigUint::from));
}

/// How far the numbers of squares and others are from equal.
fn symbols(p: &Odd<Uint<32>>, messages: &[[u8; LEN]]) -> f64 {
    let mut counts = [0; 2];
    for message in messages {
        let symbol = Uint::from_words(number(message)).jacobi_symbol_vartime(p);
        counts[usize::from(symbol.is_one().to_bool())] += 1;
    }
    distance(&counts, &[0.5; 2])
}

#[test]
fn messages_look_like_uniform_numbers_and_would_not_without_the_sign() {
    let agreement = SafePrimeAgreement::ffdhe2048();
    let (_, first) = agreement.first(&mut rng(10));
    let second = agreement.second(&first, 1500, &mut rng(11)).expect("a first message");
    let mut uniform = vec![[0; LEN]; 1500];
    rng(12).fill_bytes(uniform.as_flattened_mut());
    for messages in [&*second.messages, &uniform] {
        let slices = messages.iter().map(<[u8; LEN]>::as_slice);
        assert!(of_bits_and_bytes(slices, 2048) < 1.0);
        assert!(symbols(&agreement.p, &messages[..400]) < 1.0);
    }
    // Keys are powers without a sign.
    assert!(symbols(&agreement.p, &second.keys[..400]) > 10.0);
}
