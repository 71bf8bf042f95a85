//! One lane, plain Rust.

use super::{Halves, MASK_52, Vector};

/// One lane; needs no instructions beyond the plain ones.
#[derive(Clone, Copy)]
pub(crate) struct V1;

impl Vector for V1 {
    const LANES: usize = 1;
    type Int = u64;

    #[inline(always)]
    fn splat(self, word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn load(self, words: &[u64]) -> u64 {
        words[0]
    }

    #[inline(always)]
    fn store(self, words: &mut [u64], lane: u64) {
        words[0] = lane;
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn subtract(self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn and(self, a: u64, b: u64) -> u64 {
        a & b
    }

    #[inline(always)]
    fn xor(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    #[inline(always)]
    fn left<const BITS: u32>(self, a: u64) -> u64 {
        a << BITS
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: u64) -> u64 {
        a >> BITS
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: u64) -> u64 {
        (a.cast_signed() >> BITS).cast_unsigned()
    }
}

impl Halves for V1 {
    #[inline(always)]
    fn low(self, sum: u64, a: u64, b: u64) -> u64 {
        sum.wrapping_add((a & MASK_52).wrapping_mul(b & MASK_52) & MASK_52)
    }

    #[inline(always)]
    fn high(self, sum: u64, a: u64, b: u64) -> u64 {
        sum.wrapping_add(((u128::from(a & MASK_52) * u128::from(b & MASK_52)) >> 52) as u64)
    }
}
