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

fn number<const WORDS: usize>(integer: &BigUint) -> [u64; WORDS] {
    let mut digits = integer.to_u64_digits();
    digits.resize(WORDS, 0);
    digits.try_into().expect("not more words")
}

/// Numbers at the edges of their lengths, a short one, and random ones.
fn moduli<const WORDS: usize>() -> Vec<[u64; WORDS]> {
    let (mut least, mut short) = ([0; WORDS], [0; WORDS]);
    least[0] = 1;
    least[WORDS - 1] |= 1 << 63;
    short[0] = 23;
    let random = (0..3).map(|seed| {
        let mut modulus: [u64; WORDS] = words(seed);
        modulus[0] |= 1;
        modulus[WORDS - 1] |= 1 << 63;
        modulus
    });
    [[u64::MAX; WORDS], least, short].into_iter().chain(random).collect()
}

fn exponents(count: usize) -> Vec<Exponent> {
    let of = |words: [u64; 4]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.try_into().expect("32 bytes")
    };
    let edges = [[0; 32], [0xff; 32], of([1, 0, 0, 0]), of([0, 0, 0, 1 << 63])];
    edges.into_iter().chain((0..).map(|seed| of(words(seed)))).take(count).collect()
}

fn expected<const WORDS: usize>(
    modulus: &[u64; WORDS],
    base: &[u64; WORDS],
    exponent: &[u8],
) -> [u64; WORDS] {
    number(&integer(base).modpow(&BigUint::from_bytes_le(exponent), &integer(modulus)))
}

#[test]
fn limbs_and_back_are_the_same_number() {
    fn check<const WORDS: usize, const LIMBS: usize>() {
        for number in (0..50).map(words::<WORDS>).chain([[u64::MAX; WORDS]]) {
            let limbs = narrow::limbs::<WORDS, LIMBS>(&number);
            assert_eq!(narrow::number::<WORDS, LIMBS>(&limbs), number);
        }
    }
    check::<32, 40>();
    check::<16, 20>();
    check::<4, 5>();
    check::<1, 5>();
}

#[test]
fn powers_with_one_exponent_are_those_of_another_library() {
    for modulus in moduli::<32>() {
        let one_less = number(&(integer(&modulus) - 1u8));
        let edges = [[0; 32], number(&1u8.into()), one_less, modulus, [u64::MAX; 32]];
        let numbers: Vec<_> = edges.into_iter().chain((10..16).map(words)).collect();
        let m = Modulus::<32, 40>::new(&modulus).expect("odd");
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
    for modulus in moduli::<32>() {
        let m = Modulus::<32, 40>::new(&modulus).expect("odd");
        let base = number(&(integer(&words::<32>(7)) % integer(&modulus)));
        for kernel in Kernel::available() {
            let table = PowerBase::<40, 32>::new(kernel, &m, &base);
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
    let modulus = |low| Modulus::<4, 5>::new(&[low, 0, 0, 0]);
    assert!([0, 1, 2, u64::MAX - 1].into_iter().all(|low| modulus(low).is_none()));
    assert!([3, u64::MAX].into_iter().all(|low| modulus(low).is_some()));
    assert!(Modulus::<4, 5>::new(&[0, 0, 0, 1]).is_none());
}

#[test]
fn comparisons_and_opposites_are_those_of_another_library() {
    for modulus in moduli::<32>() {
        let m = Modulus::<32, 40>::new(&modulus).expect("odd");
        let p = integer(&modulus);
        for value in [p.clone() - 1u8, p.clone(), BigUint::ZERO, p.clone() / 3u8] {
            assert_eq!(m.exceeds(&number(&value)), value < p);
        }
        let third = p.clone() / 3u8;
        assert_eq!(integer(&m.negative(&number(&third))), p - third);
    }
}

/// Exponents at the edges of their lengths, and random ones.
fn long_exponents<const WORDS: usize>(count: usize) -> Vec<[u64; WORDS]> {
    let mut one = [0; WORDS];
    one[0] = 1;
    let edges = [[0; WORDS], [u64::MAX; WORDS], one];
    edges.into_iter().chain((0..).map(|seed| words(seed + 40))).take(count).collect()
}

fn bytes<const WORDS: usize>(exponent: &[u64; WORDS]) -> Vec<u8> {
    exponent.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn residues_are_those_of_another_library() {
    const WORDS: usize = 16;
    let seed = 50;
    for (kernel, modulus) in Kernel::available()
        .flat_map(|kernel| moduli::<WORDS>().into_iter().map(move |m| (kernel, m)))
    {
        let m = Residues::new(kernel, Modulus::new(&modulus).expect("odd"));
        let p = integer(&modulus);
        let mut numbers = vec![[0; WORDS], [u64::MAX; WORDS], modulus, number(&(&p - 1u8))];
        numbers.extend((seed..).map(words).take(17));
        let values = |numbers: &[[u64; WORDS]]| -> Vec<BigUint> {
            numbers.iter().map(|number| integer(number) % &p).collect()
        };
        let left = values(&numbers);
        let right: Vec<_> = left.iter().rev().cloned().collect();
        let integers = |residues: &[Residue<20>]| -> Vec<BigUint> {
            m.leave(residues).iter().map(|number| integer(number)).collect()
        };
        let entered = m.enter(&numbers);
        let reversed: Vec<_> = entered.iter().rev().copied().collect();
        assert_eq!(integers(&entered), left, "{kernel:?}");
        assert_eq!(integers(&[m.one()]), [BigUint::from(1u8)]);
        let pairs = || left.iter().zip(&right);
        // Loosely reduced factors, too.
        let (mut products, mut squares) = (entered.clone(), entered.clone());
        for _ in 0..2 {
            m.multiply(&mut products, &reversed);
            m.square(&mut squares);
        }
        assert!(integers(&products).into_iter().eq(pairs().map(|(a, b)| a * b * b % &p)));
        let fourth = BigUint::from(4u8);
        assert!(integers(&squares).into_iter().eq(left.iter().map(|a| a.modpow(&fourth, &p))));

        let exponents = long_exponents::<WORDS>(numbers.len());
        let power = |a: &BigUint, e: &[u64; WORDS]| a.modpow(&integer(e), &p);
        let expected: Vec<_> = left.iter().zip(&exponents).map(|(a, e)| power(a, e)).collect();
        let mut powers = entered.clone();
        m.powers(&exponents, &mut powers);
        assert_eq!(integers(&powers), expected, "{kernel:?}");
        let product =
            |powers: &[BigUint]| powers.iter().fold(BigUint::from(1u8), |a, b| a * b % &p);
        for terms in [3, 7, 21] {
            let sums = m.products_of_powers(&exponents, &entered, terms);
            assert!(integers(&sums).into_iter().eq(expected.chunks(terms).map(product)));
        }
        let long = [&entered[..], &entered].concat();
        let twice = m.products_of_powers(&[&exponents[..], &exponents].concat(), &long, 42);
        assert!(integers(&twice) == [product(&[&expected[..], &expected].concat())]);

        // Rows that overlap, of which some fill no lanes.
        let rows: Vec<Row> = (0..numbers.len())
            .map(|base| Row { base, from: base % 4, count: base % 18, to: base / 2 })
            .collect();
        let mut sums = vec![BigUint::from(1u8); 30];
        for row in &rows {
            for place in 0..row.count {
                let factor = power(&left[row.base], &exponents[row.from + place]);
                let sum = &mut sums[row.to + place];
                *sum = &*sum * factor % &p;
            }
        }
        assert_eq!(integers(&m.rows(&exponents, &entered, &rows, 30)), sums, "{kernel:?}");

        let base: [u64; WORDS] = number(&left[9]);
        let table = PowerBase::<20, 128>::new(kernel, m.modulus(), &base);
        let bytes: Vec<[u8; 128]> =
            exponents.iter().map(|e| bytes(e).try_into().expect("as many")).collect();
        let mut kept = entered.clone();
        table.residues(m.modulus(), &bytes, &mut kept);
        let fixed: Vec<_> = exponents.iter().map(|e| power(&left[9], e)).collect();
        assert_eq!(integers(&kept), fixed, "{kernel:?}");
    }
}
