//! Powers of residues. Times depend on how long exponents are declared to be, and not on their values.

use rayon::prelude::*;
use veilset_simd::bignum::single::{Montgomery, Residue};
use zeroize::Zeroizing;

/// Bits of a digit of a long exponent: a table of 31 products saves more than it takes from some 200 bits on.
const WINDOW: u32 = 5;

/// Bits of a digit of an exponent of at most [`SHORT`] bits.
const SHORT_WINDOW: u32 = 4;

const SHORT: u32 = 200;

/// Powers 0 to 2^`window` − 1.
fn table(modulus: &Montgomery, base: &Residue, window: u32) -> Zeroizing<Vec<Residue>> {
    let mut powers = Zeroizing::new(Vec::with_capacity(1 << window));
    powers.push(modulus.one().clone());
    for index in 1..1 << window {
        let next = modulus.multiply(&powers[index - 1], base);
        powers.push(next);
    }
    powers
}

/// Bits `at` to `at` + `window` − 1 of a number, zeros above its words.
fn digit(words: &[u64], at: u32, window: u32) -> usize {
    let (index, shift) = ((at / 64) as usize, at % 64);
    let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
    let both = word(index) | word(index + 1) << 64;
    (both >> shift) as usize & ((1 << window) - 1)
}

pub(super) fn square_often(modulus: &Montgomery, mut residue: Residue, times: u32) -> Residue {
    for _ in 0..times {
        residue = modulus.multiply(&residue, &residue);
    }
    residue
}

/// `base` to the power with these words, of which `bits` bits count.
pub(super) fn power(modulus: &Montgomery, base: &Residue, exponent: &[u64], bits: u32) -> Residue {
    let window = if bits <= SHORT { SHORT_WINDOW } else { WINDOW };
    let powers = table(modulus, base, window);
    let mut places = (0..bits.div_ceil(window)).rev().map(|place| place * window);
    let Some(first) = places.next() else { return modulus.one().clone() };
    let mut product = modulus.select(&powers, digit(exponent, first, window));
    for at in places {
        product = square_often(modulus, product, window);
        let factor = Zeroizing::new(modulus.select(&powers, digit(exponent, at, window)));
        product = modulus.multiply(&product, &factor);
    }
    product
}

/// Tables of powers of some residues, for many products of powers of the same ones.
pub(super) struct Tables {
    tables: Vec<Zeroizing<Vec<Residue>>>,
    window: u32,
}

impl Tables {
    pub(super) fn new(modulus: &Montgomery, bases: &[&Residue], window: u32) -> Self {
        let tables = bases.par_iter().map(|base| table(modulus, base, window)).collect();
        Self { tables, window }
    }

    /// For each of `exponents` the product of the bases' powers with these exponents of at most `bits` bits: the squarings of
    /// a product are shared among the bases, and what is loaded of the tables among the products.
    ///
    /// # Panics
    /// When there are not as many exponents as bases.
    pub(super) fn products(
        &self,
        modulus: &Montgomery,
        exponents: &[&[u128]],
        bits: u32,
    ) -> Vec<Residue> {
        let complete = exponents.iter().all(|exponents| exponents.len() == self.tables.len());
        assert!(complete, "each base has its exponent");
        let mut products = vec![modulus.one().clone(); exponents.len()];
        for place in (0..bits.div_ceil(self.window)).rev() {
            for product in &mut products {
                *product = square_often(modulus, product.clone(), self.window);
            }
            for (index, table) in self.tables.iter().enumerate() {
                for (product, exponents) in products.iter_mut().zip(exponents) {
                    let digit = exponents[index] >> (place * self.window);
                    let digit = digit as usize & ((1 << self.window) - 1);
                    let factor = Zeroizing::new(modulus.select(table, digit));
                    *product = modulus.multiply(product, &factor);
                }
            }
        }
        products
    }
}

/// Powers 0 to 31 of b^(32^i) for every digit of an exponent, where b is the base.
pub(super) struct FixedBase(Vec<Zeroizing<Vec<Residue>>>);

impl FixedBase {
    /// For exponents of at most `bits` bits.
    pub(super) fn new(modulus: &Montgomery, base: &Residue, bits: u32) -> Self {
        let mut base = Zeroizing::new(base.clone());
        let tables = (0..bits.div_ceil(WINDOW)).map(|_| {
            let powers = table(modulus, &base, WINDOW);
            *base = modulus.multiply(&powers[powers.len() - 1], &base);
            powers
        });
        Self(tables.collect())
    }

    /// The base to the power with these words, of which `bits` bits count; no more than there are tables for.
    pub(super) fn power(&self, modulus: &Montgomery, exponent: &[u64], bits: u32) -> Residue {
        let digits = (0..bits).step_by(WINDOW as usize);
        let factors = digits.zip(&self.0).map(|(at, powers)| {
            Zeroizing::new(modulus.select(powers, digit(exponent, at, WINDOW)))
        });
        let one = modulus.one().clone();
        factors.fold(one, |product, factor| modulus.multiply(&product, &factor))
    }
}
