//! The public linear map that turns sparse noise over a field B of 2^4, 2^64 or 2^128 elements into what looks uniform: an
//! expand-convolute code (Raghuraman–Rindal–Tanguy, Crypto 2023, eprint 2023/882) of rate one half.
//!
//! > y = E·C·x, so y_i = w_i + Σ_r w_{p(i, r)} where w = C·x
//!
//! - **Convolution C**: w_j is x_j plus a random combination of earlier w. With j = 4g + k, each of the 24 elements of the
//!   six groups of four before group g has a random tap in {0, c}, where X is the variable of B's polynomials and
//!   c is 1 for the two nearest groups, X for the next two and X^2 for the last two. The k elements before w_j in its own
//!   group have random taps in {0, 1}, and w_{j−28} has tap X^2, always: as the oldest tap is never zero, a state that is
//!   not zero stays so without input.
//! - **Expander E**: every row has eight ones. One is at place i, so that the rows share none of the first m places; the
//!   other m places are cut into seven equal regions, and there is one at a uniform position p(i, r) in each.
//!
//! As the library of the paper's authors has it: 24 random taps and one that is always set, seven positions for each row
//! and an eighth place that is the row's own, and at least some of the seven one to a region (there four, here all, so
//! that no row ends early). Different here:
//!
//! - **X.** With taps of 0 and 1 only, G would be a binary matrix, and each of the 64 or 128 bits of y a syndrome of its
//!   own for noise in the *same* t places. For t up to that number those syndromes span the noisy columns of G, and elimination finds
//!   the places (Metzner–Kapturowski 1990); for t somewhat above, information-set decoding does. That library multiplies
//!   by a constant once an element if the field is an extension.
//! - **C runs over all of x, once.** There it leaves out the first m elements (the systematic form) and runs twice over the
//!   others. Then the rows' sums u with u·E' = 0, where E' is E without its first half, see the first half of the noise
//!   through a matrix that is binary again; E' has no row in a share e^-7 of its columns, so there are about m·e^-7 such
//!   sums, and the attack works on t/2 places of noise.
//! - Taps come in groups of four, so the window holds 24 to 27 free taps, and the tap that is always set is the 28th.
//!   The sums of all subsets of a group are tabled once, and each w_j costs six lookups.
//!
//! The seed is public. Taps and positions are AES-128 in counter mode under it: block number b of stream s encrypts
//! s·2^120 + b, streams 0 to 6 for the regions of E and 7 for C. Memory is addressed by taps and positions only, never
//! by elements, so neither time nor addresses depend on x.

use std::hint::black_box;
use std::marker::PhantomData;

use rayon::prelude::*;
use veilset_simd::{Aes128, Registers};
use zeroize::Zeroizing;

use super::field::Subfield;
use super::parameters::LpnParameters;
use crate::Block;

/// Regions, and ones of each row of E in them.
pub(super) const REGIONS: usize = 7;

/// Bytes that a position is made from.
const WORD: usize = 4;

/// Positions from one block of a stream.
const WORDS: usize = 16 / WORD;

/// The stream of the taps; those of the regions come before it.
const CONVOLUTION: u8 = REGIONS as u8;

/// Elements of a group of the convolution.
const GROUP: usize = 4;

/// Groups that the state of the convolution holds.
const STATE: usize = 7;

/// Blocks of a stream that are made at once.
const BATCH: usize = 64;

/// Rows that one task expands.
const TASK: usize = 128 * BATCH * WORDS;

/// G for one length and one seed.
pub(super) struct Code {
    cipher: Aes128,
    rows: usize,
}

impl Code {
    pub(super) fn new(parameters: &LpnParameters, seed: &[u8; 16]) -> Self {
        Self::with_rows(parameters.compressed_len(), seed)
    }

    fn with_rows(rows: usize, seed: &[u8; 16]) -> Self {
        assert!(
            rows > 0 && rows.is_multiple_of(REGIONS * GROUP),
            "regions and groups fill the columns"
        );
        Self { cipher: Aes128::best(seed), rows }
    }

    /// Replaces the first half of a vector x over the large field by y = G·x; the second half is left with values of no
    /// further use.
    ///
    /// The expander works in parallel in the caller's pool, the convolution, a fifth of the time of one thread, does not.
    ///
    /// # Panics
    ///
    /// If a half is not as long as the [`compressed_len`](LpnParameters::compressed_len) of the parameters.
    pub(super) fn compress<B: Subfield>(&self, [first, second]: [&mut [Block]; 2]) {
        let mut window = Window::<B, 1>::new();
        self.convolve(&mut window, &mut &mut *first, 0);
        self.convolve(&mut window, &mut &mut *second, self.rows);
        window.wipe();
        for (stream, region) in (0..).zip(second.chunks(self.rows / REGIONS)) {
            self.expand(stream, first, region);
        }
    }

    /// The same for two vectors that share the taps, one of them over B; of their second halves one region at a time is in
    /// memory, which `fill` writes over what stands there.
    ///
    /// # Panics
    ///
    /// As [`compress`](Self::compress).
    pub(super) fn compress_both<B: Subfield>(
        &self,
        narrow: &mut [B],
        wide: &mut [Block],
        mut fill: impl FnMut(usize, &mut [B], &mut [Block]),
    ) {
        let mut window = Window::<B, 2>::new();
        self.convolve(&mut window, &mut (&mut *narrow, &mut *wide), 0);
        let length = self.rows / REGIONS;
        let mut of_narrow = Zeroizing::new(vec![B::default(); length]);
        let mut of_wide = Zeroizing::new(vec![Block::default(); length]);
        for (stream, region) in (0..).zip(0..REGIONS) {
            fill(region, &mut of_narrow, &mut of_wide);
            let vectors = &mut (&mut of_narrow[..], &mut of_wide[..]);
            self.convolve(&mut window, vectors, self.rows + region * length);
            self.expand(stream, narrow, &of_narrow);
            self.expand(stream, wide, &of_wide);
        }
        window.wipe();
    }

    /// w = C·x in place, for the part of each of the vectors that begins at place `begin`; `window` comes from the part before.
    fn convolve<B: Subfield, const N: usize>(
        &self,
        window: &mut Window<B, N>,
        vectors: &mut impl Vectors<N>,
        begin: usize,
    ) {
        let (groups, begin) = (vectors.len() / GROUP, begin / GROUP);
        let mut taps = [aes::Block::default(); BATCH];
        for first in (0..groups).step_by(BATCH) {
            self.stream(CONVOLUTION, begin + first, &mut taps);
            window.batch(vectors, first, &taps[..BATCH.min(groups - first)]);
        }
    }

    /// Adds what E takes from a region of the second half of a vector to the first; little is read at random at a time.
    fn expand<B: Subfield>(&self, stream: u8, sums: &mut [B], region: &[B]) {
        assert_eq!(sums.len(), self.rows, "a vector of the code's length");
        sums.par_chunks_mut(TASK).enumerate().for_each(|(task, sums)| {
            let mut words = [aes::Block::default(); BATCH];
            let batches = sums.chunks_mut(WORDS * BATCH);
            for (sums, first) in batches.zip((task * (TASK / WORDS)..).step_by(BATCH)) {
                self.stream(stream, first, &mut words);
                let words = words.iter().flat_map(|block| block.0.as_chunks::<WORD>().0);
                for (sum, word) in sums.iter_mut().zip(words) {
                    *sum ^= region[position(*word, region.len())];
                }
            }
        });
    }

    /// Blocks `first` and following of stream `number`.
    fn stream(&self, number: u8, first: usize, blocks: &mut [aes::Block]) {
        let start = Block::from(number) << 120 | first as Block;
        for (block, counter) in blocks.iter_mut().zip(start..) {
            block.0 = counter.to_le_bytes();
        }
        self.cipher.encrypt(blocks);
    }
}

/// A place below `length` from uniform bits.
fn position(word: [u8; WORD], length: usize) -> usize {
    (u64::from(u32::from_le_bytes(word)).wrapping_mul(length as u64) >> 32) as usize
}

/// Vectors of one length that go through the convolution side by side.
trait Vectors<const N: usize> {
    fn len(&self) -> usize;

    fn get(&self, place: usize) -> [Block; N];

    fn set(&mut self, place: usize, elements: [Block; N]);
}

impl Vectors<1> for &mut [Block] {
    fn len(&self) -> usize {
        (**self).len()
    }

    #[inline(always)]
    fn get(&self, place: usize) -> [Block; 1] {
        [self[place]]
    }

    #[inline(always)]
    fn set(&mut self, place: usize, [element]: [Block; 1]) {
        self[place] = element;
    }
}

impl<B: Subfield> Vectors<2> for (&mut [B], &mut [Block]) {
    fn len(&self) -> usize {
        assert_eq!(self.0.len(), self.1.len(), "vectors of one length");
        self.0.len()
    }

    #[inline(always)]
    fn get(&self, place: usize) -> [Block; 2] {
        [self.0[place].into(), self.1[place]]
    }

    #[inline(always)]
    fn set(&mut self, place: usize, [narrow, wide]: [Block; 2]) {
        self.0[place] = B::truncate(narrow);
        self.1[place] = wide;
    }
}

/// The state of the convolution: the sums of all subsets of each of the last groups, the element number k of a group in
/// the subsets whose number has bit k.
struct Window<B, const N: usize> {
    subsets: [[Registers<N>; 1 << GROUP]; STATE + 1],
    next: usize,
    field: PhantomData<B>,
}

impl<B: Subfield, const N: usize> Window<B, N> {
    fn new() -> Self {
        let subsets = [[Registers::ZERO; 1 << GROUP]; STATE + 1];
        Self { subsets, next: 0, field: PhantomData }
    }

    /// Replaces the inputs in the groups from `first` on, one for each of `taps`, by their outputs.
    fn batch(&mut self, vectors: &mut impl Vectors<N>, first: usize, taps: &[aes::Block]) {
        for (start, taps) in (GROUP * first..).step_by(GROUP).zip(taps) {
            let inputs = std::array::from_fn(|k| Registers::new(vectors.get(start + k)));
            let outputs = self.step(inputs, Block::from_le_bytes(taps.0));
            for (place, output) in (start..).zip(outputs) {
                vectors.set(place, output.elements());
            }
        }
    }

    /// The outputs of one group for its inputs. Bits 24k to 24k + 23 of `taps` are those of element k, four for each
    /// earlier group, the nearest first; bits 96 to 101 are those within the group.
    #[inline(always)]
    fn step(&mut self, inputs: [Registers<N>; GROUP], taps: Block) -> [Registers<N>; GROUP] {
        let mut sums = inputs;
        for (k, sum) in sums.iter_mut().enumerate() {
            let taps = (taps >> (24 * k)) as u32;
            let subset = |back: usize| self.back(back)[(taps >> (4 * (back - 1))) as usize & 15];
            let far = subset(5).plus(subset(6)).plus(self.back(STATE)[1 << k]);
            let middle = subset(3).plus(subset(4)).plus(B::times_x(far));
            *sum = sum.plus(B::times_x(middle)).plus(subset(2)).plus(subset(1));
        }
        let taps = (taps >> 96) as u32 as usize;
        let subsets = &mut self.subsets[self.next % (STATE + 1)];
        let first = sums[0];
        subsets[1] = first;
        let second = sums[1].plus(subsets[taps & 1]);
        (subsets[2], subsets[3]) = (second, first.plus(second));
        let third = sums[2].plus(subsets[taps >> 1 & 3]);
        (0..4).for_each(|low| subsets[4 + low] = third.plus(subsets[low]));
        let fourth = sums[3].plus(subsets[taps >> 3 & 7]);
        (0..8).for_each(|low| subsets[8 + low] = fourth.plus(subsets[low]));
        self.next = self.next.wrapping_add(1);
        [first, second, third, fourth]
    }

    fn wipe(&mut self) {
        self.subsets = [[Registers::ZERO; 1 << GROUP]; STATE + 1];
        // Or the compiler would leave out stores that nothing reads.
        black_box(&mut self.subsets);
    }

    /// The subsets of the group so many before the next one.
    #[inline(always)]
    fn back(&self, groups: usize) -> &[Registers<N>; 1 << GROUP] {
        &self.subsets[self.next.wrapping_sub(groups) % (STATE + 1)]
    }
}

const _: () = assert!(STATE + 1 == 8 && usize::MAX % 8 == 7, "places in the window wrap around");

#[cfg(test)]
mod tests;
