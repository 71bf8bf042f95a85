//! One multiplication with AVX-512 IFMA: eight digits of 52 bits a vector.
//!
//! # Bounds
//!
//! A step adds four halves of products, each below 2^52, to every place and moves all down by one. What leaves a place
//! at last has been added to as often as there are digits: below 4·D·2^52, so for D up to 2^9 below 2^63, carry included.
//! For a and b below 2m, (a·b + R·m)/R is below 2m again if 4m is at most R.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm512_alignr_epi64, _mm512_castsi512_si128,
    _mm512_cmpeq_epi64_mask, _mm512_mask_mov_epi64,
};

use crate::vector::{Halves, MASK_52, V8Ifma, Vector};

/// Bits of a digit.
pub(super) const BITS: usize = 52;

/// Vectors of the moduli for which there is code: 256 and 512 bits, and 1024 to 8192 in the steps of Paillier's keys.
const VECTORS: [usize; 10] = [1, 2, 3, 4, 5, 8, 10, 12, 15, 20];

/// The digits that count for a modulus of so many words, and all digits.
pub(super) fn lengths(words: usize) -> (usize, usize) {
    let count = (64 * words + 2).div_ceil(BITS);
    (count, count.next_multiple_of(8))
}

/// Does `$work` with the constant `$v`, one of [`VECTORS`], as `$count`.
macro_rules! with_vectors {
    ($count:expr, $v:ident => $work:expr) => {
        with_vectors!($count, $v => $work; 1 2 3 4 5 8 10 12 15 20)
    };
    ($count:expr, $v:ident => $work:expr; $($vectors:literal)*) => {
        match $count {
            $($vectors => {
                const $v: usize = $vectors;
                $work
            })*
            _ => unreachable!("no modulus of that length is taken"),
        }
    };
}

pub(super) fn fits(words: usize) -> bool {
    VECTORS.contains(&(lengths(words).1 / 8))
}

/// a·b/R modulo m below 2m, for a and b below 2m; `inverse` is −1/m modulo 2^52. All but `b` have whole vectors.
///
/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn multiply(a: &[u64], b: &[u64], m: &[u64], inverse: u64, out: &mut [u64]) {
    // SAFETY: as asked of the caller.
    let l = unsafe { V8Ifma::new() };
    with_vectors!(out.len() / 8, V => steps::<V>(l, a, b, m, inverse, out));
}

/// Puts into `chosen` the digits of the choice whose place is `index`; 0 if there is none. All have as many whole vectors.
///
/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn select(choices: &[super::Residue], index: usize, chosen: &mut [u64]) {
    // SAFETY: as asked of the caller.
    let l = unsafe { V8Ifma::new() };
    with_vectors!(chosen.len() / 8, V => {
        let mut found = [l.splat(0); V];
        let wanted = l.splat(index as u64);
        for (place, choice) in choices.iter().enumerate() {
            let same = _mm512_cmpeq_epi64_mask(wanted, l.splat(place as u64));
            for (found, digits) in found.iter_mut().zip(load::<V>(l, &choice.0)) {
                *found = _mm512_mask_mov_epi64(*found, same, digits);
            }
        }
        store(l, found, chosen);
    });
}

#[inline(always)]
fn load<const V: usize>(l: V8Ifma, digits: &[u64]) -> [__m512i; V] {
    let mut vectors = [l.splat(0); V];
    for (vector, digits) in vectors.iter_mut().zip(digits.as_chunks::<8>().0) {
        *vector = l.load(digits);
    }
    vectors
}

#[inline(always)]
fn store<const V: usize>(l: V8Ifma, vectors: [__m512i; V], digits: &mut [u64]) {
    for (digits, vector) in digits.as_chunks_mut::<8>().0.iter_mut().zip(vectors) {
        l.store(digits, vector);
    }
}

/// The lowest place is kept apart as a number, since the next quotient digit waits for it; what the vectors have there is
/// moved out unused.
#[target_feature(enable = "avx512f,avx512ifma")]
fn steps<const V: usize>(
    l: V8Ifma,
    a: &[u64],
    b: &[u64],
    m: &[u64],
    inverse: u64,
    out: &mut [u64],
) {
    let lowest = (u128::from(a[0]), u128::from(m[0]));
    let (a, m) = (load::<V>(l, a), load::<V>(l, m));
    let mut sums = [l.splat(0); V];
    let mut low = 0;
    for &digit in b {
        let sum = lowest.0 * u128::from(digit) + u128::from(low);
        let quotient = (sum as u64).wrapping_mul(inverse) & MASK_52;
        let carry = ((sum + lowest.1 * u128::from(quotient)) >> BITS) as u64;
        let by_a = l.splat(digit);
        let by_m = l.splat(quotient);
        for v in 0..V {
            sums[v] = l.low(sums[v], a[v], by_a);
        }
        for v in 0..V {
            sums[v] = l.low(sums[v], m[v], by_m);
        }
        for v in 0..V {
            let next = if v + 1 < V { sums[v + 1] } else { l.splat(0) };
            sums[v] = _mm512_alignr_epi64::<1>(next, sums[v]);
        }
        low = _mm_cvtsi128_si64(_mm512_castsi512_si128(sums[0])).cast_unsigned() + carry;
        for v in 0..V {
            sums[v] = l.high(sums[v], a[v], by_a);
        }
        for v in 0..V {
            sums[v] = l.high(sums[v], m[v], by_m);
        }
    }
    store(l, sums, out);
    out[0] = low;
    carry_up(out);
}

fn carry_up(digits: &mut [u64]) {
    let mut carry = 0;
    for digit in digits {
        let sum = *digit + carry;
        *digit = sum & MASK_52;
        carry = sum >> BITS;
    }
}
