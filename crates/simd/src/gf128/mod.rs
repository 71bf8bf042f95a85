//! The field GF(2^128) = GF(2)[x] / (x^128 + x^7 + x^2 + x + 1); bit i of a number is the coefficient of x^i.

mod lanes;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use lanes::Registers;
pub(crate) use scalar::multiply_64;

use crate::{Kernel, TILE, Tile};

/// A product before its reduction: coefficients of x^0 to x^127, and of x^128 to x^254.
type Wide = [u128; 2];

/// The product of two elements.
#[must_use]
pub fn gf128_multiply(a: u128, b: u128) -> u128 {
    multiply_with(Kernel::best(), a, b)
}

/// Adds to each of `sums` the scalar product of its column with `coefficients`: the sum over t of entry c of tile t
/// times coefficient t.
///
/// # Panics
/// When there are not as many coefficients as tiles.
pub fn gf128_add_columns(sums: &mut Tile, tiles: &[Tile], coefficients: &[u128]) {
    add_columns_with(Kernel::best(), sums, tiles, coefficients);
}

/// Adds to each of `sums` the value at its point of N polynomials without a constant term: the sum over j of
/// coefficient j times the point to the j + 1.
///
/// # Panics
/// When there are not as many points as sums.
pub fn gf128_add_polynomial<const N: usize>(
    sums: &mut [[u128; N]],
    points: &[u128],
    coefficients: &[[u128; N]],
) {
    add_polynomial_with(Kernel::best(), sums, points, coefficients);
}

fn multiply_with(kernel: Kernel, a: u128, b: u128) -> u128 {
    reduce(match kernel {
        #[cfg(target_arch = "x86_64")]
        _ if kernel >= Kernel::Avx2 && kernel.runs_here() => {
            // SAFETY: the processor has PCLMULQDQ.
            unsafe { x86::multiply(a, b) }
        }
        _ => scalar::multiply(a, b),
    })
}

fn add_columns_with(kernel: Kernel, sums: &mut Tile, tiles: &[Tile], coefficients: &[u128]) {
    assert_eq!(tiles.len(), coefficients.len(), "a coefficient for each tile");
    for (column, sum) in sums.iter_mut().enumerate() {
        let product = match kernel {
            #[cfg(target_arch = "x86_64")]
            _ if kernel >= Kernel::Avx2 && kernel.runs_here() => {
                // SAFETY: the processor has PCLMULQDQ.
                unsafe { x86::column_product(tiles, column, coefficients) }
            }
            _ => scalar::column_product(tiles, column, coefficients),
        };
        *sum ^= reduce(product);
    }
}

fn add_polynomial_with<const N: usize>(
    kernel: Kernel,
    sums: &mut [[u128; N]],
    points: &[u128],
    coefficients: &[[u128; N]],
) {
    assert_eq!(sums.len(), points.len(), "a point for each sum");
    match kernel {
        #[cfg(target_arch = "x86_64")]
        _ if kernel >= Kernel::Avx2 && kernel.runs_here() => {
            // SAFETY: the processor has PCLMULQDQ.
            unsafe { x86::add_polynomial(sums, points, coefficients) }
        }
        _ => scalar::add_polynomial(sums, points, coefficients),
    }
}

/// Folds the upper half down: x^128 is x^7 + x^2 + x + 1.
fn reduce([low, high]: Wide) -> u128 {
    let spilled = (high >> 127) ^ (high >> 126) ^ (high >> 121);
    let fold = |value: u128| value ^ (value << 1) ^ (value << 2) ^ (value << 7);
    low ^ fold(high) ^ fold(spilled)
}

const _: () = assert!(TILE == 128, "a column of a tile is one element");
