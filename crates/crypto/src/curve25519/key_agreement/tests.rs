//! Against curve25519-dalek and num-bigint, and statistics that fail where a part of the encoding is left out.

use chacha20::ChaCha20Rng;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::{EdwardsPoint, MontgomeryPoint, Scalar as Residue};
use num_bigint::BigUint;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::curve25519::P;
use crate::uniformity::{distance, of_bits_and_bytes};
use crate::vectors;

const AGREEMENT: Curve25519Agreement = Curve25519Agreement;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// What numbers decode to.
fn decoded(messages: &[[u8; 32]]) -> Vec<[u8; 32]> {
    let wide: Vec<_> = messages.iter().map(big_endian).collect();
    let mut points = vec![[0; 32]; wide.len()];
    elligator2(Kernel::best(), &wide, &mut points);
    points
}

fn uniform(count: usize) -> Vec<[u8; 32]> {
    let mut rng = rng(77);
    let mut numbers = vec![[0; 32]; count];
    for number in &mut numbers {
        rng.fill_bytes(number);
        number[31] &= 0x7f;
    }
    numbers
}

#[test]
fn both_sides_have_the_same_keys() {
    let (secret, first) = AGREEMENT.first(&mut rng(1));
    for n in [0, 1, TABLE_FROM - 1, TABLE_FROM, 700] {
        let second = AGREEMENT.second(&first, n, &mut rng(2)).expect("a first message");
        assert_eq!((second.messages.len(), second.keys.len()), (n, n));
        assert!(AGREEMENT.keys(&secret, &second.messages) == second.keys);
        let distinct: std::collections::HashSet<_> = second.keys.iter().collect();
        assert_eq!(distinct.len(), n);
    }
}

#[test]
fn messages_do_not_depend_on_the_number_of_threads() {
    let (_, first) = AGREEMENT.first(&mut rng(1));
    let messages = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let run = || AGREEMENT.second(&first, 600, &mut rng(2)).expect("a first message");
        pool.install(run).messages
    };
    assert!(messages(1) == messages(3));
}

#[test]
fn messages_and_keys_are_what_another_library_says() {
    let bytes = [0x5a; 32];
    let secret = ClampedExponent(kernel::Scalar::new(&bytes));
    let base = MontgomeryPoint(GENERATOR).mul_clamped(bytes);
    let drawn = draw::draw(100, draw::ALL, &mut rng(3));
    let keys = AGREEMENT.keys(&secret, &drawn.messages);
    let points = decoded(&drawn.messages);
    for ((eighth, key), u) in drawn.eighths.iter().zip(&*keys).zip(points) {
        let b = Residue::from_bytes_mod_order(*eighth) * Residue::from(8u8);
        let point = EdwardsPoint::mul_base(&b);
        assert!(EIGHT_TORSION.iter().any(|torsion| (point + torsion).to_montgomery().0 == u));
        assert_eq!(*key, (base * b).0);
    }
    let second = AGREEMENT.second(&base.0, 100, &mut rng(3)).expect("a first message");
    assert!(second.messages == drawn.messages && second.keys == keys);
}

#[test]
fn numbers_decode_as_the_rfc_says() {
    let file = vectors::file(include_str!("../../../../../vectors/rfc9380-curve25519-nu.json"));
    let vectors = file["vectors"].as_array().expect("a list");
    for vector in vectors {
        let text = |field: &serde_json::Value| field.as_str().expect("a string").to_owned();
        let mut number = vectors::unhex(&text(&vector["u"]));
        number.reverse();
        let point = decoded(&[number]);
        assert_eq!(vectors::big_endian_hex(point[0]), text(&vector["q_x"]));
    }
}

#[test]
fn a_first_message_with_a_part_of_small_order_agrees_too() {
    let (secret, first) = AGREEMENT.first(&mut rng(4));
    let u = MontgomeryPoint(first.try_into().expect("32 bytes"));
    let mixed = u.to_edwards(0).expect("on the curve") + EIGHT_TORSION[3];
    for n in [5, 50] {
        let second = AGREEMENT.second(&mixed.to_montgomery().0, n, &mut rng(5)).expect("mixed");
        assert!(AGREEMENT.keys(&secret, &second.messages) == second.keys);
    }
}

#[test]
fn first_messages_that_nobody_sends_are_refused() {
    use FirstMessageError::{Length, NotAnElement, SmallOrder};
    let refused = |first: &[u8]| AGREEMENT.second(first, 3, &mut rng(6)).err();
    for length in [0, 31, 33] {
        let error = Length { expected: 32, found: length };
        assert_eq!(refused(&vec![9; length]), Some(error));
    }
    for torsion in &EIGHT_TORSION {
        assert_eq!(refused(&torsion.to_montgomery().0), Some(SmallOrder));
    }
    let (_, first) = AGREEMENT.first(&mut rng(7));
    let mut top_bit = first.clone();
    top_bit[31] |= 0x80;
    let mut two = [0; 32];
    two[0] = 2;
    assert!(MontgomeryPoint(two).to_edwards(0).is_none(), "on the twist");
    for bad in [top_bit, P.to_vec(), vec![0xff; 32], two.to_vec()] {
        assert_eq!(refused(&bad), Some(NotAnElement));
    }
}

#[test]
fn messages_of_small_order_have_the_key_zero() {
    let (secret, _) = AGREEMENT.first(&mut rng(8));
    let others = uniform(2);
    let keys = AGREEMENT.keys(&secret, &[others[0], [0; 32], others[1]]);
    let zero: Vec<bool> = keys.iter().map(|key| *key == [0; 32]).collect();
    assert_eq!(zero, [false, true, false]);
}

/// Classes of the points that numbers decode to, times ℓ: multiples 0 to 4 of a point of order 8, up to signs.
fn torsion(messages: &[[u8; 32]]) -> f64 {
    let mut counts = [0; 5];
    for u in decoded(messages) {
        let point = MontgomeryPoint(u).to_edwards(0).expect("an image is on the curve");
        let times_order = point * -Residue::ONE + point;
        let class = EIGHT_TORSION.iter().position(|torsion| *torsion == times_order);
        let class = class.expect("of small order");
        counts[class.min(8 - class)] += 1;
    }
    distance(&counts, &[0.125, 0.25, 0.25, 0.25, 0.125])
}

/// Which messages come from the first branch: those r with −A / (1 + 2r²) = u.
fn branches(messages: &[[u8; 32]]) -> f64 {
    let p = BigUint::from_bytes_le(&P);
    let mut counts = [0; 2];
    for (r, u) in messages.iter().zip(decoded(messages)) {
        let (r, u) = (BigUint::from_bytes_le(r), BigUint::from_bytes_le(&u));
        let left = u * (&r * &r * 2u8 + 1u8) % &p;
        counts[usize::from(left == &p - 486_662u32)] += 1;
    }
    distance(&counts, &[0.5; 2])
}

fn bits(messages: &[[u8; 32]]) -> f64 {
    of_bits_and_bytes(messages.iter().map(<[u8; 32]>::as_slice), 255)
}

/// Distances with these bits of choices drawn: of bits and bytes, of torsion and of branches.
fn distances(choices: u8) -> [f64; 3] {
    let messages = draw::draw(20_000, choices, &mut rng(9)).messages;
    [bits(&messages), torsion(&messages[..4000]), branches(&messages[..4000])]
}

#[test]
fn messages_look_like_uniform_numbers() {
    let uniform = uniform(20_000);
    let of_uniform = [bits(&uniform), torsion(&uniform[..4000]), branches(&uniform[..4000])];
    for distances in [of_uniform, distances(draw::ALL)] {
        assert!(distances.iter().all(|distance| *distance < 1.0), "{distances:?}");
    }
}

#[test]
fn no_part_of_the_encoding_can_be_left_out() {
    // No point of small order; half of them; no branch; no sign.
    let cases = [(0x18, 1), (0x1e, 1), (0x17, 2), (0x0f, 0)];
    for (choices, fails) in cases {
        let distances = distances(choices);
        for (test, distance) in distances.iter().enumerate() {
            assert_eq!(*distance > 1.0, test == fails, "{choices:#x}: {distances:?}");
        }
        assert!(distances[fails] > 10.0, "{choices:#x}: {distances:?}");
    }
}
