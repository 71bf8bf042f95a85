//! Eight lanes with AVX-512 IFMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_mask_blend_epi64, _mm512_permutex2var_epi64, _mm512_set1_epi64,
    _mm512_srli_epi64, _mm512_storeu_si512, _mm512_test_epi64_mask,
};

use super::lanes::{Constants, Element, Halves, Lanes, Limbs, MOST_LANES, PICKS};
use super::{Modulus, Number, multiply, narrow};

/// Says that the processor has AVX-512F and IFMA.
#[derive(Clone, Copy)]
pub(super) struct Ifma(());

impl Ifma {
    /// # Safety
    /// The processor has AVX-512F and AVX-512 IFMA.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        Self(())
    }

    /// Eight words.
    #[inline(always)]
    fn words(self, words: &[u64; PICKS], from: usize) -> __m512i {
        self.load(words[from..].first_chunk().expect("eight words"))
    }
}

// SAFETY of all blocks below: a value of `Ifma` says that the processor has the instructions; loads and stores are of
// arrays as large as a vector.
impl Lanes for Ifma {
    const COUNT: usize = 8;
    type Int = __m512i;

    #[inline(always)]
    fn splat(self, value: u64) -> __m512i {
        unsafe { _mm512_set1_epi64(value.cast_signed()) }
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
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn pick(self, table: &[u64; PICKS], index: __m512i) -> __m512i {
        let [t0, t1, t2, t3] = [
            self.words(table, 0),
            self.words(table, 8),
            self.words(table, 16),
            self.words(table, 24),
        ];
        unsafe {
            let low = _mm512_permutex2var_epi64(t0, index, t1);
            let high = _mm512_permutex2var_epi64(t2, index, t3);
            let upper = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
            _mm512_mask_blend_epi64(upper, low, high)
        }
    }

    fn constants(self, modulus: &Modulus) -> &Constants {
        &modulus.limbs
    }

    fn limbs(self, number: &Number) -> Limbs {
        narrow::limbs(number)
    }

    fn number(self, limbs: &Limbs) -> Number {
        narrow::number(limbs)
    }

    #[inline(always)]
    fn multiply(self, modulus: &Modulus, a: &Element<Self>, b: &Element<Self>) -> Element<Self> {
        unsafe { product(self, modulus, a, b) }
    }

    #[inline(always)]
    fn square(self, modulus: &Modulus, a: &Element<Self>) -> Element<Self> {
        unsafe { square(self, modulus, a) }
    }
}

// SAFETY: as above.
impl Halves for Ifma {
    #[inline(always)]
    fn carry(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srli_epi64::<52>(a) }
    }

    #[inline(always)]
    fn low(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn high(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
    }
}

/// # Safety
/// The processor has AVX-512F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn product(
    l: Ifma,
    modulus: &Modulus,
    a: &Element<Ifma>,
    b: &Element<Ifma>,
) -> Element<Ifma> {
    multiply::multiply(l, &modulus.limbs, a, b)
}

/// # Safety
/// The processor has AVX-512F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn square(l: Ifma, modulus: &Modulus, a: &Element<Ifma>) -> Element<Ifma> {
    multiply::square(l, &modulus.limbs, a)
}
