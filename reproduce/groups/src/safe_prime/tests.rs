//! Against the arithmetic of another library and against counting.

use std::collections::BTreeSet;

use chacha20::ChaCha20Rng;
use crypto_bigint::U1024;
use num_bigint::BigUint;
use rand_core::SeedableRng;

use super::*;

/// q of Kim and Kim's Table 2: 1 more than an odd multiple of 2^10, although the table says 2^15.
const TABLE_2: &str = "7de6abbee69216502f528bb23529d789fa8e3d3176d2ae44395d7136e51802244999c504e03ea2b7\
53b82a097f60b1a4f628c7fd1fd215251cb0d0a11d5d85f21415968b9146e0c943402b4a77888aee08535fdbd0290e1ffc5e83dad3787e0b\
28e94a034abc8b3b7f712cfed8b53ee7341c3126fc040de8814418b92a071c01";

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn paper() -> SafePrimeGroup {
    let q = U1024::from_be_hex(TABLE_2);
    let p = q.shl_vartime(1).wrapping_add(&U1024::ONE);
    SafePrimeGroup::new(&p, &mut rng(0)).expect("a safe prime")
}

fn big<const LIMBS: usize>(integer: &Uint<LIMBS>) -> BigUint {
    BigUint::from_bytes_be(integer.to_be_bytes().as_ref())
}

/// The integers that encode elements.
fn integers(group: &SafePrimeGroup, elements: &[Unsigned]) -> Vec<BigUint> {
    let mut encoded = Vec::new();
    group.encode(elements, &mut encoded);
    encoded.chunks(8 * WORDS).map(BigUint::from_bytes_be).collect()
}

fn scalars(group: &SafePrimeGroup, count: usize, seed: u8) -> Vec<Residue<16>> {
    let (field, rng) = (group.field(), &mut rng(seed));
    let mut scalars = vec![field.zero(), field.one(), field.neg(&field.one())];
    scalars.extend((3..count).map(|_| group.random(rng)));
    scalars
}

/// The paper's group with every kernel.
fn papers() -> impl Iterator<Item = SafePrimeGroup> {
    let q = U1024::from_be_hex(TABLE_2);
    let p = q.shl_vartime(1).wrapping_add(&U1024::ONE);
    let with = move |kernel| SafePrimeGroup::with_primes(&q, &p, kernel).expect("a safe prime");
    Kernel::available().map(with)
}

/// Of x and p − x the lesser.
fn lesser(x: BigUint, p: &BigUint) -> BigUint {
    let opposite = p - &x;
    x.min(opposite)
}

#[test]
fn products_are_powers() {
    for group in papers() {
        let p = big(group.modulus());
        let scalars = scalars(&group, 12, 1);
        let exponents: Vec<_> = scalars.iter().map(|s| big(&group.field().integer(s))).collect();
        let power = |base: &BigUint, exponent| lesser(base.modpow(exponent, &p), &p);
        let elements = group.multiply_generator(&scalars);
        let bases = integers(&group, &elements);
        let four = BigUint::from(4u8);
        assert!(bases.iter().cloned().eq(exponents.iter().map(|e| power(&four, e))));
        let reversed: Vec<_> = scalars.iter().rev().copied().collect();
        let powers = bases.iter().zip(exponents.iter().rev()).map(|(b, e)| power(b, e));
        let powers: Vec<_> = powers.collect();
        let mut products = elements.clone();
        group.multiply(&reversed, &mut products);
        assert_eq!(integers(&group, &products), powers);
        let mut products = elements.clone();
        group.multiply_all(&scalars[5], &mut products);
        let all: Vec<_> = bases.iter().map(|b| power(b, &exponents[5])).collect();
        assert_eq!(integers(&group, &products), all);
        let base = group.base(&elements[7]);
        let fixed: Vec<_> = exponents.iter().map(|e| power(&bases[7], e)).collect();
        assert_eq!(integers(&group, &group.multiply_base(&base, &scalars)), fixed);
        for terms in [1, 3, 12] {
            let sums = group.sums_of_products(&reversed, &elements, terms);
            let product = |run: &[BigUint]| run.iter().fold(BigUint::from(1u8), |a, b| a * b % &p);
            let products = powers.chunks(terms).map(|run| lesser(product(run), &p));
            assert!(integers(&group, &sums).into_iter().eq(products));
        }
        // A product of polynomials, 12 plain coefficients by 3, and its rows one by one.
        let rows: Vec<Row> =
            (0..3).map(|element| Row { element, from: 0, count: 12, to: element }).collect();
        let sums = group.sums_of_rows(&scalars, &elements[2..5], &rows, 14);
        let mut expected = vec![BigUint::from(1u8); 14];
        for (place, exponent) in exponents.iter().enumerate() {
            for (element, base) in bases[2..5].iter().enumerate() {
                let sum = &mut expected[place + element];
                *sum = &*sum * base.modpow(exponent, &p) % &p;
            }
        }
        let expected: Vec<_> = expected.into_iter().map(|sum| lesser(sum, &p)).collect();
        assert_eq!(integers(&group, &sums), expected);
    }
}

#[test]
fn sums_are_products_of_residues() {
    for group in papers() {
        let p = big(group.modulus());
        let left = group.multiply_generator(&scalars(&group, 70, 2));
        let right = group.multiply_generator(&scalars(&group, 70, 3));
        let (a, b) = (integers(&group, &left), integers(&group, &right));
        let inverse = |x: &BigUint| x.modpow(&(&p - 2u8), &p);
        let (mut sums, mut differences) = (left.clone(), left.clone());
        let (mut doubled, mut negated) = (left.clone(), left.clone());
        group.add(&mut sums, &right);
        group.subtract(&mut differences, &right);
        group.double(&mut doubled);
        group.negate(&mut negated);
        let pairs = || a.iter().zip(&b);
        let is = |found: &[Unsigned], expected: &mut dyn Iterator<Item = BigUint>| {
            integers(&group, found).into_iter().eq(expected.map(|x| lesser(x % &p, &p)))
        };
        assert!(is(&sums, &mut pairs().map(|(a, b)| a * b)));
        assert!(is(&differences, &mut pairs().map(|(a, b)| a * inverse(b))));
        assert!(is(&doubled, &mut a.iter().map(|a| a * a)));
        assert!(is(&negated, &mut a.iter().map(inverse)));
        for count in [0, 1, 2, 3, 9] {
            let mut some = left[..count].to_vec();
            group.negate(&mut some);
            assert!(is(&some, &mut a[..count].iter().map(inverse)));
        }
        // p − 1 is 1 up to the sign.
        let opposite = group.residues.enter(&[(*group.modulus() - U1024::ONE).to_words()])[0];
        let identities =
            group.are_identity(&[group.identity(), group.generator(), Unsigned(opposite)]);
        assert_eq!(identities, [true, false, true]);
    }
}

/// p = 23 counted through: what is decoded is the lesser of two opposite residues.
#[test]
fn encodings_are_the_lesser_residues() {
    let group = SafePrimeGroup::new(&Uint::from(23u8), &mut rng(4)).expect("a safe prime");
    let encode = |number: u64| [vec![0; 120], number.to_be_bytes().to_vec()].concat();
    for number in 0..60u64 {
        let encoded = encode(number);
        let decoded = group.decode(&encoded);
        assert_eq!(decoded.is_ok(), (1..=11).contains(&number), "{number}");
        if let Ok(elements) = decoded {
            assert_eq!(integers(&group, &elements), [BigUint::from(number)]);
        }
    }
    let encoded = [4, 9, 12, 23].map(encode).concat();
    assert_eq!(group.decode(&encoded).err(), Some(NotAnElement { index: 2 }));
    assert_eq!(group.encoded_len(), 128);
    let all =
        group.multiply_generator(&(0..11).map(|e| group.field().element(e)).collect::<Vec<_>>());
    let all: BTreeSet<BigUint> = integers(&group, &all).into_iter().collect();
    assert!(all.into_iter().eq((1..=11u8).map(BigUint::from)));
}

#[test]
fn only_safe_primes_are_taken() {
    let mut taken = Vec::new();
    for p in 0..400u64 {
        match SafePrimeGroup::new(&Uint::from(p), &mut rng(5)) {
            Ok(_) => taken.push(p),
            Err(error) => assert_eq!(error, SafePrimeError::NotSafePrime, "{p}"),
        }
    }
    let prime = |n: u64| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    let expected = (11..400u64).filter(|p| prime(*p) && prime(p / 2));
    assert!(taken.into_iter().eq(expected));
    let modulus = paper().modulus().wrapping_add(&Uint::from(2u8));
    assert!(SafePrimeGroup::new(&modulus, &mut rng(6)).is_err());
}

fn generated(setting: Setting, log_size: u32, seed: u8) {
    let group = SafePrimeGroup::generate(setting, &mut rng(seed)).expect("not large");
    assert_eq!(group.modulus().bits(), 1024);
    let (p, q) = (big(group.modulus()), big(group.field().modulus()));
    assert_eq!(p, &q * 2u8 + 1u8);
    assert!((&q - 1u8).trailing_zeros() >= Some(u64::from(log_size)));
    assert!(group.field().root_of_unity(log_size).is_some());
    // Fermat's test, to other bases and by another library than the search.
    for n in [p, q] {
        for base in [3u8, 5, 7] {
            assert_eq!(BigUint::from(base).modpow(&(&n - 1u8), &n), BigUint::from(1u8));
        }
    }
}

#[test]
fn generated_groups_are_of_their_settings() {
    generated(Setting::General, 1, 7);
    generated(Setting::Special { log_size: 64 }, 64, 9);
    generated(Setting::Special { log_size: 10 }, 10, 10);
    let error = SafePrimeGroup::generate(Setting::Special { log_size: 257 }, &mut rng(11));
    assert_eq!(error.err(), Some(SafePrimeError::LogSize { log_size: 257, most: 256 }));
}
