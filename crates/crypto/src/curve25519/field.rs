//! The field of 2^255 − 19 elements in constant time, over formally verified arithmetic.

use fiat::{fiat_25519_loose_field_element as Loose, fiat_25519_tight_field_element as Tight};
use fiat_crypto::curve25519_64 as fiat;
use subtle::{Choice, ConditionallySelectable};
use zeroize::Zeroize;

use crate::lanes::{Field, append, products, squares};

/// A field element: five limbs of 51 bits.
#[derive(Clone, Copy)]
pub(crate) struct Fe(Tight);

impl Fe {
    pub(crate) const ZERO: Self = Self::small(0);
    /// 2^248, in the fifth limb.
    const TWO_248: Self = Self(Tight([0, 0, 0, 0, 1 << 44]));

    /// A number below 2^51.
    pub(crate) const fn small(value: u64) -> Self {
        assert!(value >> 51 == 0);
        Self(Tight([value, 0, 0, 0, 0]))
    }

    /// A big-endian number of 48 bytes, reduced.
    pub(crate) fn from_wide(wide: &[u8; 48]) -> Self {
        let part = |bytes: &[u8]| {
            let mut low = [0; 32];
            low[..bytes.len()].copy_from_slice(bytes);
            low[..bytes.len()].reverse();
            let part = Self::from_bytes(&low);
            low.zeroize();
            part
        };
        let (high, low) = wide.split_at(17);
        part(high).mul(Self::TWO_248).add(part(low))
    }

    /// A little-endian number below 2^255.
    fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_from_bytes(&mut out, bytes);
        Self(out)
    }

    /// The number below 2^255 − 19, little-endian.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut out = [0; 32];
        fiat::fiat_25519_to_bytes(&mut out, &self.0);
        out
    }

    #[inline]
    pub(crate) fn add(self, other: Self) -> Self {
        let mut out = Loose([0; 5]);
        fiat::fiat_25519_add(&mut out, &self.0, &other.0);
        Self::carry(&out)
    }

    #[inline]
    pub(crate) fn sub(self, other: Self) -> Self {
        let mut out = Loose([0; 5]);
        fiat::fiat_25519_sub(&mut out, &self.0, &other.0);
        Self::carry(&out)
    }

    #[inline]
    fn relaxed(self) -> Loose {
        let mut out = Loose([0; 5]);
        fiat::fiat_25519_relax(&mut out, &self.0);
        out
    }

    #[inline]
    fn carry(loose: &Loose) -> Self {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_carry(&mut out, loose);
        Self(out)
    }
}

impl Field for Fe {
    const ONE: Self = Self::small(1);

    #[inline]
    fn mul(self, other: Self) -> Self {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_carry_mul(&mut out, &self.relaxed(), &other.relaxed());
        Self(out)
    }

    #[inline]
    fn square(self) -> Self {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_carry_square(&mut out, &self.relaxed());
        Self(out)
    }

    /// self^(p − 2).
    fn invert(self) -> Self {
        // p − 2 = (2^250 − 1)·2^5 + 11.
        let [head] = squares(power_2_250_1([self]), 5);
        let eleven = self.square().square().mul(self).square().mul(self);
        head.mul(eleven)
    }
}

/// Which of `values`, none of them 0, are squares, by Euler's criterion: x^((p − 1)/2) is 1 for a square and −1 for
/// any other.
pub(crate) fn are_squares<const N: usize>(values: [Fe; N]) -> [Choice; N] {
    // (p − 1)/2 = (2^250 − 1)·2^4 + 6.
    let head = squares(power_2_250_1(values), 4);
    let six = values.map(|x| x.square().mul(x).square());
    // 1 is odd, and p − 1 even.
    products(head, six).map(|sign| Choice::from(sign.to_bytes()[0] & 1))
}

/// Each to the power of 2^250 − 1.
fn power_2_250_1<const N: usize>(x: [Fe; N]) -> [Fe; N] {
    let ones_2 = append(x, 1, x);
    let ones_4 = append(ones_2, 2, ones_2);
    let ones_5 = append(ones_4, 1, x);
    let ones_10 = append(ones_5, 5, ones_5);
    let ones_20 = append(ones_10, 10, ones_10);
    let ones_40 = append(ones_20, 20, ones_20);
    let ones_50 = append(ones_40, 10, ones_10);
    let ones_100 = append(ones_50, 50, ones_50);
    let ones_200 = append(ones_100, 100, ones_100);
    append(ones_200, 50, ones_50)
}

impl ConditionallySelectable for Fe {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        let mut out = [0; 5];
        fiat::fiat_25519_selectznz(&mut out, choice.unwrap_u8(), &a.0.0, &b.0.0);
        Self(Tight(out))
    }
}

impl Zeroize for Fe {
    fn zeroize(&mut self) {
        self.0.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::invert_all;

    /// p − 1, little-endian.
    const MINUS_ONE: [u8; 32] = {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xec, 0x7f);
        bytes
    };

    #[test]
    fn bytes_are_reduced() {
        let zero = Fe::ZERO.sub(Fe::ONE).add(Fe::ONE);
        assert_eq!(zero.to_bytes(), [0; 32]);
        assert_eq!(Fe::ZERO.sub(Fe::ONE).to_bytes(), MINUS_ONE);
        let mut p = MINUS_ONE;
        p[0] += 1;
        assert_eq!(Fe::from_bytes(&p).to_bytes(), [0; 32]);
    }

    #[test]
    fn wide_numbers_reduce_by_schoolbook() {
        // 2^255 = 19, so 2^384 − 1 = 19·2^129 − 1 = 0x25 ff…ff with 16 bytes of ones.
        let mut want = [0; 32];
        want[..16].fill(0xff);
        want[16] = 0x25;
        assert_eq!(Fe::from_wide(&[0xff; 48]).to_bytes(), want);
        let mut one = [0; 48];
        one[47] = 1;
        assert_eq!(Fe::from_wide(&one).to_bytes(), Fe::ONE.to_bytes());
    }

    #[test]
    fn inverses_multiply_to_one() {
        let mut values: Vec<Fe> = (1..70).map(|n| Fe::small(n * 12_345)).collect();
        let inverses: Vec<[u8; 32]> = values.iter().map(|x| x.invert().to_bytes()).collect();
        for (value, inverse) in values.iter().zip(&inverses) {
            assert_eq!(value.mul(Fe::from_bytes(inverse)).to_bytes(), Fe::ONE.to_bytes());
        }
        invert_all(&mut values, &mut [Fe::ZERO; 69]);
        assert_eq!(values.iter().map(|x| x.to_bytes()).collect::<Vec<_>>(), inverses);
    }

    #[test]
    fn squares_are_told_from_the_others() {
        // 2 is no square modulo p = 5 (mod 8), −1 is one.
        let two = Fe::small(2);
        for n in 1..50 {
            let square = Fe::small(n * 7919).square();
            let got = are_squares([square, square.mul(two), Fe::ZERO.sub(square)]);
            assert_eq!(got.map(bool::from), [true, false, true]);
        }
    }
}
