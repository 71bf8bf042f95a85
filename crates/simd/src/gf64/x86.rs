//! Products with PCLMULQDQ.

use std::arch::x86_64::*;

/// The products of `a` with both halves of `pair`.
#[target_feature(enable = "pclmulqdq")]
pub(super) fn multiply_both(a: u64, pair: u128) -> u128 {
    let a = _mm_cvtsi64_si128(a.cast_signed());
    // SAFETY: both types are 16 bytes of which every pattern is a value.
    let pair = unsafe { std::mem::transmute::<u128, __m128i>(pair) };
    let low = _mm_clmulepi64_si128::<0x00>(pair, a);
    let high = _mm_clmulepi64_si128::<0x01>(pair, a);
    let tail = _mm_cvtsi32_si128(0x1b);
    // What the fold of an upper half spills has at most 4 bits, so its own fold spills nothing.
    let (low_fold, high_fold) =
        (_mm_clmulepi64_si128::<0x01>(low, tail), _mm_clmulepi64_si128::<0x01>(high, tail));
    let spilled = _mm_unpackhi_epi64(low_fold, high_fold);
    let spilled = _mm_unpacklo_epi64(
        _mm_clmulepi64_si128::<0x00>(spilled, tail),
        _mm_clmulepi64_si128::<0x01>(spilled, tail),
    );
    let folds = _mm_xor_si128(_mm_unpacklo_epi64(low_fold, high_fold), spilled);
    let products = _mm_xor_si128(_mm_unpacklo_epi64(low, high), folds);
    // SAFETY: both types are 16 bytes of which every pattern is a value.
    unsafe { std::mem::transmute::<__m128i, u128>(products) }
}
