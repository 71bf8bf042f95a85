//! The sizes of a dual-LPN instance over a field of 2^4, 2^64 or 2^128 elements, from the number of correlations wanted.
//!
//! The noise has length N = 2m and compresses to m elements, its [`RATE`](LpnParameters::RATE) is one half. It is regular:
//! N is cut into t blocks of one size, and each block holds one value of the field at a uniform place, all else is zero.
//!
//! t is 280 for up to 2^21 correlations, and 42 more for each doubling of the length after that. The code has words of
//! light weight that linear algebra finds, the lighter the longer it is; so more blocks are needed to make sure that such a
//! word meets noise. `docs/notes/lpn.md` has the attack and `examples/lpn_security` computes it: with what it is allowed there,
//! t keeps it below 2^-140 at every length. Every other attack that is known costs more than 2^128.
//!
//! Both parties derive all of this from the length that they agreed on, in whole numbers.

/// The shape of the noise and of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LpnParameters {
    blocks: usize,
    block: usize,
}

impl LpnParameters {
    /// Elements of noise for each element of the result.
    pub(super) const RATE: usize = 2;

    /// t for lengths up to 2 to the [`SHORT`](Self::SHORT).
    const LEAST_BLOCKS: usize = 280;

    /// The logarithm of the greatest length that the fewest blocks serve.
    const SHORT: u32 = 21;

    /// Blocks that each doubling of the length above that adds. Numbers of blocks are multiples of 14, so that each of the
    /// code's seven regions has whole ones.
    const MORE_BLOCKS: usize = 42;

    /// Sizes of a block are multiples of this; also the least size.
    const BLOCK_STEP: usize = 8;

    /// The largest number of correlations at once.
    pub(super) const MAX_LEN: usize = 1 << 30;

    /// For at least `len` correlations.
    ///
    /// # Panics
    ///
    /// If `len` is above [`MAX_LEN`](Self::MAX_LEN).
    pub(super) fn new(len: usize) -> Self {
        assert!(len <= Self::MAX_LEN, "the length was checked by the caller");
        let doublings = len.next_power_of_two().ilog2().saturating_sub(Self::SHORT) as usize;
        let blocks = Self::LEAST_BLOCKS + Self::MORE_BLOCKS * doublings;
        let steps = (Self::RATE * len).div_ceil(blocks * Self::BLOCK_STEP);
        Self { blocks, block: Self::BLOCK_STEP * steps.max(1) }
    }

    /// t, the blocks of the noise.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// N / t, the elements of one block; a multiple of 8, seldom a power of two.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// N, the elements of the noise.
    pub(super) fn noise_len(&self) -> usize {
        self.blocks * self.block
    }

    /// m, the elements that the noise is compressed to; at least as many as are wanted, and the first so many
    /// are used.
    pub(super) fn compressed_len(&self) -> usize {
        self.noise_len() / Self::RATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_fit_together() {
        let lens = (0..3_000).chain((10..=30).map(|bits| 1 << bits)).chain([1_415_578, 88_474]);
        for len in lens.chain([(1 << 21) + 1, (1 << 25) - 1, 303_408_743]) {
            let parameters = LpnParameters::new(len);
            let (t, m) = (parameters.blocks(), parameters.compressed_len());
            assert!(m >= len && m < len + 4 * t + 1, "{len}: {m}");
            assert_eq!(t * parameters.block(), parameters.noise_len());
            assert_eq!(m * LpnParameters::RATE, parameters.noise_len());
            assert_eq!((t % 14, m % (4 * t), parameters.block() % 8), (0, 0, 0), "{len}");
        }
    }

    #[test]
    fn the_number_of_blocks_by_length() {
        let lens = [0, 1, 1 << 21, (1 << 21) + 1, 1 << 22, 1 << 24, (1 << 28) + 1, 1 << 30];
        let blocks = [280, 280, 280, 322, 322, 406, 616, 658];
        assert_eq!(lens.map(|len| LpnParameters::new(len).blocks()), blocks);
    }
}
