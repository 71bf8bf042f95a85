//! What holds for the function of every group, and what each refuses, with other libraries as the judges.

use std::fmt::Debug;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use curve25519_dalek::Scalar;
use curve25519_dalek::ristretto::CompressedRistretto;
use num_bigint::BigUint;
use p256::elliptic_curve::PrimeField;
use p256::elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use p256::hash2curve::{ExpandMsgXmd, encode_from_bytes};
use p256::{AffinePoint, NistP256, Sec1Point};
use veilset_crypto::{
    CommutativePrf, CommutativePrp, Compressed, Curve25519Prf, Element, Ffdhe2048Prf, Group,
    KeyAgreement, NotAnElement, P256Prf, RistrettoPrp, SafePrimeAgreement, Uncompressed, kernel,
};
use veilset_simd::Kernel;
use veilset_simd::ristretto255::{self, Point};

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn prf<F: CommutativePrf>(seed: u8) -> F {
    F::generate(&mut rng(seed))
}

fn elements(count: u32) -> Vec<Element> {
    (0..count).map(|index| Element(*blake3::hash(&index.to_le_bytes()).as_bytes())).collect()
}

/// What every function of the trait keeps, with points for which `Debug` and `Eq` help the tests.
fn keeps_the_contract<F: CommutativePrf<Point: Debug>>(group: Group) {
    let (one, other): (F, F) = (prf(1), prf(2));
    let elements = elements(200);
    let first = one.hash_and_evaluate(&elements);
    assert!(first.iter().all(|point| point.as_ref().len() == F::LEN));
    assert_eq!(F::LEN, group.point_len());
    // Commutative, and one-to-one.
    let there = other.evaluate(&first);
    assert_eq!(there, one.evaluate(&other.hash_and_evaluate(&elements)));
    let there = there.expect("valid");
    let distinct: std::collections::HashSet<&[u8]> = there.iter().map(AsRef::as_ref).collect();
    assert_eq!(distinct.len(), elements.len());
    // The same for any number of threads, and for any part.
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            assert_eq!(one.hash_and_evaluate(&elements), first);
            assert_eq!(other.evaluate(&first[..100]).as_deref(), Ok(&there[..100]));
        });
    }
    assert_eq!(one.hash_and_evaluate(&elements[..1]), first[..1]);
    assert_eq!(one.hash_and_evaluate(&[]), []);
    assert_eq!(one.evaluate(&[]), Ok(vec![]));
    // Points come back from the wire.
    let bytes = first[7].as_ref();
    assert!(F::Point::try_from(bytes).is_ok_and(|point| point == first[7]));
}

#[test]
fn every_group_keeps_the_contract() {
    keeps_the_contract::<Curve25519Prf>(Group::Curve25519);
    keeps_the_contract::<P256Prf<Compressed>>(Group::P256);
    keeps_the_contract::<P256Prf<Uncompressed>>(Group::P256Uncompressed);
    keeps_the_contract::<RistrettoPrp>(Group::Ristretto255);
    keeps_the_contract::<Ffdhe2048Prf>(Group::Ffdhe2048);
}

/// Each of `refused` is refused wherever it stands, and the first of several is named.
fn refuses<F: CommutativePrf<Point: Debug>>(refused: &[F::Point]) {
    let valid = prf::<F>(3).hash_and_evaluate(&elements(130));
    let judge: F = prf(4);
    for bad in refused {
        for index in [0, 1, 63, 64, 129] {
            let mut points = valid.clone();
            points[index] = *bad;
            assert_eq!(judge.evaluate(&points), Err(NotAnElement { index }), "{bad:?}");
        }
    }
    for pair in refused.windows(2) {
        let mut points = valid.clone();
        (points[70], points[71], points[128]) = (pair[0], pair[1], pair[1]);
        assert_eq!(judge.evaluate(&points), Err(NotAnElement { index: 70 }));
    }
}

#[test]
fn the_finite_field_refuses_what_is_out_of_range_and_agrees_with_another_library() {
    let small = |number: u8| -> [u8; 256] { std::array::from_fn(|at| number * u8::from(at == 0)) };
    let p = BigUint::from_bytes_le(&SafePrimeAgreement::ffdhe2048().modulus());
    let half = (&p >> 1_u32) + 1_u32;
    let above = half.to_bytes_le().try_into().expect("256 bytes");
    refuses::<Ffdhe2048Prf>(&[small(0), small(1), above, [0xff; 256]]);
    // F_k(2)² = F_k(4), up to the sign.
    let images = prf::<Ffdhe2048Prf>(5).evaluate(&[small(2), small(4)]).expect("in range");
    let [two, four] = [0, 1].map(|place| BigUint::from_bytes_le(&images[place]));
    let square = &two * &two % &p;
    assert!(four < half && (square == four || square == &p - &four));
}

/// p of P-256.
const P: [u8; 32] = {
    let mut p = [0; 32];
    let mut index = 0;
    while index < 32 {
        p[index] = match index {
            7 => 1,
            0..4 | 20..32 => 0xff,
            _ => 0,
        };
        index += 1;
    }
    p
};

/// p + `offset`, for an offset from 1.
fn beyond_p(offset: u8) -> [u8; 32] {
    let mut bytes = P;
    // p ends in 96 ones, and a zero before them.
    bytes[19] = 1;
    bytes[20..].fill(0);
    bytes[31] = offset - 1;
    bytes
}

fn on_p256(x: &[u8; 32]) -> Option<AffinePoint> {
    let form = Sec1Point::from_bytes([&[2], x.as_slice()].concat()).expect("a form");
    AffinePoint::from_sec1_point(&form).into_option()
}

#[test]
fn p256_refuses_what_is_not_on_the_curve_or_not_canonical() {
    let mut refused: Vec<[u8; 32]> = vec![P, beyond_p(1), beyond_p(6), [0xff; 32]];
    refused.extend((0..20u8).map(|byte| [byte; 32]).filter(|x| on_p256(x).is_none()));
    assert!((9..20).contains(&refused.len()), "{}", refused.len());
    refuses::<P256Prf<Compressed>>(&refused);
    // x = 0 belongs to two points of large order, and 5 + p would be 5.
    assert!(on_p256(&[0; 32]).is_some());
    assert!(prf::<P256Prf<Compressed>>(5).evaluate(&[[0; 32]]).is_ok());
    let five = std::array::from_fn(|index| if index == 31 { 5 } else { 0 });
    assert!(on_p256(&five).is_some());
    assert!(prf::<P256Prf<Compressed>>(5).evaluate(&[five]).is_ok());
}

#[test]
fn p256_uncompressed_refuses_what_is_not_on_the_curve_or_not_canonical() {
    let valid = prf::<P256Prf<Uncompressed>>(6).hash_and_evaluate(&elements(1))[0];
    let changed = |change: fn(&mut [u8; 64])| {
        let mut point = valid;
        change(&mut point);
        point
    };
    let odd = {
        let compressed = [&[3], &valid[..32]].concat();
        let form = Sec1Point::from_bytes(compressed).expect("a form");
        let point = AffinePoint::from_sec1_point(&form).expect("on the curve");
        let mut bytes = [0; 64];
        bytes.copy_from_slice(&point.to_sec1_point(false).as_bytes()[1..]);
        bytes
    };
    assert_eq!(odd[..32], valid[..32]);
    refuses::<P256Prf<Uncompressed>>(&[
        [0; 64],
        [0xff; 64],
        odd,
        changed(|point| point[0] ^= 1),
        changed(|point| point[32] ^= 1),
        changed(|point| point[..32].copy_from_slice(&P)),
        changed(|point| point[32..].copy_from_slice(&P)),
    ]);
    // The number 5 with its root, and the same with 5 + p.
    let five = std::array::from_fn(|index| if index == 31 { 5 } else { 0 });
    let point = on_p256(&five).expect("on the curve").to_sec1_point(false);
    let mut canonical = [0; 64];
    canonical.copy_from_slice(&point.as_bytes()[1..]);
    assert!(prf::<P256Prf<Uncompressed>>(5).evaluate(&[canonical]).is_ok());
    let mut other = canonical;
    other[..32].copy_from_slice(&beyond_p(5));
    refuses::<P256Prf<Uncompressed>>(&[other]);
}

#[test]
fn ristretto_refuses_the_neutral_element_and_what_is_not_canonical() {
    let mut refused: Vec<[u8; 32]> = vec![[0; 32], [0xff; 32]];
    // A negative field element, a number above the field's, and random ones.
    refused.push(std::array::from_fn(|index| u8::from(index == 0)));
    refused.push(std::array::from_fn(|index| match index {
        0 => 0xed,
        31 => 0x7f,
        _ => 0xff,
    }));
    let random = (0..40u8).map(|byte| *blake3::hash(&[byte]).as_bytes());
    refused.extend(random.filter(|bytes| CompressedRistretto(*bytes).decompress().is_none()));
    assert!(refused.len() > 20);
    refuses::<RistrettoPrp>(&refused);
}

#[test]
fn a_key_of_p256_multiplies_the_encoded_element() {
    // The key is the first number that the generator gives, since that is in range.
    let mut bytes = [0; 32];
    rng(7).fill_bytes(&mut bytes);
    let key = p256::Scalar::from_repr(bytes.into()).expect("in range");
    let elements = elements(70);
    let compressed = prf::<P256Prf<Compressed>>(7).hash_and_evaluate(&elements);
    let uncompressed = prf::<P256Prf<Uncompressed>>(7).hash_and_evaluate(&elements);
    for ((element, x), both) in elements.iter().zip(compressed).zip(uncompressed) {
        let dst = Group::P256.dst().as_bytes();
        let encoded =
            encode_from_bytes::<NistP256, ExpandMsgXmd<sha2::Sha256>>(&[&element.0], &[dst]);
        let product = (encoded.expect("a short tag") * key).to_affine().to_sec1_point(false);
        assert_eq!(x, product.as_bytes()[1..33]);
        // SEC 1's form 2 is the point with an even y.
        let even = on_p256(&x).expect("on the curve").to_sec1_point(false);
        assert_eq!(both, even.as_bytes()[1..]);
    }
}

#[test]
fn a_key_of_ristretto_multiplies_and_its_inverse_undoes() {
    // The generator gives half of the key.
    let mut wide = [0; 64];
    rng(8).fill_bytes(&mut wide);
    let key = Scalar::from_bytes_mod_order_wide(&wide) * Scalar::from(2u8);
    let prp: RistrettoPrp = prf(8);
    let elements = elements(70);
    let mut mapped = vec![Point::IDENTITY; 70];
    kernel::ristretto255::map_batch(Kernel::best(), &elements, &mut mapped);
    let mut unmasked = vec![[0; 32]; 70];
    ristretto255::encode(Kernel::best(), &mapped, &mut unmasked);
    let images = prp.hash_and_evaluate(&elements);
    for (unmasked, image) in unmasked.iter().zip(&images) {
        let point = CompressedRistretto(*unmasked).decompress().expect("an element");
        assert_eq!((point * key).compress().0, *image);
    }
    assert_eq!(prp.invert(&images).as_ref(), Ok(&unmasked));
    assert_eq!(prp.evaluate(&unmasked), Ok(images.clone()));
    // Fig. 5: what the other evaluates in between stays.
    let other: RistrettoPrp = prf(9);
    let evaluated = other.evaluate(&images).expect("valid");
    assert_eq!(prp.invert(&evaluated), Ok(other.hash_and_evaluate(&elements)));
    assert_eq!(prp.invert(&[[0; 32]]), Err(NotAnElement { index: 0 }));
}
