//! What a store can hold.

use veilset_simd::{Nonet, gf64_multiply, gf128_add_polynomial, gf128_multiply};
use zeroize::Zeroize;

/// A vector over GF(2^128), written as one or several numbers, or an element of GF(2^64); bit i of a number is the
/// coefficient of x^i.
///
/// Rows of a banded store are of zeros and ones, so its encoding is one over every field that holds the values' own; rows of
/// a cuckoo store are over the field of its values.
pub trait OkvsValue: Copy + Send + Sync + Zeroize {
    /// The vector of zeros.
    const ZERO: Self;

    /// The sum, which is the difference too.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Every entry times `scalar`, of which GF(2^64) takes the lower half.
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

/// A value as [`encode`](super::encode) takes and gives it: what stores hold, or part of that.
pub trait OkvsEntry: Copy + Send + Sync + Zeroize {
    /// What is added up; a part stands for a value whose other bits mean nothing.
    type Value: OkvsValue;

    /// Whether it is a part, which only rows of zeros and ones give back.
    const PART: bool;

    /// The value that it stands for.
    fn value(self) -> Self::Value;

    /// What stands for a value.
    fn of(value: Self::Value) -> Self;
}

impl<V: OkvsValue> OkvsEntry for V {
    type Value = Self;

    const PART: bool = false;

    #[inline]
    fn value(self) -> Self {
        self
    }

    #[inline]
    fn of(value: Self) -> Self {
        value
    }
}

/// The lowest bits of a number: in a banded store they are encoded by the lowest bits of the encoding.
impl OkvsEntry for Nonet {
    type Value = u128;

    const PART: bool = true;

    #[inline]
    fn value(self) -> u128 {
        self.into()
    }

    #[inline]
    fn of(value: u128) -> Self {
        Self::truncate(value)
    }
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

impl OkvsValue for u64 {
    const ZERO: Self = 0;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self ^ other
    }

    #[inline]
    fn times(self, scalar: u128) -> Self {
        gf64_multiply(self, scalar as Self)
    }

    fn add_polynomial(sums: &mut [Self], points: &[u128], coefficients: &[Self]) {
        assert_eq!(sums.len(), points.len(), "a point for each sum");
        for (sum, point) in sums.iter_mut().zip(points) {
            let terms = coefficients.iter().rev();
            *sum ^= terms.fold(0, |value, c| (value ^ c).times(*point));
        }
    }

    fn draw(mut next: impl FnMut() -> u128) -> Self {
        next() as Self
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
