//! Exponentiation by windows of four bits, in constant time.

use crypto_bigint::{CtEq, Uint};
use zeroize::Zeroizing;

use veilset_crypto::{PrimeField, Residue};

/// Values of a window: 2^4.
const VALUES: usize = 16;

/// Windows of a word of 64 bits.
const WINDOWS: usize = 16;

/// Powers 0 to 15 of one residue.
type Powers<const LIMBS: usize> = [Residue<LIMBS>; VALUES];

fn powers<const LIMBS: usize>(
    field: &PrimeField<LIMBS>,
    residue: &Residue<LIMBS>,
) -> Zeroizing<Powers<LIMBS>> {
    let mut powers = Zeroizing::new([field.one(); VALUES]);
    for index in 1..VALUES {
        powers[index] = field.mul(&powers[index - 1], residue);
    }
    powers
}

fn select<const LIMBS: usize>(powers: &Powers<LIMBS>, digit: u8) -> Residue<LIMBS> {
    let mut found = powers[0];
    for (power, index) in powers[1..].iter().zip(1u8..) {
        found.assign(power, index.ct_eq(&digit));
    }
    found
}

/// An exponent's digit to the base 16.
fn digit<const LIMBS: usize>(exponent: &Uint<LIMBS>, index: usize) -> u8 {
    (exponent.as_words()[index / WINDOWS] >> (4 * (index % WINDOWS)) & 15) as u8
}

/// The product of the residues' powers: the squarings are shared.
pub(super) fn product_of_powers<const LIMBS: usize>(
    field: &PrimeField<LIMBS>,
    exponents: &[Uint<LIMBS>],
    residues: impl Iterator<Item = Residue<LIMBS>>,
) -> Residue<LIMBS> {
    let tables: Vec<_> = residues.map(|residue| powers(field, &residue)).collect();
    let mut product = field.one();
    for index in (0..LIMBS * WINDOWS).rev() {
        for _ in 0..4 {
            product = field.square(&product);
        }
        for (exponent, table) in exponents.iter().zip(&tables) {
            product = field.mul(&product, &select(table, digit(exponent, index)));
        }
    }
    product
}

/// Powers 0 to 15 of b^(16^i) for every digit of an exponent, where b is the base; 512 KiB for 1024 bits.
pub struct SafePrimeBase<const LIMBS: usize>(Vec<Powers<LIMBS>>);

impl<const LIMBS: usize> SafePrimeBase<LIMBS> {
    pub(super) fn new(field: &PrimeField<LIMBS>, base: &Residue<LIMBS>) -> Self {
        let mut base = *base;
        let table = |_| {
            let powers = *powers(field, &base);
            base = field.mul(&powers[VALUES - 1], &base);
            powers
        };
        Self((0..LIMBS * WINDOWS).map(table).collect())
    }

    pub(super) fn power(
        &self,
        field: &PrimeField<LIMBS>,
        exponent: &Uint<LIMBS>,
    ) -> Residue<LIMBS> {
        let factors = (self.0.iter().enumerate())
            .map(|(index, powers)| select(powers, digit(exponent, index)));
        factors.fold(field.one(), |product, factor| field.mul(&product, &factor))
    }
}
