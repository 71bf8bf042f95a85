//! The sizes of a dual-LPN instance over a field of 2^64 or 2^128 elements, from the number of correlations wanted.
//!
//! The noise has length N = 2m and compresses to m elements, its [`RATE`](Parameters::RATE) is one half. It is regular:
//! N is cut into t blocks of one size, and each block holds one value of the field at a uniform place, all else is zero.
//!
//! With δ the relative distance that the code is taken to have, a linear test misses all noise with probability
//! (1 − δ)^t, and t is the least multiple of 8 that brings this to 2^-64; δ = 0.15. Every other attack that is known
//! costs more than 2^128 at that t. `docs/lpn.md` says why 64, and `examples/lpn_security` computes the attacks.

/// The shape of the noise and of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    block: usize,
}

impl Parameters {
    /// Elements of noise for each element of the result.
    pub(super) const RATE: usize = 2;

    /// t, the blocks of the noise.
    pub(super) const BLOCKS: usize = 280;

    /// Sizes of a block are multiples of this, which makes m a multiple of 1,120; also the least size.
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
        let steps = (Self::RATE * len).div_ceil(Self::BLOCKS * Self::BLOCK_STEP);
        Self { block: Self::BLOCK_STEP * steps.max(1) }
    }

    /// N / t, the elements of one block; a multiple of 8, seldom a power of two.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// N, the elements of the noise.
    pub(super) fn noise_len(&self) -> usize {
        Self::BLOCKS * self.block
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
        for len in lens {
            let parameters = Parameters::new(len);
            let m = parameters.compressed_len();
            assert!(m >= len && m < len + 1_121, "{len}: {m}");
            assert_eq!(Parameters::BLOCKS * parameters.block(), parameters.noise_len());
            assert_eq!(m * Parameters::RATE, parameters.noise_len());
            assert_eq!((m % 1_120, parameters.block() % 8), (0, 0), "{len}");
        }
    }

    #[test]
    fn the_noise_is_the_least_multiple_of_eight_with_64_bits_at_a_distance_of_15_percent() {
        let bits = |blocks: usize| {
            -f64::log2(1.0 - 0.15) * f64::from(u32::try_from(blocks).expect("small"))
        };
        assert!(bits(Parameters::BLOCKS) >= 64.0);
        assert!(bits(Parameters::BLOCKS - 8) < 64.0);
    }
}
