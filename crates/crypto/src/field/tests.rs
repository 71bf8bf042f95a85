use crypto_bigint::Uint;

use super::*;

#[test]
fn integers_and_residues_convert() {
    let field = PrimeField::new(&Uint::<1>::from(97u8)).expect("a prime");
    let residue = field.residue(&Uint::from(1000u64));
    assert_eq!(field.integer(&residue), Uint::from(30u8));
    let sixth = field.inverse(&field.element(6)).expect("not 0");
    assert_eq!(field.integer(&sixth), Uint::from(81u8), "6 · 81 = 486 = 5 · 97 + 1");
    assert!(field.inverse(&field.zero()).is_none());
}

#[test]
fn words_of_residues_convert() {
    let field = PrimeField::new(&Uint::<1>::from(97u8)).expect("a prime");
    for value in 0..97u64 {
        let residue = field.element(value);
        assert_eq!(u128::from(residue.to_words()[0]), (u128::from(value) << 64) % 97);
        assert!(field.from_words(&residue.to_words()) == Some(residue));
    }
    assert!(field.from_words(&[97]).is_none());
    let inverse = u128::from(field.inverse_of_factor().to_words()[0]);
    assert_eq!((1u128 << 64) % 97 * inverse % 97, 1);
}

#[test]
fn moduli_that_are_no_primes_are_refused() {
    let refusal = |modulus: u64| PrimeField::new(&Uint::<1>::from(modulus)).err();
    for modulus in [0, 1, 2, 3, 1 << 40] {
        assert_eq!(refusal(modulus), Some(ModulusError::EvenOrSmall), "{modulus}");
    }
    // The last is a square, modulo which small bases have other powers too.
    for modulus in [9, 15, 561, 0xffff_ffff, 4_294_967_291 * 4_294_967_291] {
        assert_eq!(refusal(modulus), Some(ModulusError::NotPrime), "{modulus}");
    }
    for modulus in [5, 7, 11, 13, 257, 65_537, 4_294_967_291] {
        assert_eq!(refusal(modulus), None, "{modulus}");
    }
}
