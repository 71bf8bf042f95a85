//! What a store can hold.

use veilset_simd::{gf128_add_polynomial, gf128_multiply};
use zeroize::Zeroize;

/// A vector over GF(2^128), written as one or several numbers; bit i of a number is the coefficient of x^i.
pub trait OkvsValue: Copy + Send + Sync + Zeroize {
    /// The vector of zeros.
    const ZERO: Self;

    /// The sum, which is the difference too.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Every entry times `scalar`.
    #[must_use]
    fn times(self, scalar: u128) -> Self;

    /// Adds to each of `sums` the sum over j of `coefficients[j]` times its point to the j + 1.
    ///
    /// # Panics
    /// When there are not as many points as sums.
    fn add_polynomial(sums: &mut [Self], points: &[u128], coefficients: &[Self]);

    /// The vector whose entries are the next numbers that `next` gives.
    fn draw(next: impl FnMut() -> u128) -> Self;
}

impl OkvsValue for u128 {
    const ZERO: Self = 0;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self ^ other
    }

    #[inline]
    fn times(self, scalar: u128) -> Self {
        gf128_multiply(self, scalar)
    }

    fn add_polynomial(sums: &mut [Self], points: &[u128], coefficients: &[Self]) {
        let (sums, coefficients) = (sums.as_chunks_mut::<1>().0, coefficients.as_chunks().0);
        gf128_add_polynomial(sums, points, coefficients);
    }

    fn draw(mut next: impl FnMut() -> u128) -> Self {
        next()
    }
}

impl<const N: usize> OkvsValue for [u128; N] {
    const ZERO: Self = [0; N];

    #[inline]
    fn plus(self, other: Self) -> Self {
        std::array::from_fn(|entry| self[entry] ^ other[entry])
    }

    #[inline]
    fn times(self, scalar: u128) -> Self {
        self.map(|entry| gf128_multiply(entry, scalar))
    }

    fn add_polynomial(sums: &mut [Self], points: &[u128], coefficients: &[Self]) {
        gf128_add_polynomial(sums, points, coefficients);
    }

    fn draw(mut next: impl FnMut() -> u128) -> Self {
        std::array::from_fn(|_| next())
    }
}
