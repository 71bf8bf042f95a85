//! Eight lanes with AVX-512.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::{Halves, Vector};

/// Eight lanes; says that the processor has AVX-512F, BW and DQ, and AVX-512 IFMA if `IFMA`.
#[derive(Clone, Copy)]
pub(crate) struct V8<const IFMA: bool = false>(());

/// [`V8`] with AVX-512 IFMA.
pub(crate) type V8Ifma = V8<true>;

impl<const IFMA: bool> V8<IFMA> {
    /// # Safety
    /// The processor has AVX-512F, BW and DQ, and AVX-512 IFMA if `IFMA`.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }

    /// In each lane the one of 32 words that its index names.
    #[inline(always)]
    pub(crate) fn pick(self, table: &[u64], index: __m512i) -> __m512i {
        let (t0, t1) = (self.load(table), self.load(&table[8..]));
        let (t2, t3) = (self.load(&table[16..]), self.load(&table[24..]));
        // SAFETY: as below.
        unsafe {
            let low = _mm512_permutex2var_epi64(t0, index, t1);
            let high = _mm512_permutex2var_epi64(t2, index, t3);
            let upper = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
            _mm512_mask_blend_epi64(upper, low, high)
        }
    }

    /// Turns a square of words: word c of row r goes to word r of row c.
    #[inline(always)]
    pub(crate) fn transpose(self, rows: [__m512i; 8]) -> [__m512i; 8] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        // SAFETY: as below.
        unsafe {
            // Pairs of words within pairs of rows.
            let p = [
                _mm512_unpacklo_epi64(r0, r1),
                _mm512_unpackhi_epi64(r0, r1),
                _mm512_unpacklo_epi64(r2, r3),
                _mm512_unpackhi_epi64(r2, r3),
                _mm512_unpacklo_epi64(r4, r5),
                _mm512_unpackhi_epi64(r4, r5),
                _mm512_unpacklo_epi64(r6, r7),
                _mm512_unpackhi_epi64(r6, r7),
            ];
            // p[2j + s] has, in 128-bit piece i, word 2i + s of rows 2j, 2j + 1.
            let even = self.turn_pieces(p[0], p[2], p[4], p[6]);
            let odd = self.turn_pieces(p[1], p[3], p[5], p[7]);
            [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
        }
    }

    /// Turns a square of 128-bit pieces.
    #[inline(always)]
    fn turn_pieces(self, r0: __m512i, r1: __m512i, r2: __m512i, r3: __m512i) -> [__m512i; 4] {
        // SAFETY: as below.
        unsafe {
            let a = _mm512_shuffle_i64x2::<0x88>(r0, r1);
            let b = _mm512_shuffle_i64x2::<0xdd>(r0, r1);
            let c = _mm512_shuffle_i64x2::<0x88>(r2, r3);
            let d = _mm512_shuffle_i64x2::<0xdd>(r2, r3);
            // a has pieces 0 and 2 of rows 0 and 1, b pieces 1 and 3; c and d the same of rows 2 and 3.
            [
                _mm512_shuffle_i64x2::<0x88>(a, c),
                _mm512_shuffle_i64x2::<0x88>(b, d),
                _mm512_shuffle_i64x2::<0xdd>(a, c),
                _mm512_shuffle_i64x2::<0xdd>(b, d),
            ]
        }
    }
}

// SAFETY of all blocks below: a value of `V8` says that the processor has the instructions; loads and stores are of slices
// that are checked to be as long as a vector.
impl<const IFMA: bool> Vector for V8<IFMA> {
    const LANES: usize = 8;
    type Int = __m512i;

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
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    fn left<const BITS: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_slli_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srli_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srai_epi64::<BITS>(a) }
    }
}

// SAFETY: as above.
impl Halves for V8Ifma {
    #[inline(always)]
    fn low(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn high(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
    }
}
