//! Products of polynomials in plain Rust.

use super::{Wide, reduce};
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

/// Horner's rule, point by point.
pub(super) fn add_polynomial<const N: usize>(
    sums: &mut [[u128; N]],
    points: &[u128],
    coefficients: &[[u128; N]],
) {
    for (sum, point) in sums.iter_mut().zip(points) {
        for (entry, sum) in sum.iter_mut().enumerate() {
            let terms = coefficients.iter().rev();
            *sum ^= terms.fold(0, |value, c| reduce(multiply(value ^ c[entry], *point)));
        }
    }
}

/// The product of two polynomials of 64 coefficients. The upper half is the lower half of the product of the reversed
/// polynomials, reversed.
pub(crate) fn multiply_64(a: u64, b: u64) -> u128 {
    let low = low_half(a, b);
    let high = low_half(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    (u128::from(high) << 64) | u128::from(low)
}

/// The coefficients of x^0 to x^63 of a product.
///
/// Each factor is cut into four with every fourth coefficient. In the integer product of two such pieces every fourth
/// bit is the coefficient wanted: at most 16 terms meet there, and 16 carry into the next such bit only from bit 60 on,
/// which is past the end.
fn low_half(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let pieces = |value: u64| [0, 1, 2, 3].map(|first| value & (EVERY_FOURTH << first));
    let (a, b) = (pieces(a), pieces(b));
    (0..4).fold(0, |product, place| {
        let terms = (0..4).fold(0, |sum, i| sum ^ a[i].wrapping_mul(b[(4 + place - i) % 4]));
        product | (terms & (EVERY_FOURTH << place))
    })
}
