use proptest::prelude::*;

use super::*;

/// Multiplication as on paper: one step of shifting and reducing for each coefficient.
fn by_hand(a: u64, b: u64) -> u64 {
    (0..64).rev().fold(0, |product: u64, bit| {
        let carry = product >> 63;
        let doubled = (product << 1) ^ (carry * 0x1b);
        doubled ^ (a * ((b >> bit) & 1))
    })
}

fn power(a: u64, exponent: u64) -> u64 {
    (0..64).rev().fold(1, |power, bit| {
        let square = gf64_multiply(power, power);
        if exponent >> bit & 1 == 1 { gf64_multiply(square, a) } else { square }
    })
}

#[test]
fn x_generates_a_field() {
    // x^(2^64) = x, and x^(2^32) − x has no factor in common with the modulus: it is invertible.
    let frobenius = |times: u32| (0..times).fold(2, |x, _| gf64_multiply(x, x));
    assert_eq!(frobenius(64), 2);
    let difference = frobenius(32) ^ 2;
    assert_eq!(gf64_multiply(difference, power(difference, u64::MAX - 1)), 1);
}

proptest! {
    #[test]
    fn every_kernel_multiplies_as_by_hand(a: u64, b: u64, c: u64) {
        let pair = u128::from(b) | u128::from(c) << 64;
        let want = u128::from(by_hand(a, b)) | u128::from(by_hand(a, c)) << 64;
        for kernel in Kernel::available() {
            prop_assert_eq!(multiply_both_with(kernel, a, pair), want, "{:?}", kernel);
        }
        prop_assert_eq!(gf64_multiply(a, b), by_hand(a, b));
    }

    #[test]
    fn edges_too(a in prop::sample::select(vec![0, 1, 1 << 63, u64::MAX]), b: u64) {
        for kernel in Kernel::available() {
            for (left, right) in [(a, b), (b, a), (a, a), (a, u64::MAX)] {
                let got = multiply_both_with(kernel, left, u128::from(right) << 64);
                prop_assert_eq!(got >> 64, u128::from(by_hand(left, right)), "{:?}", kernel);
            }
        }
    }
}
