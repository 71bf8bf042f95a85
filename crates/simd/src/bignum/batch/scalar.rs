//! One lane of plain integers: limbs are the words of a number, with 0 after them, and R = 2^(64·words).
//!
//! Numbers are below p. A product and the multiple of p that is added to it, word by word of the right factor, are together
//! below 2·p·R if one factor is below R and the other below p: divided by R and less p where that is not negative, below p
//! again.

use super::lanes::{self, Constants, Factor, Lanes};
use super::{Modulus, select, subtract};
use crate::vector::{MOST_LANES, V1};

impl Lanes for V1 {
    #[inline(always)]
    fn pick<const ENTRIES: usize>(self, table: &[u64; ENTRIES], index: u64) -> u64 {
        let mut picked = 0;
        for (place, word) in (0u64..).zip(table) {
            // All bits where the two are the same.
            picked |= word & ((place ^ index).wrapping_sub(1) >> 63).wrapping_neg();
        }
        picked
    }

    #[inline(always)]
    fn widen(self, bytes: &[u8; MOST_LANES]) -> u64 {
        bytes[0].into()
    }

    fn constants<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
    ) -> &Constants<LIMBS> {
        &modulus.words
    }

    fn limbs<const WORDS: usize, const LIMBS: usize>(self, number: &[u64; WORDS]) -> [u64; LIMBS] {
        limbs(number)
    }

    fn number<const WORDS: usize, const LIMBS: usize>(self, limbs: &[u64; LIMBS]) -> [u64; WORDS] {
        *limbs.first_chunk().expect("more limbs than words")
    }

    fn multiply<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &[u64; LIMBS],
        b: &[u64; LIMBS],
    ) -> [u64; LIMBS] {
        self.limbs(&multiply(modulus, &self.number(a), &self.number(b)))
    }

    fn factor<const WORDS: usize, const LIMBS: usize>(
        self,
        _: &Modulus<WORDS, LIMBS>,
        a: &[u64; LIMBS],
    ) -> Factor<[u64; LIMBS]> {
        Factor { itself: *a, quotient: [0; LIMBS] }
    }

    fn multiply_factor<const WORDS: usize, const LIMBS: usize, const ENTRIES: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        table: &Factor<[[u64; ENTRIES]; LIMBS]>,
        index: u64,
        product: &mut [u64],
        stride: usize,
    ) {
        let mut entry = [0; LIMBS];
        for (limb, entries) in entry.iter_mut().zip(&table.itself) {
            *limb = self.pick(entries, index);
        }
        let multiplied = self.multiply(modulus, &entry, &lanes::read(self, product, stride));
        lanes::write(self, &multiplied, product, stride);
    }

    fn square<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &[u64; LIMBS],
    ) -> [u64; LIMBS] {
        self.multiply(modulus, a, a)
    }
}

/// The words of a number, with 0 after them.
pub(super) fn limbs<const WORDS: usize, const LIMBS: usize>(number: &[u64; WORDS]) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    limbs[..WORDS].copy_from_slice(number);
    limbs
}

/// a·b/R modulo p, word by word of b.
#[inline(never)]
fn multiply<const WORDS: usize, const LIMBS: usize>(
    modulus: &Modulus<WORDS, LIMBS>,
    a: &[u64; WORDS],
    b: &[u64; WORDS],
) -> [u64; WORDS] {
    let Constants { factor, p, .. } = &modulus.words;
    let p: &[u64; WORDS] = p.first_chunk().expect("more limbs than words");
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
