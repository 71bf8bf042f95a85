//! Products of polynomials with PCLMULQDQ.

use std::arch::x86_64::*;

use super::Wide;
use crate::Tile;

/// The product of two polynomials of 128 coefficients.
#[target_feature(enable = "pclmulqdq")]
pub(super) fn multiply(a: u128, b: u128) -> Wide {
    let mut sum = Sum::new();
    sum.add(load(&a), load(&b));
    sum.wide()
}

/// The sum over t of entry `column` of tile t times coefficient t.
#[target_feature(enable = "pclmulqdq")]
pub(super) fn column_product(tiles: &[Tile], column: usize, coefficients: &[u128]) -> Wide {
    let mut sum = Sum::new();
    for (tile, coefficient) in tiles.iter().zip(coefficients) {
        sum.add(load(&tile[column]), load(coefficient));
    }
    sum.wide()
}

/// Horner's rule, point by point; the processor overlaps points.
#[target_feature(enable = "pclmulqdq")]
pub(super) fn add_polynomial<const N: usize>(
    sums: &mut [[u128; N]],
    points: &[u128],
    coefficients: &[[u128; N]],
) {
    for (sum, point) in sums.iter_mut().zip(points) {
        let point = load(point);
        for (entry, sum) in sum.iter_mut().enumerate() {
            let mut value = _mm_setzero_si128();
            for coefficient in coefficients.iter().rev() {
                let mut product = Sum::new();
                product.add(_mm_xor_si128(value, load(&coefficient[entry])), point);
                value = product.reduced();
            }
            *sum ^= number(value);
        }
    }
}

/// A sum of products in three overlapping parts, the middle one shifted by 64.
struct Sum {
    low: __m128i,
    middle: __m128i,
    high: __m128i,
}

impl Sum {
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn new() -> Self {
        let zero = _mm_setzero_si128();
        Self { low: zero, middle: zero, high: zero }
    }

    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn add(&mut self, a: __m128i, b: __m128i) {
        let crossed =
            _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b));
        self.low = _mm_xor_si128(self.low, _mm_clmulepi64_si128::<0x00>(a, b));
        self.middle = _mm_xor_si128(self.middle, crossed);
        self.high = _mm_xor_si128(self.high, _mm_clmulepi64_si128::<0x11>(a, b));
    }

    /// The remainder by x^128 + x^7 + x^2 + x + 1: the upper half times x^7 + x^2 + x + 1, in two steps, for its upper
    /// quarter lands in the lower one's place again.
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn reduced(self) -> __m128i {
        let tail = _mm_cvtsi32_si128(0x87);
        let low = _mm_xor_si128(self.low, _mm_slli_si128::<8>(self.middle));
        let high = _mm_xor_si128(self.high, _mm_srli_si128::<8>(self.middle));
        let upper = _mm_clmulepi64_si128::<0x01>(high, tail);
        let low = _mm_xor_si128(low, _mm_slli_si128::<8>(upper));
        let high = _mm_xor_si128(high, _mm_srli_si128::<8>(upper));
        _mm_xor_si128(low, _mm_clmulepi64_si128::<0x00>(high, tail))
    }

    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn wide(self) -> Wide {
        let [low, middle, high] = [self.low, self.middle, self.high].map(number);
        [low ^ (middle << 64), high ^ (middle >> 64)]
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(value: &u128) -> __m128i {
    // SAFETY: the pointer is to 16 readable bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(std::ptr::from_ref(value).cast()) }
}

#[inline]
fn number(value: __m128i) -> u128 {
    // SAFETY: both types are 16 bytes of which every pattern is a value.
    unsafe { std::mem::transmute(value) }
}
