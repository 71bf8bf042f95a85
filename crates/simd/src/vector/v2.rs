//! Two lanes with the 128-bit vectors of WebAssembly.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::wasm32::*;

use super::Vector;

/// Two lanes; a module that is compiled with its instructions runs only where they are.
#[derive(Clone, Copy)]
pub(crate) struct V2;

// SAFETY of all blocks below: loads and stores are of slices that are checked to be as long as a vector.
impl Vector for V2 {
    const LANES: usize = 2;
    type Int = v128;

    #[inline(always)]
    fn splat(self, word: u64) -> v128 {
        u64x2_splat(word)
    }

    #[inline(always)]
    fn load(self, words: &[u64]) -> v128 {
        let words = &words[..2];
        unsafe { v128_load(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64], lanes: v128) {
        let words = &mut words[..2];
        unsafe { v128_store(words.as_mut_ptr().cast(), lanes) }
    }

    #[inline(always)]
    fn add(self, a: v128, b: v128) -> v128 {
        i64x2_add(a, b)
    }

    #[inline(always)]
    fn subtract(self, a: v128, b: v128) -> v128 {
        i64x2_sub(a, b)
    }

    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn xor(self, a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }

    #[inline(always)]
    fn left<const BITS: u32>(self, a: v128) -> v128 {
        i64x2_shl(a, BITS)
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: v128) -> v128 {
        u64x2_shr(a, BITS)
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: v128) -> v128 {
        i64x2_shr(a, BITS)
    }
}
