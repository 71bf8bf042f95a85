//! Four lanes with AVX2.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::Vector;

/// Four lanes; says that the processor has AVX2 and FMA.
#[derive(Clone, Copy)]
pub(crate) struct V4(());

impl V4 {
    /// # Safety
    /// The processor has AVX2 and FMA.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }

    /// Turns a square of words: word c of row r goes to word r of row c.
    #[inline(always)]
    pub(crate) fn transpose(self, [r0, r1, r2, r3]: [__m256i; 4]) -> [__m256i; 4] {
        // SAFETY: as below.
        unsafe {
            // Words 0 and 2, and 1 and 3, of two rows.
            let (a, b) = (_mm256_unpacklo_epi64(r0, r1), _mm256_unpackhi_epi64(r0, r1));
            let (c, d) = (_mm256_unpacklo_epi64(r2, r3), _mm256_unpackhi_epi64(r2, r3));
            [
                _mm256_permute2x128_si256::<0x20>(a, c),
                _mm256_permute2x128_si256::<0x20>(b, d),
                _mm256_permute2x128_si256::<0x31>(a, c),
                _mm256_permute2x128_si256::<0x31>(b, d),
            ]
        }
    }
}

// SAFETY of all blocks below: a value of `V4` says that the processor has the instructions; loads and stores are of slices
// that are checked to be as long as a vector.
impl Vector for V4 {
    const LANES: usize = 4;
    type Int = __m256i;

    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        unsafe { _mm256_set1_epi64x(word.cast_signed()) }
    }

    #[inline(always)]
    fn load(self, words: &[u64]) -> __m256i {
        let words = &words[..4];
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64], lanes: __m256i) {
        let words = &mut words[..4];
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), lanes) }
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
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    fn left<const BITS: u32>(self, a: __m256i) -> __m256i {
        unsafe { _mm256_sll_epi64(a, _mm_cvtsi32_si128(BITS as i32)) }
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: __m256i) -> __m256i {
        unsafe { _mm256_srl_epi64(a, _mm_cvtsi32_si128(BITS as i32)) }
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: __m256i) -> __m256i {
        // As an unsigned number 2^63 larger.
        let positive = self.add(a, self.splat(1 << 63));
        self.subtract(self.right::<BITS>(positive), self.splat(1 << (63 - BITS)))
    }
}
