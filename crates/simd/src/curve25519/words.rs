//! What a processor must offer to work on 64-bit words and on doubles, several at once.

use crate::vector::{MOST_LANES, V1, Vector};

/// Vectors of 64-bit integers, and of as many doubles.
pub(super) trait Words: Vector {
    type Float: Copy;
    /// For each lane, yes or no.
    type Mask: Copy;

    fn floats(self, value: f64) -> Self::Float;
    fn bits(self, a: Self::Float) -> Self::Int;
    fn number(self, a: Self::Int) -> Self::Float;
    /// The numbers themselves, below 2^51 in size.
    fn convert(self, a: Self::Int) -> Self::Float;

    /// The product of the low halves, which have signs.
    fn multiply(self, a: Self::Int, b: Self::Int) -> Self::Int;

    fn odd(self, a: Self::Int) -> Self::Mask;
    fn negative(self, a: Self::Int) -> Self::Mask;
    /// In each lane `yes` or `no`.
    fn select(self, mask: Self::Mask, yes: Self::Int, no: Self::Int) -> Self::Int;
    /// In each lane the word of the table that its index names.
    fn pick(self, table: &Table, index: Self::Int) -> Self::Int;
    /// a − b where the mask says yes, a elsewhere.
    fn subtract_if(self, mask: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int;
    /// −a where the mask says yes, a elsewhere.
    fn negate_if(self, mask: Self::Mask, a: Self::Int) -> Self::Int;
    /// a ^ (b & c) where the mask says yes, a elsewhere.
    fn xor_and_if(self, mask: Self::Mask, a: Self::Int, b: Self::Int, c: Self::Int) -> Self::Int;

    /// a·b + c, rounded once to nearest, or twice.
    fn multiply_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    fn maximum(self, a: Self::Float, b: Self::Float) -> Self::Float;

    /// The same number in all lanes.
    #[inline(always)]
    fn ints(self, value: i64) -> Self::Int {
        self.splat(value.cast_unsigned())
    }
}

/// Words that all lanes choose from, in rows of as many as the most lanes.
pub(super) type Table = [[u64; MOST_LANES]; PICKS / MOST_LANES];

/// The words of a [`Table`].
pub(super) const PICKS: usize = 32;

/// One word and one double. Selections are arithmetic on masks; compilers make of it conditional moves at most, as far
/// as their output was looked at: x86-64 and arm64.
impl Words for V1 {
    type Float = f64;
    /// All bits, or none.
    type Mask = u64;

    #[inline(always)]
    fn floats(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn multiply(self, a: u64, b: u64) -> u64 {
        (i64::from(a as i32) * i64::from(b as i32)).cast_unsigned()
    }

    #[inline(always)]
    fn odd(self, a: u64) -> u64 {
        (a & 1).wrapping_neg()
    }

    #[inline(always)]
    fn negative(self, a: u64) -> u64 {
        self.right_signed::<63>(a)
    }

    #[inline(always)]
    fn select(self, mask: u64, yes: u64, no: u64) -> u64 {
        no ^ (mask & (yes ^ no))
    }

    #[inline(always)]
    fn pick(self, table: &Table, index: u64) -> u64 {
        let mut picked = 0;
        for (place, word) in (0u64..).zip(table.as_flattened()) {
            // Less than 0 where the two are the same.
            picked |= word & self.negative((place ^ index).wrapping_sub(1));
        }
        picked
    }

    #[inline(always)]
    fn subtract_if(self, mask: u64, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b & mask)
    }

    #[inline(always)]
    fn negate_if(self, mask: u64, a: u64) -> u64 {
        (a ^ mask).wrapping_sub(mask)
    }

    #[inline(always)]
    fn xor_and_if(self, mask: u64, a: u64, b: u64, c: u64) -> u64 {
        a ^ (b & c & mask)
    }

    #[inline(always)]
    fn convert(self, a: u64) -> f64 {
        a.cast_signed() as f64
    }

    #[inline(always)]
    fn bits(self, a: f64) -> u64 {
        a.to_bits()
    }

    #[inline(always)]
    fn number(self, a: u64) -> f64 {
        f64::from_bits(a)
    }

    #[inline(always)]
    fn multiply_add(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    #[inline(always)]
    fn maximum(self, a: f64, b: f64) -> f64 {
        if a > b { a } else { b }
    }
}
