//! Against integers of another library, and kernels against each other.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

fn integer(words: &[u64]) -> BigUint {
    let digits = words.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    BigUint::new(digits.collect())
}

fn words_of(integer: &BigUint, words: usize) -> Vec<u64> {
    let mut digits: Vec<_> = integer.iter_u64_digits().collect();
    digits.resize(words, 0);
    digits
}

/// A modulus of that many bits, all of them 1 but for a few.
fn modulus(bits: u64, less: u32) -> BigUint {
    (BigUint::from(1u8) << bits) - less
}

/// Numbers below the modulus: random ones, or the largest if `edge`.
fn numbers(seed: u64, count: usize, modulus: &BigUint, words: usize, edge: bool) -> Vec<u64> {
    let mut state = seed | 1;
    let mut number = || {
        let random = (0..words).map(|_| {
            state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(0x9e37_79b9_7f4a_7c15);
            state ^ state >> 29
        });
        integer(&random.collect::<Vec<_>>()) % modulus
    };
    let number = |_| words_of(&if edge { modulus - 1u8 } else { number() }, words);
    (0..count).flat_map(number).collect()
}

/// factor·a·b modulo x^size − 1, each coefficient by each.
fn expected(a: &[BigUint], b: &[BigUint], size: usize) -> Vec<BigUint> {
    let mut product = vec![BigUint::ZERO; size];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[(i + j) % size] += a * b;
        }
    }
    product
}

/// The product of two polynomials modulo x^size − 1, from place `from` on, row by row or all rows at a time.
fn product(t: &Transforms, [a, b]: [&[u64]; 2], size: usize, from: usize, whole: bool) -> Vec<u64> {
    let [mut x, mut y] = [0, 1].map(|_| vec![u64::MAX; t.rows() * size]);
    let run = if whole { x.len() } else { size };
    for (first, (x, y)) in x.chunks_mut(run).zip(y.chunks_mut(run)).enumerate() {
        t.forward(first, a, &[], size, x);
        // The last coefficient as the leading one.
        let (low, leading) = b.split_at(b.len() - t.words);
        t.forward(first, low, &t.residues(leading), size, y);
        t.multiply(first, size, x, y);
        t.backward(first, size, x);
    }
    let mut product = vec![0; (size - from) * t.words];
    t.recombine(&x, from, &mut product);
    product
}

fn check(modulus: &BigUint, words: usize, size: usize, [a, b]: [usize; 2], edge: bool) {
    let factor = numbers(3, 1, modulus, words, edge);
    let a = numbers(1, a, modulus, words, edge);
    let b = numbers(2, b, modulus, words, edge);
    let [left, right] =
        [&a, &b].map(|numbers| numbers.chunks(words).map(integer).collect::<Vec<_>>());
    let expected = expected(&left, &right, size);
    let expected: Vec<u64> = expected
        .iter()
        .flat_map(|number| words_of(&(number * integer(&factor) % modulus), words))
        .collect();
    for kernel in Kernel::available() {
        let t = Transforms::new(kernel, &words_of(modulus, words), &factor, size.ilog2());
        assert!(product(&t, [&a, &b], size, 0, true) == expected, "{kernel:?} {modulus} {size}");
        let from = size / 2 - 5;
        let found = product(&t, [&a, &b], size, from, false);
        assert!(found == expected[from * words..], "{kernel:?} {modulus} {size} from {from}");
    }
}

#[test]
fn products_are_those_of_integers() {
    for (bits, less, words) in
        [(255, 19, 4), (2048, 1942289, 32), (64, 59, 1), (61, 1, 1), (521, 1, 16)]
    {
        for edge in [false, true] {
            let modulus = modulus(bits, less);
            check(&modulus, words, 64, [1, 1], edge);
            check(&modulus, words, 64, [32, 33], edge);
            check(&modulus, words, 64, [64, 64], edge);
            check(&modulus, words, 128, [64, 65], edge);
            check(&modulus, words, 128, [65, 10], edge);
        }
    }
    check(&modulus(255, 19), 4, 256, [100, 129], false);
    check(&modulus(255, 19), 4, 512, [257, 512], true);
    check(&modulus(2, 1), 1, 64, [64, 64], true);
    check(&modulus(52, 47), 1, 64, [64, 64], true);
    check(&modulus(104, 17), 2, 64, [64, 64], true);
}

#[test]
fn moduli_of_every_size() {
    // Through all places of the highest bit within a limb of 52 and a word of 64 bits.
    for bits in (2..340).chain([1024, 2075, 2076, 2080, 3072]) {
        for edge in [false, true] {
            check(&modulus(bits, 1), bits.div_ceil(64) as usize, 64, [3, 2], edge);
        }
    }
}

/// The value of a polynomial modulo the modulus.
fn value(poly: &[u64], words: usize, x: &BigUint, modulus: &BigUint) -> BigUint {
    let coefficients = poly.chunks(words).rev();
    coefficients.fold(BigUint::ZERO, |sum, c| (sum * x + integer(c)) % modulus)
}

#[test]
fn large_products_have_the_products_of_values() {
    let modulus = modulus(255, 19);
    let x = integer(&numbers(9, 1, &modulus, 4, false));
    for log_size in 10..16 {
        let size = 1 << log_size;
        let a = numbers(log_size, size / 2, &modulus, 4, false);
        let b = numbers(!log_size, size / 2 + 1, &modulus, 4, false);
        let expected = value(&a, 4, &x, &modulus) * value(&b, 4, &x, &modulus) % &modulus;
        for kernel in Kernel::available() {
            let one = words_of(&BigUint::from(1u8), 4);
            let t = Transforms::new(kernel, &words_of(&modulus, 4), &one, log_size as u32);
            let found = product(&t, [&a, &b], size, 0, true);
            assert_eq!(value(&found, 4, &x, &modulus), expected, "{kernel:?} {size}");
        }
    }
}

#[test]
fn sums_of_products_are_sums() {
    let modulus = modulus(255, 19);
    let a = numbers(1, 64, &modulus, 4, true);
    let [one, two] = [1u8, 2].map(|factor| words_of(&BigUint::from(factor), 4));
    for kernel in Kernel::available() {
        let transforms = |factor| Transforms::new(kernel, &words_of(&modulus, 4), factor, 7);
        let t = transforms(&one);
        let mut x = vec![0; t.rows() * 128];
        t.forward(0, &a, &[], 128, &mut x);
        let other = x.clone();
        t.multiply(0, 128, &mut x, &other);
        let same = x.clone();
        t.add(0, 128, &mut x, &same);
        t.backward(0, 128, &mut x);
        let mut sum = vec![0; 128 * 4];
        t.recombine(&x, 0, &mut sum);
        assert!(sum == product(&transforms(&two), [&a, &a], 128, 0, true), "{kernel:?}");
    }
}

#[test]
fn there_are_as_many_primes_as_the_coefficients_need() {
    for (bits, log_size) in [(255, 17), (2048, 13), (255, 27), (2048, 27), (64, 6)] {
        let primes = primes::largest(primes::count(2 * bits + log_size + 2));
        let product = primes.iter().fold(BigUint::from(1u8), |product, p| product * p);
        // Twice the sum of two products of that many coefficients each.
        let most = BigUint::from(1u8) << (2 * bits + log_size + 2);
        assert!(product >= most, "{bits} {log_size}");
        assert!(product < most << 50, "{bits} {log_size}: one prime too many");
    }
}

#[test]
fn primes_have_the_roots() {
    let primes = primes::largest(83);
    assert!(primes.is_sorted_by(|a, b| a > b));
    for p in primes {
        assert!(p < 1 << 50 && (p - 1) % (1 << primes::MOST_LOG) == 0);
        // Fermat's test with another library, to bases that the search did not take.
        let big = BigUint::from(p);
        for base in [41u8, 43, 47] {
            assert_eq!(BigUint::from(base).modpow(&(&big - 1u8), &big), BigUint::from(1u8), "{p}");
        }
        let half = BigUint::from(primes::root(p)).modpow(&(BigUint::from(1u8) << 26), &big);
        assert_eq!(half, big - 1u8, "the root's order is 2^27");
    }
}

#[test]
#[should_panic(expected = "coefficients fit")]
fn too_many_coefficients_are_refused() {
    let t = Transforms::new(Kernel::Scalar, &[(1 << 61) - 1], &[1], 6);
    t.forward(0, &[1; 64], &t.residues(&[1]), 64, &mut vec![0; 64 * t.rows()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn quotients_are_those_of_integers(index in 0usize..83, a: u64) {
        let p = primes::largest(83)[index];
        for a in [a % p, p - 1, 0, 1] {
            let expected = (u128::from(a) << 52) / u128::from(p);
            prop_assert_eq!(u128::from(primes::quotient(a, p)), expected);
        }
    }

    #[test]
    fn numbers_of_any_size_meet(bits in 2u64..700, less in 1u32..3, a in 1usize..64, b in 1usize..64) {
        let words = bits.div_ceil(64) as usize;
        check(&modulus(bits, less), words, 64, [a, b], false);
    }
}
