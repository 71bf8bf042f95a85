//! Four doubles with AVX2 and FMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::field::MOST_LANES;
use super::fma::Doubles;

/// Says that the processor has AVX2 and FMA.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// # Safety
    /// The processor has AVX2 and FMA.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        Self(())
    }
}

// SAFETY of all blocks below: a value of `Avx2` says that the processor has the instructions; loads and stores are of
// the first half of arrays twice as large as a vector.
impl Doubles for Avx2 {
    const LANES: usize = 4;
    type Float = __m256d;
    type Int = __m256i;
    type Mask = __m256d;

    #[inline(always)]
    fn floats(self, value: f64) -> __m256d {
        unsafe { _mm256_set1_pd(value) }
    }

    #[inline(always)]
    fn ints(self, value: i64) -> __m256i {
        unsafe { _mm256_set1_epi64x(value) }
    }

    #[inline(always)]
    fn load(self, lanes: &[u64; MOST_LANES]) -> __m256i {
        unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, lanes: __m256i) -> [u64; MOST_LANES] {
        let mut array = [0; MOST_LANES];
        unsafe { _mm256_storeu_si256(array.as_mut_ptr().cast(), lanes) };
        array
    }

    #[inline(always)]
    fn bits(self, a: __m256d) -> __m256i {
        unsafe { _mm256_castpd_si256(a) }
    }

    #[inline(always)]
    fn number(self, a: __m256i) -> __m256d {
        unsafe { _mm256_castsi256_pd(a) }
    }

    #[inline(always)]
    fn multiply_add(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        unsafe { _mm256_fmadd_pd(a, b, c) }
    }

    #[inline(always)]
    fn float_add(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_add_pd(a, b) }
    }

    #[inline(always)]
    fn float_subtract(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_sub_pd(a, b) }
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_add_epi64(a, b) }
    }

    #[inline(always)]
    fn subtract(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn shift_51(self, a: __m256i) -> __m256i {
        unsafe { _mm256_srli_epi64::<51>(a) }
    }

    #[inline(always)]
    fn keep_and_set(self, a: __m256i, mask: __m256i, bits: __m256i) -> __m256i {
        unsafe { _mm256_or_si256(_mm256_and_si256(a, mask), bits) }
    }

    #[inline(always)]
    fn nineteen(self, a: __m256i) -> __m256i {
        let (twice, sixteen) = unsafe { (_mm256_slli_epi64::<1>(a), _mm256_slli_epi64::<4>(a)) };
        self.add(self.add(a, twice), sixteen)
    }

    #[inline(always)]
    fn nineteen_small(self, a: __m256i) -> __m256i {
        unsafe { _mm256_mul_epu32(a, self.ints(19)) }
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> __m256d {
        let lane = |lane: u8| -i64::from(lanes >> lane & 1);
        unsafe { _mm256_castsi256_pd(_mm256_setr_epi64x(lane(0), lane(1), lane(2), lane(3))) }
    }

    #[inline(always)]
    fn select(self, mask: __m256d, yes: __m256d, no: __m256d) -> __m256d {
        unsafe { _mm256_blendv_pd(no, yes, mask) }
    }
}
