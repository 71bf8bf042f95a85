//! Eight lanes with AVX-512 IFMA.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block"
)]

use std::arch::x86_64::__m512i;

use super::lanes::{Constants, Element, Lanes, Limbs, PICKS};
use super::{Modulus, Number, multiply, narrow};
use crate::vector::V8Ifma;

// SAFETY of all blocks below: a value of `V8Ifma` says that the processor has the instructions.
impl Lanes for V8Ifma {
    #[inline(always)]
    fn pick(self, table: &[u64; PICKS], index: __m512i) -> __m512i {
        V8Ifma::pick(self, table, index)
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

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn product(
    l: V8Ifma,
    modulus: &Modulus,
    a: &Element<V8Ifma>,
    b: &Element<V8Ifma>,
) -> Element<V8Ifma> {
    multiply::multiply(l, &modulus.limbs, a, b)
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn square(l: V8Ifma, modulus: &Modulus, a: &Element<V8Ifma>) -> Element<V8Ifma> {
    multiply::square(l, &modulus.limbs, a)
}
