//! Logarithms and powers from the four basic operations alone, which every processor rounds alike: both sides
//! compute the same parameters, whatever their systems' mathematical libraries say in the last bit.
//!
//! ```
//! use veilset_real::{exp2, log2};
//!
//! // The least t with 2^t of at least a million.
//! assert_eq!(log2(1e6).ceil(), 20.0);
//! assert!((exp2(0.5) * exp2(0.5) - 2.0).abs() < 1e-12);
//! ```

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const BIAS: i64 = 1023;

/// log₂ x to about 15 digits.
///
/// # Panics
/// When `x` is not a positive normal number.
#[must_use]
pub fn log2(x: f64) -> f64 {
    assert!(x.is_normal() && x > 0.0, "logarithms are taken of positive numbers");
    let bits = x.to_bits();
    let exponent = (bits >> MANTISSA_BITS) as i64 - BIAS;
    let mantissa = f64::from_bits(bits & ((1 << MANTISSA_BITS) - 1) | 1.0f64.to_bits());
    let (mantissa, exponent) =
        if mantissa > SQRT_2 { (mantissa / 2.0, exponent + 1) } else { (mantissa, exponent) };
    // ln m = 2 artanh t; |t| is below 0.172, so 12 terms reach the last bit.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let series = (0..12).rev().fold(0.0, |sum, k| sum * t * t + 1.0 / f64::from(2 * k + 1));
    exponent as f64 + 2.0 * t * series / LN_2
}

/// 2^x to about 15 digits, and 0 where that is below the normal numbers.
///
/// # Panics
/// When `x` is 1023 or more.
#[must_use]
pub fn exp2(x: f64) -> f64 {
    assert!(x < BIAS as f64, "powers stay within range");
    let whole = x.floor();
    let scale = BIAS + whole as i64;
    if scale <= 0 {
        return 0.0;
    }
    let y = (x - whole) * LN_2;
    let power = (1..20).rev().fold(1.0, |sum, k| 1.0 + y / f64::from(k) * sum);
    power * f64::from_bits((scale as u64) << MANTISSA_BITS)
}

/// ln x to about 15 digits.
///
/// # Panics
/// As [`log2`].
#[must_use]
pub fn ln(x: f64) -> f64 {
    log2(x) * LN_2
}

/// e^x to about 15 digits beside those that x has before its point, and 0 where that is below the normal numbers.
///
/// # Panics
/// When `x` is 709 or more.
#[must_use]
pub fn exp(x: f64) -> f64 {
    exp2(x * LOG2_E)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_agree_with_the_system() {
        for step in 1..4000 {
            let x = f64::from(step) * 0.371;
            for x in [x, 1.0 / x, x * x * x] {
                assert!((log2(x) - x.log2()).abs() < 1e-13 * x.log2().abs().max(1.0), "{x}");
            }
            let x = f64::from(step) * 0.25 - 500.0;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 1e-13, "{x}");
            assert!((ln(x.abs() + 0.5) - (x.abs() + 0.5).ln()).abs() < 1e-12, "{x}");
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "{x}");
        }
        assert_eq!([log2(1.0), log2(8.0), exp2(0.0), exp2(-3.0)], [0.0, 3.0, 1.0, 0.125]);
        assert_eq!(exp2(-2000.0), 0.0);
    }
}
