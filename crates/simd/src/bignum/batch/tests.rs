//! Every kernel against num-bigint.

use num_bigint::BigUint;

use super::*;

/// Pseudorandom words.
fn words<const N: usize>(seed: u64) -> [u64; N] {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(1);
        state ^ state >> 29
    })
}

fn integer(words: &[u64]) -> BigUint {
    BigUint::from_bytes_le(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
}

fn number(integer: &BigUint) -> Number {
    let mut digits = integer.to_u64_digits();
    digits.resize(32, 0);
    digits.try_into().expect("32 words")
}

/// Numbers at the edges of their lengths, and random ones.
fn moduli() -> Vec<Number> {
    let mut least = [0; 32];
    (least[0], least[31]) = (1, 1 << 63);
    let random = (0..3).map(|seed| {
        let mut modulus: Number = words(seed);
        (modulus[0], modulus[31]) = (modulus[0] | 1, modulus[31] | 1 << 63);
        modulus
    });
    [[u64::MAX; 32], least].into_iter().chain(random).collect()
}

fn exponents(count: usize) -> Vec<Exponent> {
    let of = |words: [u64; 4]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.try_into().expect("32 bytes")
    };
    let edges = [[0; 32], [0xff; 32], of([1, 0, 0, 0]), of([0, 0, 0, 1 << 63])];
    edges.into_iter().chain((0..).map(|seed| of(words(seed)))).take(count).collect()
}

fn expected(modulus: &Number, base: &Number, exponent: &Exponent) -> Number {
    number(&integer(base).modpow(&BigUint::from_bytes_le(exponent), &integer(modulus)))
}

#[test]
fn limbs_and_back_are_the_same_number() {
    for seed in 0..50 {
        let number: Number = words(seed);
        assert_eq!(narrow::number(&narrow::limbs(&number)), number);
    }
    assert_eq!(narrow::number(&narrow::limbs(&[u64::MAX; 32])), [u64::MAX; 32]);
}

#[test]
fn powers_with_one_exponent_are_those_of_another_library() {
    for modulus in moduli() {
        let one_less = number(&(integer(&modulus) - 1u8));
        let edges = [[0; 32], number(&1u8.into()), one_less, modulus, [u64::MAX; 32]];
        let numbers: Vec<Number> = edges.into_iter().chain((10..16).map(words)).collect();
        let m = Modulus::new(&modulus).expect("odd and long");
        for (kernel, exponent) in Kernel::available()
            .flat_map(|kernel| exponents(6).into_iter().map(move |e| (kernel, e)))
        {
            let mut powers = numbers.clone();
            m.power(kernel, &exponent, &mut powers);
            let expected: Vec<_> =
                numbers.iter().map(|base| expected(&modulus, base, &exponent)).collect();
            assert_eq!(powers, expected, "{kernel:?}");
        }
    }
}

#[test]
fn powers_of_one_base_are_those_of_another_library() {
    for modulus in moduli() {
        let m = Modulus::new(&modulus).expect("odd and long");
        let base = number(&(integer(&words::<32>(7)) % integer(&modulus)));
        for kernel in Kernel::available() {
            let table = PowerBase::new(kernel, &m, &base);
            for count in [0, 1, 8, 11] {
                let exponents = exponents(count);
                let mut powers = vec![[0; 32]; count];
                table.powers(&m, &exponents, &mut powers);
                let expected: Vec<_> =
                    exponents.iter().map(|exponent| expected(&modulus, &base, exponent)).collect();
                assert_eq!(powers, expected, "{kernel:?}");
            }
        }
    }
}

#[test]
fn unsuitable_moduli_are_refused() {
    let mut even = [u64::MAX; 32];
    even[0] -= 1;
    let mut short = [u64::MAX; 32];
    short[31] >>= 1;
    assert!(Modulus::new(&even).is_none() && Modulus::new(&short).is_none());
}

#[test]
fn comparisons_and_opposites_are_those_of_another_library() {
    for modulus in moduli() {
        let m = Modulus::new(&modulus).expect("odd and long");
        let p = integer(&modulus);
        for value in [p.clone() - 1u8, p.clone(), BigUint::ZERO, p.clone() / 3u8] {
            assert_eq!(m.exceeds(&number(&value)), value < p);
        }
        let third = p.clone() / 3u8;
        assert_eq!(integer(&m.negative(&number(&third))), p - third);
    }
}
