//! Eight lanes with AVX-512 IFMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block"
)]

use std::arch::x86_64::{
    __m512i, _mm_cvtsi64_si128, _mm512_cvtepu8_epi64, _mm512_mask_blend_epi64,
    _mm512_test_epi64_mask,
};

use super::lanes::{self, Constants, Element, Factor, Lanes};
use super::quotient::{self, Quotients};
use super::{Modulus, multiply, narrow};
use crate::vector::{MOST_LANES, V8Ifma, Vector};

// SAFETY of all blocks below: a value of `V8Ifma` says that the processor has the instructions.
impl Lanes for V8Ifma {
    #[inline(always)]
    fn pick<const ENTRIES: usize>(self, table: &[u64; ENTRIES], index: __m512i) -> __m512i {
        let low = V8Ifma::pick(self, &table[..32], index);
        if ENTRIES == 32 {
            return low;
        }
        let high = V8Ifma::pick(self, &table[32..], index);
        let bit = self.splat(32);
        unsafe { _mm512_mask_blend_epi64(_mm512_test_epi64_mask(index, bit), low, high) }
    }

    #[inline(always)]
    fn widen(self, bytes: &[u8; MOST_LANES]) -> __m512i {
        unsafe { _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(i64::from_le_bytes(*bytes))) }
    }

    fn constants<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
    ) -> &Constants<LIMBS> {
        &modulus.limbs
    }

    fn limbs<const WORDS: usize, const LIMBS: usize>(self, number: &[u64; WORDS]) -> [u64; LIMBS] {
        narrow::limbs(number)
    }

    fn number<const WORDS: usize, const LIMBS: usize>(self, limbs: &[u64; LIMBS]) -> [u64; WORDS] {
        narrow::number(limbs)
    }

    #[inline(always)]
    fn multiply<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &Element<Self, LIMBS>,
        b: &Element<Self, LIMBS>,
    ) -> Element<Self, LIMBS> {
        unsafe { product(self, &modulus.limbs, a, b) }
    }

    /// The factor without R.
    #[inline(always)]
    fn factor<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &Element<Self, LIMBS>,
    ) -> Factor<Element<Self, LIMBS>> {
        unsafe { factor(self, modulus, a) }
    }

    #[inline(always)]
    fn multiply_factor<const WORDS: usize, const LIMBS: usize, const ENTRIES: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        table: &Factor<[[u64; ENTRIES]; LIMBS]>,
        index: __m512i,
        product: &mut [u64],
        stride: usize,
    ) {
        unsafe { factor_product(self, &modulus.quotients, table, index, product, stride) }
    }

    #[inline(always)]
    fn square<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &Element<Self, LIMBS>,
    ) -> Element<Self, LIMBS> {
        unsafe { square(self, &modulus.limbs, a) }
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn product<const LIMBS: usize>(
    l: V8Ifma,
    constants: &Constants<LIMBS>,
    a: &Element<V8Ifma, LIMBS>,
    b: &Element<V8Ifma, LIMBS>,
) -> Element<V8Ifma, LIMBS> {
    multiply::multiply(l, constants, a, b)
}

/// Limbs are picked while others are multiplied.
///
/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn factor_product<const LIMBS: usize, const ENTRIES: usize>(
    l: V8Ifma,
    quotients: &Quotients<LIMBS>,
    table: &Factor<[[u64; ENTRIES]; LIMBS]>,
    index: __m512i,
    product: &mut [u64],
    stride: usize,
) {
    let factor = |limb: usize| Lanes::pick(l, &table.itself[limb], index);
    let quotient = |limb: usize| Lanes::pick(l, &table.quotient[limb], index);
    let b = lanes::read(l, product, stride);
    let multiplied = quotient::multiply(l, quotients, factor, quotient, &b);
    lanes::write(l, &multiplied, product, stride);
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn factor<const WORDS: usize, const LIMBS: usize>(
    l: V8Ifma,
    modulus: &Modulus<WORDS, LIMBS>,
    a: &Element<V8Ifma, LIMBS>,
) -> Factor<Element<V8Ifma, LIMBS>> {
    Factor {
        itself: multiply::without_r(l, &modulus.limbs, a),
        quotient: quotient::quotient(l, &modulus.quotients, a),
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn square<const LIMBS: usize>(
    l: V8Ifma,
    constants: &Constants<LIMBS>,
    a: &Element<V8Ifma, LIMBS>,
) -> Element<V8Ifma, LIMBS> {
    multiply::square(l, constants, a)
}
