//! The field of p = 2^256 − 2^224 + 2^192 + 2^96 − 1 elements in constant time, over formally verified arithmetic.

use fiat::fiat_p256_montgomery_domain_field_element as Montgomery;
use fiat::fiat_p256_non_montgomery_domain_field_element as Plain;
use fiat_crypto::p256_64 as fiat;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

use crate::lanes::{Field, append, squares};

/// A field element: four limbs of 64 bits in Montgomery form, reduced.
#[derive(Clone, Copy)]
pub(crate) struct Fe(Montgomery);

impl Fe {
    pub(crate) const ZERO: Self = Self::new([0; 4]);
    /// 2^192.
    const TWO_192: Self = Self::new([0, 0, 0, 1]);
    /// p, big-endian.
    const MODULUS: [u8; 32] = {
        let mut bytes = [0; 32];
        let mut index = 0;
        while index < 32 {
            if matches!(index, 0..4 | 7 | 20..32) {
                bytes[index] = if index == 7 { 1 } else { 0xff };
            }
            index += 1;
        }
        bytes
    };

    /// The number below p with these limbs, least first.
    pub(crate) const fn new(limbs: [u64; 4]) -> Self {
        let mut out = Montgomery([0; 4]);
        fiat::fiat_p256_to_montgomery(&mut out, &Plain(limbs));
        Self(out)
    }

    /// A big-endian number; `None` unless it is below p. The number is public.
    pub(crate) fn from_canonical(bytes: &[u8; 32]) -> Option<Self> {
        (*bytes < Self::MODULUS).then(|| Self::from_reduced(bytes))
    }

    /// A big-endian number, reduced.
    pub(crate) fn from_wide<const N: usize>(wide: &[u8; N]) -> Self {
        let part = |bytes: &[u8]| {
            let mut low = [0; 32];
            low[32 - bytes.len()..].copy_from_slice(bytes);
            let part = Self::from_reduced(&low);
            low.zeroize();
            part
        };
        wide.rchunks(24)
            .rev()
            .fold(Self::ZERO, |sum, bytes| sum.mul(Self::TWO_192).add(part(bytes)))
    }

    /// A big-endian number below p.
    fn from_reduced(bytes: &[u8; 32]) -> Self {
        let mut little_endian = *bytes;
        little_endian.reverse();
        let mut limbs = [0; 4];
        fiat::fiat_p256_from_bytes(&mut limbs, &little_endian);
        little_endian.zeroize();
        Self::new(limbs)
    }

    /// The number below p, big-endian.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        fiat::fiat_p256_to_bytes(&mut bytes, &self.plain().0);
        bytes.reverse();
        bytes
    }

    #[inline]
    pub(crate) fn add(self, other: Self) -> Self {
        let mut out = Montgomery([0; 4]);
        fiat::fiat_p256_add(&mut out, &self.0, &other.0);
        Self(out)
    }

    #[inline]
    pub(crate) fn sub(self, other: Self) -> Self {
        let mut out = Montgomery([0; 4]);
        fiat::fiat_p256_sub(&mut out, &self.0, &other.0);
        Self(out)
    }

    pub(crate) fn negate(self) -> Self {
        Self::ZERO.sub(self)
    }

    /// `sgn0` of RFC 9380: whether the number is odd.
    pub(crate) fn is_odd(self) -> Choice {
        Choice::from((self.plain().0[0] & 1) as u8)
    }

    fn plain(self) -> Plain {
        let mut out = Plain([0; 4]);
        fiat::fiat_p256_from_montgomery(&mut out, &self.0);
        out
    }
}

impl Field for Fe {
    const ONE: Self = Self::new([1, 0, 0, 0]);

    #[inline]
    fn mul(self, other: Self) -> Self {
        let mut out = Montgomery([0; 4]);
        fiat::fiat_p256_mul(&mut out, &self.0, &other.0);
        Self(out)
    }

    #[inline]
    fn square(self) -> Self {
        let mut out = Montgomery([0; 4]);
        fiat::fiat_p256_square(&mut out, &self.0);
        Self(out)
    }

    /// self^(p − 2).
    fn invert(self) -> Self {
        // p − 2 in binary: 32 ones, 31 zeros, a one, 96 zeros, 94 ones, a zero, a one.
        let x = [self];
        let (ones_30, ones_32) = powers_of_ones(x);
        let head = append(squares(append(ones_32, 32, x), 96), 32, ones_32);
        let [inverse] = append(append(append(head, 32, ones_32), 30, ones_30), 2, x);
        inverse
    }
}

/// Each to the power (p + 1)/4: a square root of each square x, and of −x for each other x, since p = 3 mod 4.
pub(crate) fn root_candidates<const N: usize>(x: [Fe; N]) -> [Fe; N] {
    // (p + 1)/4 in binary: 32 ones, 31 zeros, a one, 95 zeros, a one, 94 zeros.
    let (_, ones_32) = powers_of_ones(x);
    squares(append(append(ones_32, 32, x), 96, x), 94)
}

/// Each to the powers 2^30 − 1 and 2^32 − 1.
fn powers_of_ones<const N: usize>(x: [Fe; N]) -> ([Fe; N], [Fe; N]) {
    let ones_2 = append(x, 1, x);
    let ones_4 = append(ones_2, 2, ones_2);
    let ones_8 = append(ones_4, 4, ones_4);
    let ones_16 = append(ones_8, 8, ones_8);
    let ones_24 = append(ones_16, 8, ones_8);
    let ones_28 = append(ones_24, 4, ones_4);
    let ones_30 = append(ones_28, 2, ones_2);
    (ones_30, append(ones_30, 2, ones_2))
}

impl ConstantTimeEq for Fe {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.0.ct_eq(&other.0.0)
    }
}

impl ConditionallySelectable for Fe {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        let mut out = [0; 4];
        fiat::fiat_p256_selectznz(&mut out, choice.unwrap_u8(), &a.0.0, &b.0.0);
        Self(Montgomery(out))
    }
}

impl Zeroize for Fe {
    fn zeroize(&mut self) {
        self.0.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use p256::elliptic_curve::PrimeField;
    use p256::elliptic_curve::array::Array;
    use p256::elliptic_curve::ops::Reduce;
    use p256::hash2curve::MapToCurve;
    use p256::{FieldBytes, NistP256};

    use super::*;
    use crate::lanes::invert_all;

    /// The other library's field element.
    type Oracle = <NistP256 as MapToCurve>::FieldElement;

    fn samples() -> Vec<[u8; 32]> {
        let mut samples: Vec<[u8; 32]> =
            (0..50u32).map(|index| *blake3::hash(&index.to_le_bytes()).as_bytes()).collect();
        let mut below = Fe::MODULUS;
        below[31] -= 1;
        samples.extend([[0; 32], below, std::array::from_fn(|index| u8::from(index == 31))]);
        samples.retain(|bytes| *bytes < Fe::MODULUS);
        samples
    }

    fn ours(bytes: &[u8; 32]) -> Fe {
        Fe::from_canonical(bytes).expect("below p")
    }

    fn oracle(bytes: &[u8; 32]) -> Oracle {
        Oracle::from_repr(FieldBytes::from(*bytes)).expect("below p")
    }

    fn same(ours: Fe, theirs: Oracle) -> bool {
        ours.to_bytes() == <[u8; 32]>::from(theirs.to_repr())
    }

    #[test]
    fn arithmetic_agrees_with_another_library() {
        let samples = samples();
        for (a, b) in samples.iter().zip(samples.iter().rev()) {
            let ((x, y), (p, q)) = ((ours(a), ours(b)), (oracle(a), oracle(b)));
            assert!(same(x.add(y), p + q) && same(x.sub(y), p - q) && same(x.mul(y), p * q));
            assert!(same(x.square(), p.square()) && same(x.negate(), -p));
            assert_eq!(bool::from(x.is_odd()), bool::from(p.is_odd()));
            assert!(same(x.invert(), p.invert().unwrap_or(Oracle::ZERO)));
        }
    }

    #[test]
    fn roots_agree_with_another_library() {
        for (index, bytes) in samples().iter().enumerate() {
            let (x, p) = (ours(bytes), oracle(bytes));
            let [root, _] = root_candidates([x, Fe::ONE]);
            let is_square = bool::from(root.square().ct_eq(&x));
            assert_eq!(is_square, bool::from(p.sqrt().is_some()), "sample {index}");
            assert!(is_square || bool::from(root.square().ct_eq(&x.negate())));
        }
    }

    #[test]
    fn numbers_from_p_on_are_refused() {
        let mut p = Fe::MODULUS;
        assert!(Fe::from_canonical(&p).is_none());
        assert!(Fe::from_canonical(&[0xff; 32]).is_none());
        p[31] -= 1;
        assert!(same(ours(&p), -Oracle::ONE));
    }

    #[test]
    fn wide_numbers_reduce() {
        for index in 0..50u8 {
            let mut wide = [0xff; 48];
            blake3::Hasher::new()
                .update(&[index])
                .finalize_xof()
                .fill(&mut wide[index as usize / 2..]);
            assert!(same(Fe::from_wide(&wide), Oracle::reduce(&Array::from(wide))));
            // 2^128 times as much and some more.
            let longer: [u8; 64] = std::array::from_fn(|at| *wide.get(at).unwrap_or(&index));
            let shift = Oracle::reduce(&Array::from(std::array::from_fn(|at| (at == 31) as u8)));
            let low =
                Oracle::reduce(&Array::from(std::array::from_fn(
                    |at| {
                        if at >= 32 { index } else { 0 }
                    },
                )));
            assert!(same(Fe::from_wide(&longer), Oracle::reduce(&Array::from(wide)) * shift + low));
        }
    }

    #[test]
    fn inverses_together_are_inverses_alone() {
        let mut values: Vec<Fe> = samples().iter().map(ours).collect();
        values.retain(|value| !bool::from(value.ct_eq(&Fe::ZERO)));
        let alone: Vec<[u8; 32]> = values.iter().map(|x| x.invert().to_bytes()).collect();
        let mut scratch = values.clone();
        invert_all(&mut values, &mut scratch);
        assert_eq!(values.iter().map(|x| x.to_bytes()).collect::<Vec<_>>(), alone);
    }
}
