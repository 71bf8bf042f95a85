//! The field GF(2^64) = GF(2)[x] / (x^64 + x^4 + x^3 + x + 1); bit i of a number is the coefficient of x^i.

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use crate::Kernel;
use crate::gf128::multiply_64;

/// The product of two elements.
#[must_use]
pub fn gf64_multiply(a: u64, b: u64) -> u64 {
    multiply_both_with(Kernel::best(), a, u128::from(b)) as u64
}

/// The products of one element with two, the lower and the upper half of `pair`.
#[must_use]
pub fn gf64_multiply_both(a: u64, pair: u128) -> u128 {
    multiply_both_with(Kernel::best(), a, pair)
}

fn multiply_both_with(kernel: Kernel, a: u64, pair: u128) -> u128 {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        _ if kernel >= Kernel::Avx2 && kernel.runs_here() => {
            // SAFETY: the processor has PCLMULQDQ.
            unsafe { x86::multiply_both(a, pair) }
        }
        _ => {
            let product = |b| u128::from(reduce(multiply_64(a, b)));
            product(pair as u64) | product((pair >> 64) as u64) << 64
        }
    }
}

/// Folds the upper half down: x^64 is x^4 + x^3 + x + 1.
fn reduce(wide: u128) -> u64 {
    let (low, high) = (wide as u64, (wide >> 64) as u64);
    let spilled = (high >> 63) ^ (high >> 61) ^ (high >> 60);
    let fold = |value: u64| value ^ (value << 1) ^ (value << 3) ^ (value << 4);
    low ^ fold(high) ^ fold(spilled)
}
