//! Four doubles with AVX2 and FMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::*;

use super::field::Subroutine;
use super::fma::{Doubles, Fma};
use super::words::{PICKS, Table, Words};
use crate::vector::{V4, Vector};

// SAFETY of all blocks below: a value of `V4` says that the processor has the instructions.
impl Words for V4 {
    type Float = __m256d;
    /// The sign of a lane says yes.
    type Mask = __m256i;

    #[inline(always)]
    fn floats(self, value: f64) -> __m256d {
        unsafe { _mm256_set1_pd(value) }
    }

    #[inline(always)]
    fn multiply(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_mul_epi32(a, b) }
    }

    #[inline(always)]
    fn odd(self, a: __m256i) -> __m256i {
        self.left::<63>(a)
    }

    #[inline(always)]
    fn negative(self, a: __m256i) -> __m256i {
        a
    }

    #[inline(always)]
    fn select(self, mask: __m256i, yes: __m256i, no: __m256i) -> __m256i {
        unsafe {
            _mm256_castpd_si256(_mm256_blendv_pd(
                _mm256_castsi256_pd(no),
                _mm256_castsi256_pd(yes),
                _mm256_castsi256_pd(mask),
            ))
        }
    }

    #[inline(always)]
    fn pick(self, table: &Table, index: __m256i) -> __m256i {
        // The halves of word i of four are words 2i and 2i + 1 of eight.
        let even = self.left::<1>(index);
        let halves = self.add(self.add(even, self.left::<32>(even)), self.ints(1 << 32));
        let mut picked = [self.ints(0); PICKS / 4];
        for (row, picked) in table.iter().zip(picked.chunks_exact_mut(2)) {
            let [lower, upper] = unsafe {
                [
                    _mm256_loadu_si256(row.as_ptr().cast()),
                    _mm256_loadu_si256(row[4..].as_ptr().cast()),
                ]
            };
            picked[0] = unsafe { _mm256_permutevar8x32_epi32(lower, halves) };
            picked[1] = unsafe { _mm256_permutevar8x32_epi32(upper, halves) };
        }
        for n in 0..4 {
            picked[n] = self.select(self.left::<61>(index), picked[2 * n + 1], picked[2 * n]);
        }
        for n in 0..2 {
            picked[n] = self.select(self.left::<60>(index), picked[2 * n + 1], picked[2 * n]);
        }
        self.select(self.left::<59>(index), picked[1], picked[0])
    }

    #[inline(always)]
    fn subtract_if(self, mask: __m256i, a: __m256i, b: __m256i) -> __m256i {
        self.select(mask, self.subtract(a, b), a)
    }

    #[inline(always)]
    fn negate_if(self, mask: __m256i, a: __m256i) -> __m256i {
        self.select(mask, self.subtract(self.ints(0), a), a)
    }

    #[inline(always)]
    fn xor_and_if(self, mask: __m256i, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        self.select(mask, self.xor(a, self.and(b, c)), a)
    }

    #[inline(always)]
    fn convert(self, a: __m256i) -> __m256d {
        const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
        let shifted = self.add(a, self.ints(SHIFT.to_bits().cast_signed()));
        unsafe { _mm256_sub_pd(_mm256_castsi256_pd(shifted), self.floats(SHIFT)) }
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
    fn maximum(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_max_pd(a, b) }
    }
}

// SAFETY: as above.
impl Doubles for V4 {
    #[inline(always)]
    fn float_add(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_add_pd(a, b) }
    }

    #[inline(always)]
    fn float_subtract(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_sub_pd(a, b) }
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
    fn mask(self, lanes: u8) -> __m256i {
        let lane = |lane: u8| -i64::from(lanes >> lane & 1);
        unsafe { _mm256_setr_epi64x(lane(0), lane(1), lane(2), lane(3)) }
    }

    #[inline(always)]
    fn apart<P: Subroutine<Fma<Self>>>(self, subroutine: P) -> P::Output {
        unsafe { apart(self, subroutine) }
    }
}

/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
unsafe fn apart<P: Subroutine<Fma<V4>>>(d: V4, subroutine: P) -> P::Output {
    subroutine.run(Fma(d))
}
