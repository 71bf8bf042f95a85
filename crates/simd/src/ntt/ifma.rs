//! Eight lanes with AVX-512 IFMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::lanes::Lanes;

/// Says that the processor has AVX-512F, DQ and IFMA.
#[derive(Clone, Copy)]
pub(super) struct Ifma(());

impl Ifma {
    /// # Safety
    /// The processor has AVX-512F, AVX-512DQ and AVX-512 IFMA.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        Self(())
    }
}

// SAFETY of all blocks below: a value of `Ifma` says that the processor has the instructions; loads and stores are of
// slices that are checked to be as long as a vector.
impl Lanes for Ifma {
    const LANES: usize = 8;
    type Word = __m512i;
    type Double = __m512d;

    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        unsafe { _mm512_set1_epi64(word.cast_signed()) }
    }

    #[inline(always)]
    fn load(self, words: &[u64]) -> __m512i {
        let words = &words[..8];
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64], lanes: __m512i) {
        let words = &mut words[..8];
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), lanes) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn subtract(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn minimum(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_min_epu64(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srli_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srai_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn low(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn high(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
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
        let [r0, r1, r2, r3, r4, r5, r6, r7] = *rows;
        unsafe {
            // Pairs of lanes, then quarters of rows.
            let pairs = [
                _mm512_unpacklo_epi64(r0, r1),
                _mm512_unpackhi_epi64(r0, r1),
                _mm512_unpacklo_epi64(r2, r3),
                _mm512_unpackhi_epi64(r2, r3),
                _mm512_unpacklo_epi64(r4, r5),
                _mm512_unpackhi_epi64(r4, r5),
                _mm512_unpacklo_epi64(r6, r7),
                _mm512_unpackhi_epi64(r6, r7),
            ];
            for odd in 0..2 {
                let [a, b, c, d] = [pairs[odd], pairs[2 + odd], pairs[4 + odd], pairs[6 + odd]];
                let low_even = _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
                let low_odd = _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
                let high_even = _mm512_shuffle_i64x2::<0b10_00_10_00>(c, d);
                let high_odd = _mm512_shuffle_i64x2::<0b11_01_11_01>(c, d);
                rows[odd] = _mm512_shuffle_i64x2::<0b10_00_10_00>(low_even, high_even);
                rows[4 + odd] = _mm512_shuffle_i64x2::<0b11_01_11_01>(low_even, high_even);
                rows[2 + odd] = _mm512_shuffle_i64x2::<0b10_00_10_00>(low_odd, high_odd);
                rows[6 + odd] = _mm512_shuffle_i64x2::<0b11_01_11_01>(low_odd, high_odd);
            }
        }
    }
}
