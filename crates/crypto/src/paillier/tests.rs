use chacha20::ChaCha20Rng;
use crypto_bigint::{ConcatenatingMul, ConcatenatingSquare};
use num_bigint::BigUint;
use proptest::prelude::*;
use rand_core::{CryptoRng, SeedableRng};
use serde_json::Value;

use super::*;
use crate::vectors::file;

const SMALL: KeySize = KeySize::insecure(256);

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn integer(hex: &Value, bits: u32) -> Integer {
    let hex = hex.as_str().expect("a string");
    let width = bits as usize / 4;
    Integer::from_be_hex(&format!("{hex:0>width$}"), bits).expect("hexadecimal")
}

fn big(number: &Integer) -> BigUint {
    BigUint::from_bytes_be(&number.to_be_bytes())
}

/// Each key of the file: made by another library, and ciphertexts under it.
fn each_key(mut check: impl FnMut(&SecretKey, &Value)) {
    for key in
        file(include_str!("../../../../vectors/paillier.json"))["keys"].as_array().expect("keys")
    {
        let size = KeySize::insecure(key["bits"].as_u64().expect("a number") as u32);
        let [p, q] = ["p", "q"].map(|name| integer(&key[name], size.bits() / 2));
        let secret = SecretKey::of_primes(size, &p, &q);
        key["cases"].as_array().expect("cases").iter().for_each(|case| check(&secret, case));
    }
}

#[test]
fn what_another_library_encrypts_is_decrypted_and_scaled() {
    each_key(|key, case| {
        let size = key.public().size();
        let plain = integer(&case["plain"], size.bits());
        let encoded = integer(&case["ciphertext"], 2 * size.bits()).to_be_bytes();
        let mut ciphertexts = key.public().decode(&encoded).expect("a ciphertext");
        assert_eq!(key.decrypt(&ciphertexts)[0], plain);
        let scalar = integer(&case["scalar"], size.bits());
        key.public().scale(&[scalar], size.bits(), &mut ciphertexts);
        let mut scaled = Vec::new();
        key.public().encode(&ciphertexts, &mut scaled);
        assert_eq!(scaled, *integer(&case["scaled"], 2 * size.bits()).to_be_bytes());
    });
}

#[test]
fn encryptions_are_what_the_definition_says() {
    // (c·(1 + m·N)^-1)^λ = 1 for randomness that is an N-th power, by the other library's arithmetic.
    each_key(|key, case| {
        let rng = &mut rng(1);
        let plain = integer(&case["plain"], key.public().size().bits());
        let n = big(key.public().n());
        let square = &n * &n;
        let [p, q] = key.halves.each_ref().map(|half| big(&half.prime) - 1u8);
        for ciphertexts in [
            key.encrypt(std::slice::from_ref(&plain), rng),
            key.public().encrypt(std::slice::from_ref(&plain), rng),
        ] {
            let mut encoded = Vec::new();
            key.public().encode(&ciphertexts, &mut encoded);
            let power = BigUint::from_bytes_be(&encoded).modpow(&(&p * &q), &square);
            assert_eq!(power, (1u8 + big(&plain) * &p * &q % &n * &n) % &square);
            assert_eq!(key.decrypt(&ciphertexts)[0], plain);
        }
    });
}

#[test]
fn both_ways_to_encrypt_use_the_same_randomness() {
    let key = SecretKey::generate(SMALL, &mut rng(2));
    let plain = [key.public().plaintexts().element(77), key.public().plaintexts().element(0)];
    let mut encoded = [Vec::new(), Vec::new()];
    key.public().encode(&key.encrypt(&plain, &mut rng(3)), &mut encoded[0]);
    key.public().encode(&key.public().encrypt(&plain, &mut rng(3)), &mut encoded[1]);
    assert_eq!(encoded[0], encoded[1]);
    assert_ne!(encoded[0][..64], encoded[0][64..]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn operations_on_ciphertexts_are_operations_on_plaintexts(seed in any::<[u8; 32]>()) {
        let rng = &mut ChaCha20Rng::from_seed(seed);
        let key = SecretKey::generate(SMALL, rng);
        let public = key.public();
        let ring = public.plaintexts();
        let [a, b, k] = [0; 3].map(|_| ring.random(rng));
        let n = big(public.n());
        let fresh = |plain: &Integer, rng: &mut dyn CryptoRng| public.encrypt(std::slice::from_ref(plain), rng);
        let mut sum = fresh(&a, rng);
        public.add(&mut sum, &fresh(&b, rng));
        public.add_plain(&mut sum, std::slice::from_ref(&k));
        prop_assert_eq!(big(&key.decrypt(&sum)[0]), (big(&a) + big(&b) + big(&k)) % &n);
        let mut opposite = fresh(&a, rng);
        public.negate(&mut opposite);
        prop_assert_eq!(big(&key.decrypt(&opposite)[0]), (&n - big(&a)) % &n);
        let mut scaled = fresh(&a, rng);
        public.scale(std::slice::from_ref(&k), public.size().bits(), &mut scaled);
        let before = public.modulus.integer(&scaled[0].0);
        public.rerandomise(&mut scaled, rng);
        prop_assert_ne!(before, public.modulus.integer(&scaled[0].0));
        prop_assert_eq!(big(&key.decrypt(&scaled)[0]), big(&a) * big(&k) % &n);
        prop_assert_eq!(big(&ring.mul(&a, &k)), big(&a) * big(&k) % &n);
        prop_assert_eq!(big(&ring.sub(&a, &k)), (big(&a) + &n - big(&k)) % &n);
        let inverse = ring.inverse(&a).expect("a unit but for 2^-126");
        prop_assert_eq!(ring.mul(&inverse, &a), ring.element(1));
    }

    #[test]
    fn sums_of_products_lie_side_by_side(seed in any::<[u8; 32]>(), window in 3u32..=6) {
        let rng = &mut ChaCha20Rng::from_seed(seed);
        let key = SecretKey::generate(SMALL, rng);
        let public = key.public();
        let number = |word: u32| public.plaintexts().element(word.into());
        let words: Vec<u32> = seed.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let plain: Vec<_> = words[..5].iter().map(|word| number(*word)).collect();
        let ciphertexts = key.encrypt(&plain, rng);
        let powers = [public.powers(&ciphertexts[..3], window), public.powers(&ciphertexts[3..], window)];
        let scalars = words.iter().map(|word| u128::from(*word)).collect::<Vec<_>>();
        let mut sums = public.sums_of_products(&powers[0], &[&scalars[..3]], 32);
        sums.extend(public.sums_of_products(&powers[1], &[&scalars[3..5], &scalars[5..7]], 32));
        let sum = key.decrypt(&[public.pack(&sums, 70)]);
        let product = |at: usize, by: usize| BigUint::from(words[at]) * BigUint::from(words[by]);
        let expected = (product(0, 0) + product(1, 1) + product(2, 2))
            + ((product(3, 3) + product(4, 4)) << 70)
            + ((product(3, 5) + product(4, 6)) << 140);
        prop_assert_eq!(big(&sum[0]), expected);
    }
}

#[test]
fn what_is_no_ciphertext_is_refused() {
    let key = SecretKey::generate(SMALL, &mut rng(4));
    let (public, len) = (key.public(), SMALL.ciphertext_len());
    let mut good = Vec::new();
    let plain = [public.plaintexts().element(1), public.plaintexts().element(2)];
    public.encode(&public.encrypt(&plain, &mut rng(5)), &mut good);
    assert_eq!(public.decode(&good).expect("ciphertexts").len(), 2);
    let square = public.n().concatenating_square().to_be_bytes();
    let p = key.halves[0].prime.to_be_bytes();
    let factor = [vec![0; len - p.len()], p.to_vec()].concat();
    for bad in [vec![0; len], square.to_vec(), vec![0xff; len], factor] {
        let encoded = [&good[..len], &bad, &good[len..]].concat();
        assert_eq!(public.decode(&encoded).err(), Some(crate::NotAnElement { index: 1 }));
    }
}

#[test]
fn a_proof_holds_for_its_key_and_context_alone() {
    let [key, other] = [6, 7].map(|seed| SecretKey::generate(SMALL, &mut rng(seed)));
    let mut encoded = Vec::new();
    KeyProof::new(&key, b"here").encode(key.public(), &mut encoded);
    let public = KeyProof::decode(SMALL, &encoded, b"here").expect("an honest key");
    let sent = public.encrypt(&[public.plaintexts().element(5)], &mut rng(8));
    assert_eq!(key.decrypt(&sent)[0], public.plaintexts().element(5));
    assert_eq!(KeyProof::decode(SMALL, &encoded, b"there").err(), Some(KeyError::Proof));
    let mut foreign = encoded.clone();
    foreign[..32].copy_from_slice(&other.public().n().to_be_bytes());
    assert_eq!(KeyProof::decode(SMALL, &foreign, b"here").err(), Some(KeyError::Proof));
    *encoded.last_mut().expect("bytes") ^= 1;
    assert_eq!(KeyProof::decode(SMALL, &encoded, b"here").err(), Some(KeyError::Proof));
    let shape = Some(KeyError::Shape { bits: 256 });
    for n in [[0u8; 32], [0xfe; 32]] {
        foreign[..32].copy_from_slice(&n);
        assert_eq!(KeyProof::decode(SMALL, &foreign, b"here").err(), shape);
    }
    foreign[..32].copy_from_slice(&[0xff; 32]);
    assert_eq!(KeyProof::decode(SMALL, &foreign, b"here").err(), Some(KeyError::SmallFactor));
}

#[test]
fn a_modulus_that_divides_its_own_order_has_no_proof() {
    // N = p²·r: of p, a prime of 64 bits, p + 1 in p² numbers and more are N-th powers: no answers can be found for all.
    let key = SecretKey::generate(SMALL, &mut rng(9));
    let mut encoded = Vec::new();
    KeyProof::new(&key, b"").encode(key.public(), &mut encoded);
    let p = Integer::from(0xffff_ffff_ffff_ffc5_u64);
    let r = &key.halves[0].prime;
    let n = p.concatenating_square().concatenating_mul(&**r);
    assert_eq!(n.bits_vartime(), 256);
    encoded[..32].copy_from_slice(&n.to_be_bytes());
    assert_eq!(KeyProof::decode(SMALL, &encoded, b"").err(), Some(KeyError::Proof));
}

#[test]
fn keys_have_their_length_and_primes_their_form() {
    for (size, seed) in [(SMALL, 10), (KeySize::insecure(512), 11), (KeySize::B2048, 12)] {
        let key = SecretKey::generate(size, &mut rng(seed));
        assert_eq!(key.public().n().bits_vartime(), size.bits());
        for half in &key.halves {
            let prime = big(&half.prime);
            assert_eq!(&prime % 4u8, BigUint::from(3u8));
            let fermat = BigUint::from(3u8).modpow(&(&prime - 1u8), &prime);
            assert_eq!(fermat, BigUint::from(1u8));
        }
    }
}
