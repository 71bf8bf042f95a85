//! Products of polynomials in plain Rust.

use super::Wide;
use crate::Tile;

/// The product of two polynomials of 128 coefficients, by Karatsuba's trick on products of 64.
pub(super) fn multiply(a: u128, b: u128) -> Wide {
    let (a0, a1) = (a as u64, (a >> 64) as u64);
    let (b0, b1) = (b as u64, (b >> 64) as u64);
    let low = multiply_64(a0, b0);
    let high = multiply_64(a1, b1);
    let middle = multiply_64(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    [low ^ (middle << 64), high ^ (middle >> 64)]
}

pub(super) fn column_product(tiles: &[Tile], column: usize, coefficients: &[u128]) -> Wide {
    tiles.iter().zip(coefficients).fold([0; 2], |[low, high], (tile, coefficient)| {
        let [more_low, more_high] = multiply(tile[column], *coefficient);
        [low ^ more_low, high ^ more_high]
    })
}

/// The product of two polynomials of 64 coefficients, one shifted copy of `a` for each bit of `b`, in a time that
/// depends on neither.
fn multiply_64(a: u64, b: u64) -> u128 {
    (0..u64::BITS).fold(0, |sum, bit| {
        let mask = u128::from((b >> bit) & 1).wrapping_neg();
        sum ^ ((u128::from(a) << bit) & mask)
    })
}
