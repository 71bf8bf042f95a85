//! One element in an SSE2 register, which every x86-64 processor has.

use std::arch::x86_64::*;

use super::{REDUCED_4, REDUCED_8, REDUCED_64, REDUCED_128};

#[derive(Clone, Copy)]
pub(super) struct Register(__m128i);

impl Register {
    // SAFETY: both types are 16 bytes of which every pattern is a value.
    pub(super) const ZERO: Self = Self(unsafe { std::mem::transmute::<u128, __m128i>(0) });

    #[inline(always)]
    pub(super) fn new(element: u128) -> Self {
        // SAFETY: both types are 16 bytes of which every pattern is a value.
        Self(unsafe { std::mem::transmute::<u128, __m128i>(element) })
    }

    #[inline(always)]
    pub(super) fn element(self) -> u128 {
        // SAFETY: both types are 16 bytes of which every pattern is a value.
        unsafe { std::mem::transmute::<__m128i, u128>(self.0) }
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of the architecture.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    pub(super) fn times_x(self) -> Self {
        /// The sign of the upper half for the lower one, that of the lower half for the upper one; each twice.
        const CROSSED: i32 = 0b01_01_11_11;
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let signs = _mm_shuffle_epi32::<CROSSED>(_mm_srai_epi32::<31>(self.0));
            let carries = _mm_and_si128(signs, _mm_set_epi64x(1, i64::from(REDUCED_128)));
            Self(_mm_xor_si128(_mm_add_epi64(self.0, self.0), carries))
        }
    }

    #[inline(always)]
    pub(super) fn times_x_both(self) -> Self {
        /// The sign of each half, twice.
        const SIGNS: i32 = 0b11_11_01_01;
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let signs = _mm_shuffle_epi32::<SIGNS>(_mm_srai_epi32::<31>(self.0));
            let carries = _mm_and_si128(signs, _mm_set1_epi64x(i64::from(REDUCED_64)));
            Self(_mm_xor_si128(_mm_add_epi64(self.0, self.0), carries))
        }
    }

    #[inline(always)]
    pub(super) fn times_x_bytes(self) -> Self {
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let signs = _mm_cmpgt_epi8(_mm_setzero_si128(), self.0);
            let carries = _mm_and_si128(signs, _mm_set1_epi8(REDUCED_8.cast_signed()));
            Self(_mm_xor_si128(_mm_add_epi8(self.0, self.0), carries))
        }
    }

    #[inline(always)]
    pub(super) fn times_x_nibbles(self) -> Self {
        const { assert!(REDUCED_4 == 0b11, "a carry and its double") };
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let low = _mm_and_si128(self.0, _mm_set1_epi8(0x77));
            let carries = _mm_and_si128(_mm_srli_epi16::<3>(self.0), _mm_set1_epi8(0x11));
            let carries = _mm_xor_si128(carries, _mm_add_epi8(carries, carries));
            Self(_mm_xor_si128(_mm_add_epi8(low, low), carries))
        }
    }
}
