use proptest::prelude::*;

use super::*;

/// Multiplication as on paper: one step of shifting and reducing for each coefficient.
fn by_hand(a: u128, b: u128) -> u128 {
    (0..128).rev().fold(0, |product: u128, bit| {
        let carry = product >> 127;
        let doubled = (product << 1) ^ (carry * 0x87);
        doubled ^ (a * ((b >> bit) & 1))
    })
}

/// a^(2^128 - 2): the product of a^(2^i) for i = 1 to 127.
fn inverse(a: u128) -> u128 {
    let mut power = a;
    (1..128).fold(1, |product, _| {
        power = gf128_multiply(power, power);
        gf128_multiply(product, power)
    })
}

#[test]
fn x_to_the_128_is_what_the_modulus_says() {
    assert_eq!(gf128_multiply(1 << 127, 2), 0x87);
    assert_eq!(gf128_multiply(1 << 64, 1 << 64), 0x87);
    assert_eq!(gf128_multiply(1 << 127, 1 << 127), by_hand(1 << 127, 1 << 127));
}

proptest! {
    #[test]
    fn every_kernel_multiplies_as_by_hand(a: u128, b: u128) {
        for kernel in Kernel::available() {
            prop_assert_eq!(multiply_with(kernel, a, b), by_hand(a, b), "{:?}", kernel);
        }
    }

    #[test]
    fn what_is_not_zero_has_an_inverse(a in 1u128..) {
        prop_assert_eq!(gf128_multiply(a, inverse(a)), 1);
    }

    #[test]
    fn every_kernel_evaluates_polynomials(
        points: Vec<u128>,
        coefficients in prop::collection::vec(any::<[u128; 2]>(), 0..5),
    ) {
        let want: Vec<[u128; 2]> = points
            .iter()
            .map(|point| {
                let (mut power, mut sum) = (1, [7, 8]);
                for c in &coefficients {
                    power = by_hand(power, *point);
                    sum = [0, 1].map(|entry| sum[entry] ^ by_hand(c[entry], power));
                }
                sum
            })
            .collect();
        for kernel in Kernel::available() {
            let mut got = vec![[7, 8]; points.len()];
            add_polynomial_with(kernel, &mut got, &points, &coefficients);
            prop_assert!(got == want, "{kernel:?}");
        }
    }

    #[test]
    fn every_kernel_sums_columns(seed: u128, count in 0usize..5) {
        let entry = |place: usize| by_hand(seed, (place as u128 + 1).wrapping_mul(seed | 1));
        let tiles: Vec<Tile> =
            (0..count).map(|t| std::array::from_fn(|c| entry(t * TILE + c))).collect();
        let coefficients: Vec<u128> = (0..count).map(|t| entry(1000 + t)).collect();
        let want: Tile = std::array::from_fn(|c| {
            let terms = tiles.iter().zip(&coefficients);
            terms.fold(7, |sum, (tile, coefficient)| sum ^ by_hand(tile[c], *coefficient))
        });
        for kernel in Kernel::available() {
            let mut got = [7; TILE];
            add_columns_with(kernel, &mut got, &tiles, &coefficients);
            prop_assert!(got == want, "{kernel:?}");
        }
    }
}
