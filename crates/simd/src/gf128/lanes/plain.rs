//! One element as a plain number.

use super::{REDUCED_4, REDUCED_8, REDUCED_64, REDUCED_128};

/// 1 in each four bits.
const NIBBLES: u128 = u128::MAX / 15;

/// 1 in each byte.
const BYTES: u128 = u128::MAX / 255;

#[derive(Clone, Copy)]
pub(super) struct Register(u128);

impl Register {
    pub(super) const ZERO: Self = Self(0);

    #[inline(always)]
    pub(super) fn new(element: u128) -> Self {
        Self(element)
    }

    #[inline(always)]
    pub(super) fn element(self) -> u128 {
        self.0
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    pub(super) fn times_x(self) -> Self {
        let carry = 0_u128.wrapping_sub(self.0 >> 127) & u128::from(REDUCED_128);
        Self((self.0 << 1) ^ carry)
    }

    #[inline(always)]
    pub(super) fn times_x_both(self) -> Self {
        let twice =
            |half: u64| (half << 1) ^ (0_u64.wrapping_sub(half >> 63) & u64::from(REDUCED_64));
        let (low, high) = (twice(self.0 as u64), twice((self.0 >> 64) as u64));
        Self(u128::from(high) << 64 | u128::from(low))
    }

    #[inline(always)]
    pub(super) fn times_x_bytes(self) -> Self {
        let carries = self.0 >> 7 & BYTES;
        Self((self.0 & (127 * BYTES)) << 1 ^ (carries * u128::from(REDUCED_8)))
    }

    #[inline(always)]
    pub(super) fn times_x_nibbles(self) -> Self {
        let carries = self.0 >> 3 & NIBBLES;
        Self((self.0 & (7 * NIBBLES)) << 1 ^ (carries * u128::from(REDUCED_4)))
    }
}
