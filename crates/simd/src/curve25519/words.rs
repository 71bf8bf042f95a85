//! What a processor must offer to work on 64-bit words and on doubles, several at once.

use super::field::MOST_LANES;
use super::scalar::Scalar;

/// Vectors of 64-bit integers and of as many doubles; a value of the type says that the processor has the
/// instructions. Sums, differences and shifts to the left wrap. No operation's time depends on the data.
pub(super) trait Words: Copy {
    /// Integers at once, at most [`MOST_LANES`].
    const LANES: usize;
    type Int: Copy;
    type Float: Copy;
    /// For each lane, yes or no.
    type Mask: Copy;

    fn ints(self, value: i64) -> Self::Int;
    fn floats(self, value: f64) -> Self::Float;
    /// The first lanes of the array.
    fn load(self, lanes: &[u64; MOST_LANES]) -> Self::Int;
    /// The lanes, and 0 after them.
    fn store(self, lanes: Self::Int) -> [u64; MOST_LANES];
    fn bits(self, a: Self::Float) -> Self::Int;
    fn number(self, a: Self::Int) -> Self::Float;
    /// The numbers themselves, below 2^51 in size.
    fn convert(self, a: Self::Int) -> Self::Float;

    fn add(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn subtract(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The product of the low halves, which have signs.
    fn multiply(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn and(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn xor(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn left<const BITS: u32>(self, a: Self::Int) -> Self::Int;
    /// a >> `BITS`, unsigned.
    fn right<const BITS: u32>(self, a: Self::Int) -> Self::Int;
    /// a >> `BITS`, signed.
    fn right_signed<const BITS: u32>(self, a: Self::Int) -> Self::Int;

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
}

/// Words that all lanes choose from, in rows of as many as the most lanes.
pub(super) type Table = [[u64; MOST_LANES]; PICKS / MOST_LANES];

/// The words of a [`Table`].
pub(super) const PICKS: usize = 32;

/// One word and one double. Selections are arithmetic on masks; compilers make of it conditional moves at most, as far
/// as their output was looked at: x86-64 and arm64.
impl Words for Scalar {
    const LANES: usize = 1;
    type Int = i64;
    type Float = f64;
    /// All bits, or none.
    type Mask = i64;

    #[inline(always)]
    fn ints(self, value: i64) -> i64 {
        value
    }

    #[inline(always)]
    fn floats(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn load(self, lanes: &[u64; MOST_LANES]) -> i64 {
        lanes[0].cast_signed()
    }

    #[inline(always)]
    fn store(self, lane: i64) -> [u64; MOST_LANES] {
        let mut lanes = [0; MOST_LANES];
        lanes[0] = lane.cast_unsigned();
        lanes
    }

    #[inline(always)]
    fn add(self, a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn subtract(self, a: i64, b: i64) -> i64 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn multiply(self, a: i64, b: i64) -> i64 {
        i64::from(a as i32) * i64::from(b as i32)
    }

    #[inline(always)]
    fn and(self, a: i64, b: i64) -> i64 {
        a & b
    }

    #[inline(always)]
    fn xor(self, a: i64, b: i64) -> i64 {
        a ^ b
    }

    #[inline(always)]
    fn left<const BITS: u32>(self, a: i64) -> i64 {
        a << BITS
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: i64) -> i64 {
        (a.cast_unsigned() >> BITS).cast_signed()
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: i64) -> i64 {
        a >> BITS
    }

    #[inline(always)]
    fn odd(self, a: i64) -> i64 {
        -(a & 1)
    }

    #[inline(always)]
    fn negative(self, a: i64) -> i64 {
        a >> 63
    }

    #[inline(always)]
    fn select(self, mask: i64, yes: i64, no: i64) -> i64 {
        no ^ (mask & (yes ^ no))
    }

    #[inline(always)]
    fn pick(self, table: &Table, index: i64) -> i64 {
        let mut picked = 0;
        for (place, word) in (0i64..).zip(table.as_flattened()) {
            // Less than 0 where the two are the same.
            picked |= word.cast_signed() & self.negative((place ^ index) - 1);
        }
        picked
    }

    #[inline(always)]
    fn subtract_if(self, mask: i64, a: i64, b: i64) -> i64 {
        a.wrapping_sub(b & mask)
    }

    #[inline(always)]
    fn negate_if(self, mask: i64, a: i64) -> i64 {
        (a ^ mask).wrapping_sub(mask)
    }

    #[inline(always)]
    fn xor_and_if(self, mask: i64, a: i64, b: i64, c: i64) -> i64 {
        a ^ (b & c & mask)
    }

    #[inline(always)]
    fn convert(self, a: i64) -> f64 {
        a as f64
    }

    #[inline(always)]
    fn bits(self, a: f64) -> i64 {
        a.to_bits().cast_signed()
    }

    #[inline(always)]
    fn number(self, a: i64) -> f64 {
        f64::from_bits(a.cast_unsigned())
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
