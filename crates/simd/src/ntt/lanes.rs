//! What a processor must offer: words of which 52 bits are multiplied, several at once.

/// Vectors of 64-bit words; a value of the type says that the processor has the instructions. Sums and differences wrap,
/// and no operation's time depends on the data.
pub(super) trait Lanes: Copy {
    /// Words at once: 1 or 8.
    const LANES: usize;
    type Word: Copy;
    type Double: Copy;

    /// The same word in all lanes.
    fn splat(self, word: u64) -> Self::Word;
    /// The first words of a slice that has at least as many as lanes.
    fn load(self, words: &[u64]) -> Self::Word;
    /// Puts the lanes first into a slice of at least as many words.
    fn store(self, words: &mut [u64], lanes: Self::Word);

    fn add(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn subtract(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The smaller one, unsigned.
    fn minimum(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn and(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// a >> `BITS`, unsigned.
    fn right<const BITS: u32>(self, a: Self::Word) -> Self::Word;
    /// a >> `BITS`, signed.
    fn right_signed<const BITS: u32>(self, a: Self::Word) -> Self::Word;
    /// `sum` and the low 52 bits of the product of the low 52 bits of both.
    fn low(self, sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `sum` and the bits of that product above the low 52.
    fn high(self, sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;

    /// The words as doubles, rounded.
    fn doubles(self, a: Self::Word) -> Self::Double;
    fn double(self, number: f64) -> Self::Double;
    fn multiply(self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// a·b + c, rounded once or twice.
    fn multiply_add(self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// Without their fractions, of numbers from 0 to 2^63.
    fn words(self, a: Self::Double) -> Self::Word;

    /// Lane i of row j becomes lane j of row i, for eight lanes; a single lane stays as it is.
    fn transpose(self, rows: &mut [Self::Word; 8]);
}

/// 52 bits.
pub(super) const MASK: u64 = (1 << 52) - 1;

/// One word, plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Lanes for Scalar {
    const LANES: usize = 1;
    type Word = u64;
    type Double = f64;

    #[inline(always)]
    fn splat(self, word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn load(self, words: &[u64]) -> u64 {
        words[0]
    }

    #[inline(always)]
    fn store(self, words: &mut [u64], lanes: u64) {
        words[0] = lanes;
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn subtract(self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn minimum(self, a: u64, b: u64) -> u64 {
        a.min(b)
    }

    #[inline(always)]
    fn and(self, a: u64, b: u64) -> u64 {
        a & b
    }

    #[inline(always)]
    fn right<const BITS: u32>(self, a: u64) -> u64 {
        a >> BITS
    }

    #[inline(always)]
    fn right_signed<const BITS: u32>(self, a: u64) -> u64 {
        (a.cast_signed() >> BITS).cast_unsigned()
    }

    #[inline(always)]
    fn low(self, sum: u64, a: u64, b: u64) -> u64 {
        sum.wrapping_add((a & MASK).wrapping_mul(b & MASK) & MASK)
    }

    #[inline(always)]
    fn high(self, sum: u64, a: u64, b: u64) -> u64 {
        sum.wrapping_add(((u128::from(a & MASK) * u128::from(b & MASK)) >> 52) as u64)
    }

    #[inline(always)]
    fn doubles(self, a: u64) -> f64 {
        a as f64
    }

    #[inline(always)]
    fn double(self, number: f64) -> f64 {
        number
    }

    #[inline(always)]
    fn multiply(self, a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn multiply_add(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    #[inline(always)]
    fn words(self, a: f64) -> u64 {
        a as u64
    }

    #[inline(always)]
    fn transpose(self, _: &mut [u64; 8]) {}
}
