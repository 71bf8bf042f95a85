use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

fn number(words: &[u64]) -> BigUint {
    let halves = words.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    BigUint::new(halves.collect())
}

fn words(number: &BigUint, len: usize) -> Vec<u64> {
    let mut words: Vec<u64> = number.iter_u64_digits().collect();
    words.resize(len, 0);
    words
}

/// Products in a chain, so that loosely reduced residues are multiplied too, against the other library's.
fn check(modulus: &[u64], a: &[u64], b: &[u64]) {
    let m = number(modulus);
    let (a, b) = (number(a) % &m, number(b) % &m);
    let expected = (&a * &b % &m).modpow(&BigUint::from(4u8), &m) * &b % &m;
    for kernel in Kernel::available() {
        let field = Montgomery::new(kernel, modulus);
        let [a, b] = [&a, &b].map(|number| field.residue(&words(number, modulus.len())));
        let product = field.multiply(&a, &b);
        let square = field.multiply(&product, &product);
        let product = field.multiply(&field.multiply(&square, &square), &b);
        assert_eq!(number(&field.integer(&product)), expected, "{}", kernel.name());
        assert_eq!(number(&field.integer(field.one())), BigUint::from(1u8) % &m);
        let most = vec![u64::MAX; modulus.len()];
        assert_eq!(number(&field.integer(&field.residue(&most))), number(&most) % &m);
    }
}

#[test]
fn extreme_numbers_multiply() {
    for len in [2, 4, 5, 8, 16, 24, 31, 32, 48, 64, 96, 128] {
        let mut least = vec![0; len];
        (least[0], least[len - 1]) = (1, 1);
        let most = vec![u64::MAX; len];
        for modulus in [&least, &most] {
            for factor in [&vec![0; len], &least, &most, &vec![u64::MAX - 1; len]] {
                check(modulus, factor, &most);
                check(modulus, &most, factor);
                check(modulus, factor, factor);
            }
        }
    }
}

proptest! {
    #[test]
    fn numbers_multiply(
        len in prop::sample::select(vec![2usize, 3, 4, 8, 16, 17, 32, 64, 128]),
        words in prop::collection::vec(any::<u64>(), 3 * 128),
    ) {
        let mut modulus = words[..len].to_vec();
        modulus[0] |= 1;
        modulus[len - 1] |= 1;
        check(&modulus, &words[128..][..len], &words[256..][..len]);
    }
}

#[test]
fn what_is_selected_is_in_that_place() {
    for kernel in Kernel::available() {
        let field = Montgomery::new(kernel, &[15, 0, 0, 1]);
        let choices: Vec<_> = (0..9).map(|value| field.residue(&[value])).collect();
        for place in 0..9 {
            let chosen = field.integer(&field.select(&choices, place));
            assert_eq!(chosen, [place as u64, 0, 0, 0], "{}", kernel.name());
        }
        assert_eq!(field.integer(&field.select(&choices, 77)), [0; 4]);
    }
}
