//! Vectors of 64-bit words, each width once: the operations that kernels share. What one kernel alone needs is beside it.
//!
//! A vector is what the processor has for it, and a value of [`V4`] or [`V8`] says that the processor has the instructions, so
//! that its methods are safe. They are inlined into the function that enables the instructions, which every kernel has.

mod v1;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod v2;
#[cfg(target_arch = "x86_64")]
mod v4;
#[cfg(target_arch = "x86_64")]
mod v8;

pub(crate) use v1::V1;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use v2::V2;
#[cfg(target_arch = "x86_64")]
pub(crate) use v4::V4;
#[cfg(target_arch = "x86_64")]
pub(crate) use v8::{V8, V8Ifma};

/// The most lanes of any width.
pub(crate) const MOST_LANES: usize = 8;

/// Words side by side. Sums, differences and shifts to the left wrap, and no operation's time depends on the data.
pub(crate) trait Vector: Copy {
    /// Words at once, at most [`MOST_LANES`].
    const LANES: usize;
    type Int: Copy;

    /// The same word in all lanes.
    fn splat(self, word: u64) -> Self::Int;
    /// The first words of a slice that has at least as many as lanes.
    fn load(self, words: &[u64]) -> Self::Int;
    /// Puts the lanes first into a slice of at least as many words.
    fn store(self, words: &mut [u64], lanes: Self::Int);

    fn add(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn subtract(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn and(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn xor(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn left<const BITS: u32>(self, a: Self::Int) -> Self::Int;
    /// a >> `BITS`, unsigned.
    fn right<const BITS: u32>(self, a: Self::Int) -> Self::Int;
    /// a >> `BITS`, signed.
    fn right_signed<const BITS: u32>(self, a: Self::Int) -> Self::Int;

    /// The lanes, and 0 after them.
    #[inline(always)]
    fn array(self, lanes: Self::Int) -> [u64; MOST_LANES] {
        let mut words = [0; MOST_LANES];
        self.store(&mut words, lanes);
        words
    }
}

/// Vectors of which 52 bits are multiplied.
pub(crate) trait Halves: Vector {
    /// `sum` and the low 52 bits of the product of the low 52 bits of both.
    fn low(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `sum` and the bits of that product above the low 52.
    fn high(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
}

/// 52 bits.
pub(crate) const MASK_52: u64 = (1 << 52) - 1;
