//! One element as a plain number.

use super::REDUCED;

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
        let carry = 0_u128.wrapping_sub(self.0 >> 127) & u128::from(REDUCED);
        Self((self.0 << 1) ^ carry)
    }
}
