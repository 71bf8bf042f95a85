//! One lane of plain integers: limbs are the 32 words of a number, with 0 after them, and R = 2^2048.
//!
//! Numbers are below p. A product and the multiple of p that is added to it, word by word of the right factor, are together
//! below 2·p·R if one factor is below R and the other below p: divided by R and less p where that is not negative, below p
//! again.

use super::lanes::{Constants, LIMBS, Lanes, Limbs, MOST_LANES, PICKS};
use super::{Modulus, Number, select, subtract};

/// Words of a number.
const WORDS: usize = 32;

/// Needs no instructions beyond the plain ones.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Lanes for Scalar {
    const COUNT: usize = 1;
    type Int = u64;

    #[inline(always)]
    fn splat(self, value: u64) -> u64 {
        value
    }

    #[inline(always)]
    fn load(self, lanes: &[u64; MOST_LANES]) -> u64 {
        lanes[0]
    }

    #[inline(always)]
    fn store(self, lane: u64) -> [u64; MOST_LANES] {
        let mut lanes = [0; MOST_LANES];
        lanes[0] = lane;
        lanes
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn and(self, a: u64, b: u64) -> u64 {
        a & b
    }

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
        let mut limbs = [0; LIMBS];
        limbs[..WORDS].copy_from_slice(number);
        limbs
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
