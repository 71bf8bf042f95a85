//! One lane of plain integers: limbs are the 32 words of a number, with 0 after them, and R = 2^2048.
//!
//! Numbers are below p. A product and the multiple of p that is added to it, word by word of the right factor, are together
//! below 2·p·R if one factor is below R and the other below p: divided by R and less p where that is not negative, below p
//! again.

use super::lanes::{Constants, LIMBS, Lanes, Limbs, PICKS};
use super::{Modulus, Number, select, subtract};
use crate::vector::V1;

/// Words of a number.
const WORDS: usize = 32;

impl Lanes for V1 {
    #[inline(always)]
    fn pick(self, table: &[u64; PICKS], index: u64) -> u64 {
        let mut picked = 0;
        for (place, word) in (0u64..).zip(table) {
            // All bits where the two are the same.
            picked |= word & ((place ^ index).wrapping_sub(1) >> 63).wrapping_neg();
        }
        picked
    }

    fn constants(self, modulus: &Modulus) -> &Constants {
        &modulus.words
    }

    fn limbs(self, number: &Number) -> Limbs {
        limbs(number)
    }

    fn number(self, limbs: &Limbs) -> Number {
        *limbs.first_chunk().expect("more limbs than words")
    }

    fn multiply(self, modulus: &Modulus, a: &Limbs, b: &Limbs) -> Limbs {
        self.limbs(&multiply(modulus, &self.number(a), &self.number(b)))
    }

    fn square(self, modulus: &Modulus, a: &Limbs) -> Limbs {
        self.multiply(modulus, a, a)
    }
}

/// The words of a number, with 0 after them.
pub(super) fn limbs(number: &Number) -> Limbs {
    let mut limbs = [0; LIMBS];
    limbs[..WORDS].copy_from_slice(number);
    limbs
}

/// a·b/R modulo p, word by word of b.
#[inline(never)]
fn multiply(modulus: &Modulus, a: &Number, b: &Number) -> Number {
    let Constants { factor, p, .. } = &modulus.words;
    let p: &Number = p.first_chunk().expect("more limbs than words");
    let (mut sums, mut top) = ([0; WORDS], 0);
    for word in b {
        let (low, mut carry) = add_product(sums[0], a[0], *word, 0);
        let multiple = low.wrapping_mul(*factor);
        let (_, mut carry_p) = add_product(low, multiple, p[0], 0);
        for k in 1..WORDS {
            let (sum, next) = add_product(sums[k], a[k], *word, carry);
            let (sum, next_p) = add_product(sum, multiple, p[k], carry_p);
            sums[k - 1] = sum;
            (carry, carry_p) = (next, next_p);
        }
        let sum = u128::from(carry) + u128::from(carry_p) + u128::from(top);
        (sums[WORDS - 1], top) = (sum as u64, (sum >> 64) as u64);
    }
    let (less, borrow) = subtract(&sums, p);
    select(top | (borrow ^ 1), &less, &sums)
}

/// sum + a·b + carry: at most 2^128 − 1, the low word and the high one.
#[inline(always)]
fn add_product(sum: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let wide = u128::from(a) * u128::from(b) + u128::from(sum) + u128::from(carry);
    (wide as u64, (wide >> 64) as u64)
}
