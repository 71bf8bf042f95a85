//! The correlation-robust hash, from a block cipher under a key that both parties know.

use veilset_simd::Aes128;
use zeroize::Zeroizing;

use crate::base::Session;
use crate::cipher::{BATCH, CipherBatch};
use crate::{BLOCK_BYTES, Block};

/// Bits of a tweak that number the blocks of one transfer's pad.
const PART_BITS: u32 = 16;

/// The longest pad in bytes that has tweaks of its own.
pub(super) const MAX_PAD: usize = BLOCK_BYTES << PART_BITS;

/// H(x, i) = π(π(x) ⊕ i) ⊕ π(x), the construction TMMO of Guo, Katz, Wang and Yu (eprint 2019/074, section 7.4).
///
/// π is AES-128 under a key that follows from the session. The tweak i is the transfer's number since the setup, and
/// below it the number of the block within a pad: no pair (x, i) that a secret enters occurs twice. Protocols on top choose
/// their own tweaks, in a session of their own.
pub struct Hash {
    pi: Aes128,
}

impl Hash {
    /// The hash of a session.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        let key = blake3::derive_key("veilset 2026 oblivious transfer fixed key", session);
        let (key, _) = key.as_chunks::<BLOCK_BYTES>();
        Self { pi: Aes128::best(&key[0]) }
    }

    /// Replaces each row by its hash under the tweak in the same place.
    ///
    /// # Panics
    /// When there are not as many tweaks as rows.
    pub fn tweaked(&self, rows: &mut [Block], tweaks: &[Block]) {
        assert_eq!(rows.len(), tweaks.len(), "a tweak for each row");
        let mut batch = CipherBatch::new();
        for (rows, tweaks) in rows.chunks_mut(BATCH).zip(tweaks.chunks(BATCH)) {
            batch.load(rows.iter().copied());
            batch.hash(&self.pi, |place| tweaks.get(place).copied().unwrap_or(0));
            batch.store().zip(rows).for_each(|(block, row)| *row = block);
        }
    }

    /// Replaces the rows of transfers `first`, `first` + 1, … by the first blocks of their pads.
    pub fn blocks(&self, first: u64, rows: &mut [Block]) {
        let mut batch = CipherBatch::new();
        for (start, rows) in (first..).step_by(BATCH).zip(rows.chunks_mut(BATCH)) {
            batch.load(rows.iter().copied());
            batch.hash(&self.pi, |place| Hash::tweak(start + place as u64, 0));
            batch.store().zip(rows).for_each(|(block, row)| *row = block);
        }
    }

    /// Writes to `pairs` the two blocks of each of the transfers `first`, `first` + 1, …: those of its row and of its
    /// row plus `delta`.
    pub(super) fn pairs(&self, first: u64, rows: &[Block], delta: Block, pairs: &mut [[Block; 2]]) {
        let mut batch = CipherBatch::new();
        let batches = rows.chunks(BATCH / 2).zip(pairs.chunks_mut(BATCH / 2));
        for (start, (rows, pairs)) in (first..).step_by(BATCH / 2).zip(batches) {
            batch.load(rows.iter().flat_map(|row| [*row, row ^ delta]));
            batch.hash(&self.pi, |place| Hash::tweak(start + place as u64 / 2, 0));
            let blocks = pairs.as_flattened_mut().iter_mut();
            batch.store().zip(blocks).for_each(|(block, to)| *to = block);
        }
    }

    /// Sets bit u of each of `bits` to the lowest bit of the block of its transfer's row plus entry u of `multiples`. The transfers
    /// are `first`, `first` + 1, …
    pub(crate) fn sixteen(
        &self,
        first: u64,
        rows: &[Block],
        multiples: &[Block; 16],
        bits: &mut [u16],
    ) {
        const ROWS: usize = BATCH / 16;
        let mut batch = CipherBatch::new();
        let batches = rows.chunks(ROWS).zip(bits.chunks_mut(ROWS));
        for (start, (rows, bits)) in (first..).step_by(ROWS).zip(batches) {
            batch.load_sums(rows, multiples);
            batch.low_bits(&self.pi, |row| Hash::tweak(start + row as u64, 0), bits);
        }
    }

    /// The tweak of block `part` of the pad of transfer `number`.
    #[must_use]
    pub fn tweak(number: u64, part: u64) -> Block {
        (Block::from(number) << PART_BITS) | Block::from(part)
    }

    /// The second half of [`pads`](Self::pads), where those of some rows are a batch; `rows` went through the cipher once.
    fn short_pads(&self, first: u64, rows: &[Block], width: usize, pads: &mut [u8]) {
        let parts = width.div_ceil(BLOCK_BYTES);
        let at_once = BATCH / parts;
        let mut batch = CipherBatch::new();
        let pieces = rows.chunks(at_once).zip(pads.chunks_mut(at_once * width));
        for (start, (rows, pads)) in (first..).step_by(at_once).zip(pieces) {
            batch.load_rows(rows, parts, |row| Self::tweak(start + row as u64, 0));
            batch.encrypt(&self.pi);
            let pads = rows.iter().zip(pads.chunks_exact_mut(width));
            for ((row, pad), blocks) in pads.zip(batch.rows(parts)) {
                let sum = |block: &aes::Block| (Block::from_le_bytes(block.0) ^ row).to_le_bytes();
                let (whole, rest) = pad.as_chunks_mut::<BLOCK_BYTES>();
                whole.iter_mut().zip(blocks).for_each(|(piece, block)| *piece = sum(block));
                if let (count @ 1.., Some(last)) = (rest.len(), blocks.last()) {
                    rest.copy_from_slice(&sum(last)[..count]);
                }
            }
        }
    }

    /// Writes to `pads` the pads of `width` bytes, at most 2^20, of the transfers `first`, `first` + 1, …; one after the
    /// other. A row is a secret of its transfer alone.
    pub fn pads(&self, first: u64, mut rows: Zeroizing<Vec<Block>>, width: usize, pads: &mut [u8]) {
        let mut batch = CipherBatch::new();
        for rows in rows.chunks_mut(BATCH) {
            batch.load(rows.iter().copied());
            batch.encrypt(&self.pi);
            batch.store().zip(rows).for_each(|(block, row)| *row = block);
        }
        let parts = width.div_ceil(BLOCK_BYTES);
        if parts <= BATCH {
            return self.short_pads(first, &rows, width, pads);
        }
        let mut places = (0..rows.len()).flat_map(|row| (0..parts).map(move |part| (row, part)));
        let mut ahead = places.clone();
        loop {
            let next = ahead.by_ref().take(BATCH);
            batch.load(
                next.map(|(row, part)| rows[row] ^ Hash::tweak(first + row as u64, part as u64)),
            );
            if batch.is_empty() {
                return;
            }
            batch.encrypt(&self.pi);
            for (block, (row, part)) in batch.store().zip(&mut places) {
                let start = row * width + part * BLOCK_BYTES;
                let piece = &mut pads[start..(row * width + width).min(start + BLOCK_BYTES)];
                piece.copy_from_slice(&(block ^ rows[row]).to_le_bytes()[..piece.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, one block at a time.
    fn by_definition(pi: &Aes128, row: Block, tweak: Block) -> Block {
        let permute = |block: Block| {
            let mut block = [block.to_le_bytes().into()];
            pi.encrypt(&mut block);
            Block::from_le_bytes(block[0].0)
        };
        permute(permute(row) ^ tweak) ^ permute(row)
    }

    fn rows(count: u32) -> Vec<Block> {
        (0..count).map(|j| Block::from(j).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c)).collect()
    }

    #[test]
    fn the_permutation_is_aes() {
        // FIPS 197, appendix C.1.
        let key: [u8; 16] = std::array::from_fn(|index| index as u8);
        let mut batch = CipherBatch::new();
        batch.load([0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.swap_bytes()].into_iter());
        batch.encrypt(&Aes128::best(&key));
        let want = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.swap_bytes();
        assert_eq!(batch.store().collect::<Vec<_>>(), [want]);
    }

    #[test]
    fn batches_are_the_definition_of_each() {
        let hash = &Hash::new(&[1; 32]);
        for count in [0, 1, 31, 32, 33, 64, 100] {
            let rows = rows(count);
            let want = |offset: Block| {
                let numbered = (7..).zip(&rows);
                numbered.map(move |(j, row)| by_definition(&hash.pi, row ^ offset, j << 16))
            };
            let mut blocks = rows.clone();
            hash.blocks(7, &mut blocks);
            assert!(blocks.iter().copied().eq(want(0)));
            let mut pairs = vec![[0; 2]; rows.len()];
            hash.pairs(7, &rows, 5, &mut pairs);
            assert!(pairs.iter().copied().eq(want(0).zip(want(5)).map(|(zero, one)| [zero, one])));
        }
    }

    #[test]
    fn tweaks_are_the_callers() {
        let hash = Hash::new(&[3; 32]);
        let (mut rows, tweaks) = (rows(100), rows(101)[1..].to_vec());
        let want: Vec<Block> =
            rows.iter().zip(&tweaks).map(|(row, i)| by_definition(&hash.pi, *row, *i)).collect();
        hash.tweaked(&mut rows, &tweaks);
        assert_eq!(rows, want);
    }

    #[test]
    fn pads_are_as_many_blocks_as_they_need() {
        let hash = Hash::new(&[2; 32]);
        for width in [1, 15, 16, 17, 32, 48, 64, 80, 96, 100, 112, 2000] {
            let rows = rows(70);
            let mut got = vec![0; rows.len() * width];
            hash.pads(9, Zeroizing::new(rows.clone()), width, &mut got);
            for ((number, row), got) in (9..).zip(rows).zip(got.chunks(width)) {
                let block = |part| by_definition(&hash.pi, row, (number << 16) | part);
                let parts = 0..width.div_ceil(16) as Block;
                let want: Vec<u8> = parts.flat_map(|part| block(part).to_le_bytes()).collect();
                assert_eq!(got, &want[..width], "width {width}");
            }
        }
    }
}
