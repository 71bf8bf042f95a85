//! Nine elements of GF(2^8) = GF(2)\[x\] / (x^8 + x^4 + x^3 + x + 1) as 72 bits, and what a linear map makes of such bits.

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use std::ops::{BitAnd, BitXor, BitXorAssign};

use zeroize::Zeroize;

use crate::Kernel;

/// Nine elements of GF(2^8), a byte each; bit i of a byte is the coefficient of x^i.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Nonet([u8; Self::BYTES]);

impl Nonet {
    /// Bytes of it.
    pub const BYTES: usize = 9;

    /// Bits of it.
    pub const BITS: usize = 8 * Self::BYTES;

    /// The lowest bits of a number.
    #[inline]
    #[must_use]
    pub const fn truncate(number: u128) -> Self {
        let [a, b, c, d, e, f, g, h, i, ..] = number.to_le_bytes();
        Self([a, b, c, d, e, f, g, h, i])
    }

    /// The first eight bytes and the last one.
    #[inline]
    fn words(self) -> [u64; 2] {
        let [a, b, c, d, e, f, g, h, last] = self.0;
        [u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::from(last)]
    }
}

impl From<Nonet> for u128 {
    #[inline]
    fn from(nonet: Nonet) -> Self {
        let [low, high] = nonet.words();
        Self::from(high) << 64 | Self::from(low)
    }
}

impl BitXor for Nonet {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self::truncate(u128::from(self) ^ u128::from(other))
    }
}

impl BitXorAssign for Nonet {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl BitAnd for Nonet {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self::truncate(u128::from(self) & u128::from(other))
    }
}

impl Zeroize for Nonet {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Nonets that are mapped side by side.
const LANES: usize = 8;

/// A linear map of 72 bits to 128: what it makes of each bit.
pub struct NonetMap {
    /// The lower and the upper half of each image.
    images: [[u64; 2]; Nonet::BITS],
}

impl Drop for NonetMap {
    fn drop(&mut self) {
        self.images.zeroize();
    }
}

impl NonetMap {
    /// The map that makes `image(i)` of bit i.
    #[must_use]
    pub fn new(image: impl Fn(usize) -> u128) -> Self {
        let halves = |image: u128| [image as u64, (image >> 64) as u64];
        Self { images: std::array::from_fn(|bit| halves(image(bit))) }
    }

    /// Adds to each of `sums` what the map makes of the nonet in its place.
    ///
    /// # Panics
    /// When there are not as many nonets as sums.
    pub fn add_to(&self, sums: &mut [u128], nonets: &[Nonet]) {
        self.add_with(Kernel::best(), sums, nonets);
    }

    fn add_with(&self, kernel: Kernel, sums: &mut [u128], nonets: &[Nonet]) {
        assert_eq!(sums.len(), nonets.len(), "a nonet for each sum");
        match kernel {
            #[cfg(target_arch = "x86_64")]
            _ if kernel >= Kernel::Avx512f && kernel.runs_here() => {
                // SAFETY: the processor has AVX-512F, BW, DQ and VL.
                unsafe { x86::avx512f(self, sums, nonets) }
            }
            #[cfg(target_arch = "x86_64")]
            _ if kernel >= Kernel::Avx2 && kernel.runs_here() => {
                // SAFETY: the processor has AVX2.
                unsafe { x86::avx2(self, sums, nonets) }
            }
            _ => self.add(sums, nonets),
        }
    }

    /// What each kernel compiles for its instructions.
    #[inline(always)]
    fn add(&self, sums: &mut [u128], nonets: &[Nonet]) {
        for (sums, nonets) in sums.chunks_mut(LANES).zip(nonets.chunks(LANES)) {
            let mut words = [[0; LANES]; 2];
            for (lane, nonet) in nonets.iter().enumerate() {
                [words[0][lane], words[1][lane]] = nonet.words();
            }
            let [low, high] = self.images_of(&words);
            for ((sum, low), high) in sums.iter_mut().zip(low).zip(high) {
                *sum ^= u128::from(high) << 64 | u128::from(low);
            }
        }
    }

    /// The lower and the upper halves of the images of nonets that are given as their first bytes and their last ones.
    #[inline(always)]
    fn images_of(&self, words: &[[u64; LANES]; 2]) -> [[u64; LANES]; 2] {
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        for (images, words) in self.images.chunks(64).zip(words) {
            for (bit, image) in images.iter().enumerate() {
                for lane in 0..LANES {
                    let mask = (words[lane] >> bit & 1).wrapping_neg();
                    low[lane] ^= mask & image[0];
                    high[lane] ^= mask & image[1];
                }
            }
        }
        [low, high]
    }
}
