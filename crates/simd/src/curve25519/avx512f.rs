//! Eight doubles with AVX-512F and DQ.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::field::MOST_LANES;
use super::fma::Doubles;

/// Says that the processor has AVX-512F and AVX-512DQ.
#[derive(Clone, Copy)]
pub(super) struct Avx512f(());

impl Avx512f {
    /// # Safety
    /// The processor has AVX-512F and AVX-512DQ.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        Self(())
    }
}

// SAFETY of all blocks below: a value of `Avx512f` says that the processor has the instructions; loads and stores are
// of arrays as large as a vector.
impl Doubles for Avx512f {
    const LANES: usize = 8;
    type Float = __m512d;
    type Int = __m512i;
    type Mask = __mmask8;

    #[inline(always)]
    fn floats(self, value: f64) -> __m512d {
        unsafe { _mm512_set1_pd(value) }
    }

    #[inline(always)]
    fn ints(self, value: i64) -> __m512i {
        unsafe { _mm512_set1_epi64(value) }
    }

    #[inline(always)]
    fn load(self, lanes: &[u64; MOST_LANES]) -> __m512i {
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, lanes: __m512i) -> [u64; MOST_LANES] {
        let mut array = [0; MOST_LANES];
        unsafe { _mm512_storeu_si512(array.as_mut_ptr().cast(), lanes) };
        array
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
    fn float_add(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_add_pd(a, b) }
    }

    #[inline(always)]
    fn float_subtract(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_sub_pd(a, b) }
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
    fn shift_51(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srli_epi64::<51>(a) }
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
    fn select(self, mask: __mmask8, yes: __m512d, no: __m512d) -> __m512d {
        unsafe { _mm512_mask_blend_pd(mask, no, yes) }
    }
}
