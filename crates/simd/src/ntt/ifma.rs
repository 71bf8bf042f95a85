//! Eight lanes with AVX-512 IFMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::lanes::Lanes;
use crate::vector::V8Ifma;

// SAFETY of all blocks below: a value of `V8Ifma` says that the processor has the instructions.
impl Lanes for V8Ifma {
    type Double = __m512d;

    #[inline(always)]
    fn minimum(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_min_epu64(a, b) }
    }

    #[inline(always)]
    fn doubles(self, a: __m512i) -> __m512d {
        unsafe { _mm512_cvtepu64_pd(a) }
    }

    #[inline(always)]
    fn double(self, number: f64) -> __m512d {
        unsafe { _mm512_set1_pd(number) }
    }

    #[inline(always)]
    fn multiply(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_mul_pd(a, b) }
    }

    #[inline(always)]
    fn multiply_add(self, a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        unsafe { _mm512_fmadd_pd(a, b, c) }
    }

    #[inline(always)]
    fn words(self, a: __m512d) -> __m512i {
        unsafe { _mm512_cvttpd_epu64(a) }
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [__m512i; 8]) {
        *rows = V8Ifma::transpose(self, *rows);
    }
}
