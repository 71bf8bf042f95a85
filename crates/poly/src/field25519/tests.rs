//! Fields against each other and against arithmetic known from elsewhere.

use crypto_bigint::{U256, U1024};
use curve25519_dalek::Scalar;
use veilset_crypto::{Field, KnownField, PrimeField, RistrettoScalars};
use veilset_paper_groups::PallasScalars;

use super::*;
use crate::testing::{goldilocks, random, rng};

/// (p − 1)/2 for the prime p of Kim and Kim's Table 2: a prime of 1023 bits, and 1 more than an odd multiple of 2^10.
const TABLE_2: &str = "7de6abbee69216502f528bb23529d789fa8e3d3176d2ae44395d7136e51802244999c504e03ea2b7\
53b82a097f60b1a4f628c7fd1fd215251cb0d0a11d5d85f21415968b9146e0c943402b4a77888aee08535fdbd0290e1ffc5e83dad3787e0b\
28e94a034abc8b3b7f712cfed8b53ee7341c3126fc040de8814418b92a071c01";

/// ℓ, the order of ristretto255 (RFC 9496, section 4).
const RISTRETTO: &str = "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";

/// The scalar ring of Pallas.
const PALLAS: &str = "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001";

/// A field's operations on (a, b): a + b, a − b, a·b, −a, 1/a.
fn results<F: Field>(field: &F, a: &F::Element, b: &F::Element) -> [F::Element; 5] {
    let inverse = field.inverse(a).expect("not 0");
    [field.add(a, b), field.sub(a, b), field.mul(a, b), field.neg(a), inverse]
}

/// The known field `field` and the one with its modulus computed alike.
fn twins<E: ff::PrimeField<Repr = [u8; 32]> + zeroize::Zeroize>(modulus: &str) {
    let known = KnownField::<E>::new();
    let found = PrimeField::new(&U256::from_be_hex(modulus)).expect("a prime");
    let convert = |e: &E| found.residue(&U256::from_le_slice(&e.to_repr()));
    let elements = random(&known, &mut rng(1), 40);
    for pair in elements.windows(2) {
        let expected = results(&known, &pair[0], &pair[1]);
        let found = results(&found, &convert(&pair[0]), &convert(&pair[1]));
        assert!(found == expected.each_ref().map(convert));
    }
}

#[test]
fn a_modulus_found_at_run_time_is_as_good_as_a_known_one() {
    twins::<Scalar>(RISTRETTO);
    twins::<pasta_curves::pallas::Scalar>(PALLAS);
}

#[test]
fn the_field_of_curve25519_is_the_one_of_its_modulus() {
    let prime = U256::from_be_hex(&format!("7{}ed", "f".repeat(61)));
    let found = PrimeField::new(&prime).expect("a prime");
    let known = Field25519::new();
    let convert = |e: &Element25519| found.residue(&U256::from_le_slice(&e.to_bytes()));
    let mut elements = random(&known, &mut rng(2), 40);
    let small = [1, 2, 18, 19, 20, u64::MAX].map(|value| known.element(value));
    elements.extend(small);
    elements.extend(small.iter().map(|element| known.neg(element)));
    for (a, b) in elements.iter().flat_map(|a| elements.iter().map(move |b| (a, b))) {
        let expected = results(&found, &convert(a), &convert(b));
        assert!(results(&known, a, b).each_ref().map(convert) == expected);
    }
    let zero = known.zero();
    assert!(known.inverse(&zero).is_none() && known.neg(&zero) == zero);
    assert!(known.sub(&elements[0], &elements[0]) == zero);
}

#[test]
fn encodings_of_curve25519s_field_are_canonical() {
    let field = Field25519::new();
    let encoding = |low: u8, high: u8| {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (low, high);
        bytes
    };
    let minus_one = Element25519::from_bytes(&encoding(0xec, 0x7f)).expect("below p");
    assert!(minus_one == field.neg(&field.one()));
    assert_eq!(minus_one.to_bytes(), encoding(0xec, 0x7f));
    for (low, high, value) in [(0xed, 0x7f, 0), (0xff, 0x7f, 18), (0xff, 0xff, 37)] {
        let bytes = encoding(low, high);
        assert!(Element25519::from_bytes(&bytes).is_none());
        assert!(Element25519::reduced(&bytes) == field.element(value));
    }
}

/// Roots of all orders up to 2^most have exactly these orders, and there are none beyond.
fn roots<F: Field>(field: &F, most: u32) {
    let minus_one = field.neg(&field.one());
    assert!(field.root_of_unity(0) == Some(field.one()));
    for log_size in 1..=most {
        let root = field.root_of_unity(log_size).expect("the field has it");
        let half = (1..log_size).fold(root, |power, _| field.mul(&power, &power));
        assert!(half == minus_one, "2^{log_size}");
    }
    assert!(field.root_of_unity(most + 1).is_none());
}

#[test]
fn roots_of_unity_have_their_orders() {
    roots(&goldilocks(), 32);
    roots(&RistrettoScalars::new(), 2);
    roots(&PallasScalars::new(), 32);
    roots(&PrimeField::new(&U1024::from_be_hex(TABLE_2)).expect("a prime"), 10);
    // 2^255 − 19 = 5 modulo 8.
    let prime = U256::from_be_hex(&format!("7{}ed", "f".repeat(61)));
    roots(&PrimeField::new(&prime).expect("a prime"), 2);
    roots(&Field25519::new(), 2);
}
