//! What blinded elements may not show, and what a peer may not send, with another library as the judge.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::SeedableRng;
use curve25519_dalek::{MontgomeryPoint, Scalar};
use proptest::prelude::*;
use veilset_crypto::{CommutativePrf, Curve25519Prf, Element, ElementHasher, NotAnElement, Point};

fn prf(seed: u8) -> Curve25519Prf {
    Curve25519Prf::generate(&mut ChaCha20Rng::from_seed([seed; 32]))
}

fn elements(count: u32) -> Vec<Element> {
    let hasher = ElementHasher::new(&[0; 32], "raw@1");
    (0..count).map(|index| hasher.element(&index.to_le_bytes())).collect()
}

fn on_the_twist(points: &[Point]) -> usize {
    points.iter().filter(|point| MontgomeryPoint(**point).to_edwards(0).is_none()).count()
}

#[test]
fn blinded_elements_do_not_show_the_twist_bit_that_naive_ones_show() {
    let elements = elements(1000);
    let naive: Vec<Point> = elements
        .iter()
        .map(|element| {
            let mut point = element.0;
            point[31] &= 0x7f;
            point
        })
        .collect();
    let blinded_naive = prf(1).evaluate(&naive).expect("of large order");
    // Five standard deviations of a fair coin.
    assert!((420..580).contains(&on_the_twist(&blinded_naive)), "half of the naive ones leak");
    // And it is the element's own bit, through any key.
    for (point, blinded) in naive.iter().zip(&blinded_naive) {
        assert_eq!(on_the_twist(&[*point]), on_the_twist(&[*blinded]));
    }
    assert_eq!(on_the_twist(&prf(1).hash_and_evaluate(&elements)), 0);
}

#[test]
fn blinded_elements_lie_in_the_subgroup_of_prime_order() {
    for point in prf(2).hash_and_evaluate(&elements(300)) {
        let point = MontgomeryPoint(point).to_edwards(0).expect("on the curve");
        assert!(point.is_torsion_free() && !point.is_small_order());
    }
}

#[test]
fn a_key_multiplies_the_encoded_element() {
    let bytes = {
        let mut bytes = [0; 32];
        chacha20::rand_core::Rng::fill_bytes(&mut ChaCha20Rng::from_seed([3; 32]), &mut bytes);
        bytes
    };
    let dst = veilset_crypto::Group::Curve25519.dst().as_bytes();
    let eighth = Scalar::from(8u8).invert();
    let elements = elements(100);
    for (element, point) in elements.iter().zip(prf(3).hash_and_evaluate(&elements)) {
        let encoded =
            curve25519_dalek::EdwardsPoint::encode_to_curve::<sha2::Sha512>(&[&element.0], &[dst]);
        let expected = (encoded * eighth).to_montgomery().mul_clamped(bytes);
        assert_eq!(point, expected.0);
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let elements = elements(1000);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let points = prf(4).hash_and_evaluate(&elements);
            let mut bad = points.clone();
            (bad[900], bad[500], bad[501]) = ([0; 32], [0xff; 32], [0; 32]);
            (prf(5).evaluate(&points), prf(5).evaluate(&bad))
        })
    };
    let alone = run(1);
    assert_eq!(alone.1, Err(NotAnElement { index: 500 }));
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), alone);
    }
}

#[test]
fn nothing_to_do_is_done() {
    assert_eq!(prf(6).hash_and_evaluate(&[]), Vec::<Point>::new());
    assert_eq!(prf(6).evaluate(&[]), Ok(vec![]));
}

/// 2^255 + `offset`, little-endian.
fn near_2_255(offset: i16) -> Point {
    let mut bytes = [if offset < 0 { 0xff } else { 0 }; 32];
    bytes[..2].copy_from_slice(&offset.to_le_bytes());
    bytes[31] ^= 0x80;
    bytes
}

#[test]
fn points_that_no_honest_peer_sends_are_refused_with_their_place() {
    let high_bit = {
        let mut point = [9; 32];
        point[31] = 0x89;
        point
    };
    let order_8 = [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ];
    let mut refused = vec![near_2_255(-19), near_2_255(-18), near_2_255(-1), high_bit];
    refused.extend([[0xff; 32], [0; 32], near_2_255(-20)]);
    refused.push(std::array::from_fn(|index| u8::from(index == 0)));
    refused.extend(order_8.map(|text| {
        let byte = |index| u8::from_str_radix(&text[2 * index..][..2], 16).expect("hexadecimal");
        let point = std::array::from_fn(byte);
        let edwards = MontgomeryPoint(point).to_edwards(0).expect("on the curve");
        assert!(edwards.is_small_order());
        point
    }));
    for point in refused {
        for index in [0, 1, 63, 64, 129] {
            let mut points = prf(7).hash_and_evaluate(&elements(130));
            points[index] = point;
            assert_eq!(prf(8).evaluate(&points), Err(NotAnElement { index }), "{point:?}");
        }
    }
    // The largest canonical encoding of large order is no mistake.
    let largest = (21..40).map(|offset| near_2_255(-offset)).collect::<Vec<_>>();
    assert!(prf(8).evaluate(&largest).is_ok());
}

#[test]
fn the_first_of_several_is_named_whatever_is_wrong_with_it() {
    let mut points = prf(7).hash_and_evaluate(&elements(10));
    (points[3], points[6]) = ([0; 32], [0xff; 32]);
    assert_eq!(prf(8).evaluate(&points), Err(NotAnElement { index: 3 }));
    points.swap(3, 6);
    assert_eq!(prf(8).evaluate(&points), Err(NotAnElement { index: 3 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn two_keys_commute(one: u8, other: u8, digests in proptest::collection::vec(any::<[u8; 32]>(), 0..70)) {
        let (one, other) = (prf(one), prf(other));
        let elements: Vec<Element> = digests.into_iter().map(Element).collect();
        let there = other.evaluate(&one.hash_and_evaluate(&elements));
        let back = one.evaluate(&other.hash_and_evaluate(&elements));
        prop_assert!(there.is_ok());
        prop_assert_eq!(there, back);
    }
}
