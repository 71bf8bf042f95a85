//! Two doubles with the 128-bit vectors of WebAssembly, which have no fused multiply-add.

use std::arch::wasm32::*;

use super::field::Subroutine;
use super::floats::{Floats, Rounding};
use super::words::{Table, Words};
use crate::vector::{V2, Vector};

impl Words for V2 {
    type Float = v128;
    /// All bits of a lane, or none.
    type Mask = v128;

    #[inline(always)]
    fn floats(self, value: f64) -> v128 {
        f64x2_splat(value)
    }

    #[inline(always)]
    fn multiply(self, a: v128, b: v128) -> v128 {
        i64x2_extmul_low_i32x4(i32x4_shuffle::<0, 2, 0, 2>(a, a), i32x4_shuffle::<0, 2, 0, 2>(b, b))
    }

    #[inline(always)]
    fn odd(self, a: v128) -> v128 {
        i64x2_neg(v128_and(a, self.ints(1)))
    }

    #[inline(always)]
    fn negative(self, a: v128) -> v128 {
        i64x2_lt(a, self.ints(0))
    }

    #[inline(always)]
    fn select(self, mask: v128, yes: v128, no: v128) -> v128 {
        v128_bitselect(yes, no, mask)
    }

    #[inline(always)]
    fn pick(self, table: &Table, index: v128) -> v128 {
        let mut picked = self.ints(0);
        for (place, word) in (0..).zip(table.as_flattened()) {
            let here = i64x2_eq(index, self.ints(place));
            picked = v128_or(picked, v128_and(self.splat(*word), here));
        }
        picked
    }

    #[inline(always)]
    fn subtract_if(self, mask: v128, a: v128, b: v128) -> v128 {
        self.subtract(a, v128_and(b, mask))
    }

    #[inline(always)]
    fn negate_if(self, mask: v128, a: v128) -> v128 {
        self.subtract(v128_xor(a, mask), mask)
    }

    #[inline(always)]
    fn xor_and_if(self, mask: v128, a: v128, b: v128, c: v128) -> v128 {
        v128_xor(a, v128_and(v128_and(b, c), mask))
    }

    #[inline(always)]
    fn convert(self, a: v128) -> v128 {
        const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
        let shifted = self.add(a, self.ints(SHIFT.to_bits().cast_signed()));
        f64x2_sub(shifted, self.floats(SHIFT))
    }

    #[inline(always)]
    fn bits(self, a: v128) -> v128 {
        a
    }

    #[inline(always)]
    fn number(self, a: v128) -> v128 {
        a
    }

    #[inline(always)]
    fn multiply_add(self, a: v128, b: v128, c: v128) -> v128 {
        f64x2_add(f64x2_mul(a, b), c)
    }

    #[inline(always)]
    fn maximum(self, a: v128, b: v128) -> v128 {
        f64x2_pmax(a, b)
    }
}

impl Rounding for V2 {
    #[inline(always)]
    fn float_multiply(self, a: v128, b: v128) -> v128 {
        f64x2_mul(a, b)
    }

    #[inline(always)]
    fn float_add(self, a: v128, b: v128) -> v128 {
        f64x2_add(a, b)
    }

    #[inline(always)]
    fn float_subtract(self, a: v128, b: v128) -> v128 {
        f64x2_sub(a, b)
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> v128 {
        let lane = |lane: u8| -i64::from(lanes >> lane & 1);
        i64x2(lane(0), lane(1))
    }

    #[inline(never)]
    fn apart<P: Subroutine<Floats<Self>>>(self, subroutine: P) -> P::Output {
        subroutine.run(Floats::new(self))
    }
}
