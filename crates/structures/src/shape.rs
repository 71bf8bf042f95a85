//! What both sides know of a coded set before a byte of it travels.

/// The longest block in bytes.
pub const MAX_BLOCK: usize = 128 * 1024;

/// Quotients from here on are escaped: this many ones, then the gap itself in full width.
///
/// For random values a quotient reaches this with probability below φ^-32 ≈ 2·10^-7 (see [`SetShape`]), so the
/// escape costs nothing; it bounds the length of a block for every set.
pub(crate) const ESCAPE: u32 = 32;

/// The agreed shape of a set: how many values it has, and how wide they are.
///
/// # The code
///
/// Values rise (repeats allowed: truncated values may collide). Each is coded as its gap to the one before, the first
/// as its gap to 0, by a Rice code: the gap's high part (`gap >> r`) in unary as ones and a zero, then its low `r`
/// bits. A block holds a fixed number of values and ends with zero bits up to a byte. Bits fill bytes from the lowest
/// bit up. Each set has one encoding, and a [`Decoder`](crate::Decoder) refuses every other.
///
/// Gaps of random values are geometric with mean μ ≈ 2^bits / count. With x = 2^r / μ a gap costs
/// r + 1 + 1/(e^x − 1) bits. One more bit of `r` pays as long as e^x < φ, the golden ratio, so the best `r` is the
/// least with 2^r ≥ μ · ln φ, which is `bits − ⌊log2(count / ln φ)⌋`. The cost is then between bits − log2(count) +
/// 1.51 and + 1.58 a value; the entropy of such a set is bits − log2(count) + 1.44. At 2^16 values of 72 bits that is
/// 57.54 bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetShape {
    /// Values in the set, repeats counted.
    pub count: usize,
    /// Bits of a value, 1 to 128.
    pub bits: u32,
}

/// The parameters that the code takes from the shape.
pub(crate) struct RiceCode {
    /// How many low bits of a gap are written as they are: less than `bits`.
    pub(crate) r: u32,
    /// Bits of a value.
    pub(crate) bits: u32,
    /// The largest value.
    pub(crate) max: u128,
}

impl RiceCode {
    /// The least bytes that so many values take: each has its low bits and the zero after its quotient.
    pub(crate) fn least(&self, count: usize) -> usize {
        (count * (self.r as usize + 1)).div_ceil(8)
    }
}

impl SetShape {
    /// The least that the blocks of any set of this shape add up to, in bytes; `None` beyond what can be.
    ///
    /// # Panics
    /// When `bits` is not in 1..=128.
    #[must_use]
    pub fn min_len(&self) -> Option<usize> {
        self.count.checked_mul(self.code().r as usize + 1).map(|bits| bits.div_ceil(8))
    }

    /// How many blocks the set travels in.
    ///
    /// # Panics
    /// When `bits` is not in 1..=128.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.count.div_ceil(self.values_a_block())
    }

    /// The longest block number `block` of any set of this shape, in bytes: at most [`MAX_BLOCK`], and 0 past the
    /// last.
    ///
    /// # Panics
    /// When `bits` is not in 1..=128.
    #[must_use]
    pub fn max_block_len(&self, block: usize) -> usize {
        (self.values_in(block) * self.longest_value()).div_ceil(8)
    }

    /// What the blocks of a set of uniformly random values add up to, in bytes.
    ///
    /// # Panics
    /// When `bits` is not in 1..=128.
    #[must_use]
    pub fn expected_len(&self) -> u64 {
        let (count, r) = (self.count as f64, f64::from(self.code().r));
        // A gap is at least t with probability ρ^t, a quotient at least q with probability s^q.
        let mean = (f64::from(self.bits).exp2() - 1.0) / (count + 1.0);
        let s = (-r.exp2() * (1.0 / mean).ln_1p()).exp();
        let escaped = s.powi(ESCAPE as i32);
        let unary = s * (1.0 - escaped) / (1.0 - s);
        let value = r + 1.0 + unary + escaped * (f64::from(self.bits) - r - 1.0);
        // A block ends anywhere in a byte.
        (count * value / 8.0 + self.blocks() as f64 * 7.0 / 16.0).round() as u64
    }

    pub(crate) fn code(&self) -> RiceCode {
        let bits = self.checked_bits();
        // 133/64 is 1/ln φ to four digits; being off near the break-even costs nothing.
        let unary_bits = (self.count.max(1) as u128 * 133 / 64).ilog2();
        let r = bits.saturating_sub(unary_bits);
        RiceCode { r, bits, max: u128::MAX >> (u128::BITS - bits) }
    }

    /// How many values block number `block` holds.
    pub(crate) fn values_in(&self, block: usize) -> usize {
        let before = block.saturating_mul(self.values_a_block());
        self.count.saturating_sub(before).min(self.values_a_block())
    }

    /// As many values as fit into a block whatever they are.
    pub(crate) fn values_a_block(&self) -> usize {
        MAX_BLOCK * 8 / self.longest_value()
    }

    /// The most bits that a value can take: escaped, or with the largest quotient that is not.
    fn longest_value(&self) -> usize {
        (ESCAPE + self.checked_bits()) as usize
    }

    fn checked_bits(&self) -> u32 {
        assert!((1..=u128::BITS).contains(&self.bits), "a value has 1 to 128 bits");
        self.bits
    }
}
