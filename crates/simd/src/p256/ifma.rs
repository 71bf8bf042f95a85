//! Eight lanes with AVX-512 IFMA.

use super::lanes::{Lanes, Subroutine};
use crate::vector::V8Ifma;

impl Lanes for V8Ifma {
    #[inline(always)]
    fn apart<S: Subroutine<Self>>(self, subroutine: S) -> S::Output {
        // SAFETY: a value of `V8Ifma` says that the processor has the instructions.
        unsafe { apart(self, subroutine) }
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn apart<S: Subroutine<V8Ifma>>(l: V8Ifma, subroutine: S) -> S::Output {
    subroutine.run(l)
}
