//! What a processor must offer: words of which 52 bits are multiplied, and as many doubles.

use crate::vector::{Halves, V1};

/// What transforms need besides.
pub(super) trait Lanes: Halves {
    type Double: Copy;

    /// The smaller one, unsigned.
    fn minimum(self, a: Self::Int, b: Self::Int) -> Self::Int;

    /// The words as doubles, rounded.
    fn doubles(self, a: Self::Int) -> Self::Double;
    fn double(self, number: f64) -> Self::Double;
    fn multiply(self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// a·b + c, rounded once or twice.
    fn multiply_add(self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// Without their fractions, of numbers from 0 to 2^63.
    fn words(self, a: Self::Double) -> Self::Int;

    /// Lane i of row j becomes lane j of row i, for eight lanes; a single lane stays as it is.
    fn transpose(self, rows: &mut [Self::Int; 8]);
}

impl Lanes for V1 {
    type Double = f64;

    #[inline(always)]
    fn minimum(self, a: u64, b: u64) -> u64 {
        a.min(b)
    }

    #[inline(always)]
    fn doubles(self, a: u64) -> f64 {
        a as f64
    }

    #[inline(always)]
    fn double(self, number: f64) -> f64 {
        number
    }

    #[inline(always)]
    fn multiply(self, a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn multiply_add(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    #[inline(always)]
    fn words(self, a: f64) -> u64 {
        a as u64
    }

    #[inline(always)]
    fn transpose(self, _: &mut [u64; 8]) {}
}
