//! Eight doubles with AVX-512F and DQ.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::field::Subroutine;
use super::fma::{Doubles, Fma};
use super::words::{Table, Words};
use crate::vector::V8;

// SAFETY of all blocks below: a value of `V8` says that the processor has the instructions; loads and stores are
// of arrays as large as a vector.
impl<const IFMA: bool> Words for V8<IFMA> {
    type Float = __m512d;
    type Mask = __mmask8;

    #[inline(always)]
    fn floats(self, value: f64) -> __m512d {
        unsafe { _mm512_set1_pd(value) }
    }

    #[inline(always)]
    fn multiply(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_mul_epi32(a, b) }
    }

    #[inline(always)]
    fn odd(self, a: __m512i) -> __mmask8 {
        unsafe { _mm512_test_epi64_mask(a, _mm512_set1_epi64(1)) }
    }

    #[inline(always)]
    fn negative(self, a: __m512i) -> __mmask8 {
        unsafe { _mm512_movepi64_mask(a) }
    }

    #[inline(always)]
    fn select(self, mask: __mmask8, yes: __m512i, no: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi64(mask, no, yes) }
    }

    #[inline(always)]
    fn pick(self, table: &Table, index: __m512i) -> __m512i {
        V8::pick(self, table.as_flattened(), index)
    }

    #[inline(always)]
    fn subtract_if(self, mask: __mmask8, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_mask_sub_epi64(a, mask, a, b) }
    }

    #[inline(always)]
    fn negate_if(self, mask: __mmask8, a: __m512i) -> __m512i {
        unsafe { _mm512_mask_sub_epi64(a, mask, _mm512_setzero_si512(), a) }
    }

    #[inline(always)]
    fn xor_and_if(self, mask: __mmask8, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // a ^ (b & c), as a table of truth.
        unsafe { _mm512_mask_ternarylogic_epi64::<0b0111_1000>(a, mask, b, c) }
    }

    #[inline(always)]
    fn convert(self, a: __m512i) -> __m512d {
        unsafe { _mm512_cvtepi64_pd(a) }
    }

    #[inline(always)]
    fn bits(self, a: __m512d) -> __m512i {
        unsafe { _mm512_castpd_si512(a) }
    }

    #[inline(always)]
    fn number(self, a: __m512i) -> __m512d {
        unsafe { _mm512_castsi512_pd(a) }
    }

    #[inline(always)]
    fn multiply_add(self, a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        unsafe { _mm512_fmadd_pd(a, b, c) }
    }

    #[inline(always)]
    fn maximum(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_max_pd(a, b) }
    }
}

// SAFETY: as above.
impl Doubles for V8 {
    #[inline(always)]
    fn float_add(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_add_pd(a, b) }
    }

    #[inline(always)]
    fn float_subtract(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_sub_pd(a, b) }
    }

    #[inline(always)]
    fn keep_and_set(self, a: __m512i, mask: __m512i, bits: __m512i) -> __m512i {
        // (a & mask) | bits, as a table of truth.
        unsafe { _mm512_ternarylogic_epi64::<0b1110_1010>(a, mask, bits) }
    }

    #[inline(always)]
    fn nineteen(self, a: __m512i) -> __m512i {
        unsafe { _mm512_mullo_epi64(a, self.ints(19)) }
    }

    #[inline(always)]
    fn nineteen_small(self, a: __m512i) -> __m512i {
        unsafe { _mm512_mul_epu32(a, self.ints(19)) }
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> __mmask8 {
        lanes
    }

    #[inline(always)]
    fn apart<P: Subroutine<Fma<Self>>>(self, subroutine: P) -> P::Output {
        unsafe { apart(self, subroutine) }
    }
}

/// # Safety
/// The processor has AVX-512F, BW and DQ.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline(never)]
unsafe fn apart<P: Subroutine<Fma<V8>>>(d: V8, subroutine: P) -> P::Output {
    subroutine.run(Fma(d))
}
