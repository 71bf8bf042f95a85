use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use rustls::SignatureScheme;

use super::*;

const MESSAGE: &[u8] = b"what is signed";

/// The order of the group, lowest byte first (RFC 8032, section 5.1).
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// Whether this provider accepts; aws-lc must say the same.
fn accepted(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let verdicts = [pure(), oracle()].map(|provider| {
        let algorithms = provider.signature_verification_algorithms.mapping;
        let known = algorithms.iter().find(|(scheme, _)| *scheme == SignatureScheme::ED25519);
        let (_, algorithms) = known.expect("both know Ed25519");
        algorithms[0].verify_signature(key, message, signature).is_ok()
    });
    assert_eq!(verdicts[0], verdicts[1], "{key:02x?} {signature:02x?}");
    verdicts[0]
}

/// The sum of two numbers, lowest bytes first.
fn plus(number: &[u8; 32], more: &[u8; 32]) -> [u8; 32] {
    let mut carry = 0;
    let mut sum = [0; 32];
    for (sum, (a, b)) in sum.iter_mut().zip(number.iter().zip(more)) {
        carry += u16::from(*a) + u16::from(*b);
        *sum = (carry & 0xff) as u8;
        carry >>= 8;
    }
    sum
}

/// These bytes: the lowest, 30 alike between, and the last, which has the sign.
fn point(low: u8, between: u8, last: u8) -> [u8; 32] {
    let mut bytes = [between; 32];
    (bytes[0], bytes[31]) = (low, last);
    bytes
}

#[test]
fn an_altered_signature_is_refused() {
    let pair = Ed25519KeyPair::generate().expect("keys");
    let (key, signature) = (pair.public_key().as_ref(), pair.sign(MESSAGE));
    let signature = signature.as_ref();
    assert!(accepted(key, MESSAGE, signature));
    assert!(!accepted(key, b"what is not signed", signature));
    for bit in 0..64 * 8 {
        let mut altered = signature.to_vec();
        altered[bit / 8] ^= 1 << (bit % 8);
        assert!(!accepted(key, MESSAGE, &altered));
    }
    for bit in 0..32 * 8 {
        let mut altered = key.to_vec();
        altered[bit / 8] ^= 1 << (bit % 8);
        assert!(!accepted(&altered, MESSAGE, signature));
    }
    for length in [0, 31, 32, 63] {
        assert!(!accepted(key, MESSAGE, &signature[..length]));
        assert!(!accepted(&key[..length.min(31)], MESSAGE, signature));
    }
    assert!(!accepted(key, MESSAGE, &[signature, &[0]].concat()));
    assert!(!accepted(&[key, &[0]].concat(), MESSAGE, signature));
}

#[test]
fn a_number_that_is_not_reduced_is_refused() {
    for _ in 0..8 {
        let pair = Ed25519KeyPair::generate().expect("keys");
        let signature = pair.sign(MESSAGE);
        let (r, s) = signature.as_ref().split_at(32);
        let mut s = <[u8; 32]>::try_from(s).expect("the other half");
        // As often as it fits into 32 bytes.
        for _ in 0..14 {
            s = plus(&s, &ORDER);
            assert!(!accepted(pair.public_key().as_ref(), MESSAGE, &[r, &s].concat()));
        }
    }
}

/// With a key of small order some signatures are good for every message. aws-lc accepts such a key where its encoding is the
/// right one; no party pins it.
#[test]
fn keys_of_small_order_are_taken_in_their_one_encoding() {
    let zero = [0; 32];
    let neutral = point(1, 0, 0);
    let good = [neutral, zero].concat();
    assert!(accepted(&neutral, MESSAGE, &good));
    // 1 with the sign that zero has not, 1 + p, and that with the sign.
    for other in [point(1, 0, 0x80), point(0xee, 0xff, 0x7f), point(0xee, 0xff, 0xff)] {
        assert!(!accepted(&other, MESSAGE, &good));
        assert!(!accepted(&neutral, MESSAGE, &[other, zero].concat()));
    }
    // Zero and −1 are of order four and two, and p is zero again: the verdict depends on the message.
    let small = [
        point(0, 0, 0),
        point(0, 0, 0x80),
        point(0xec, 0xff, 0x7f),
        point(0xec, 0xff, 0xff),
        point(0xed, 0xff, 0x7f),
        point(0xed, 0xff, 0xff),
    ];
    for key in small {
        for r in small.iter().chain([&neutral]) {
            for message in 0..16u8 {
                accepted(&key, &[message], &[*r, zero].concat());
            }
        }
    }
}

/// All values that are not reduced, and their neighbours, with either sign.
#[test]
fn an_encoding_of_a_key_is_reduced() {
    for last in [0x7f, 0xff] {
        for low in 0xe0..=0xff {
            for message in 0..4u8 {
                accepted(&point(low, 0xff, last), &[message], &[point(1, 0, 0), [0; 32]].concat());
            }
        }
    }
}
