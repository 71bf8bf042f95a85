//! Batches of blocks on their way through AES.

use veilset_simd::Aes128;
use zeroize::Zeroize;

use crate::Block;

/// Blocks that go through the cipher at once: enough to fill the widest registers.
pub(crate) const BATCH: usize = 64;

/// A batch on its way through the cipher; wiped.
pub(crate) struct CipherBatch {
    length: usize,
    blocks: [aes::Block; BATCH],
}

impl CipherBatch {
    pub(crate) fn new() -> Self {
        Self { length: 0, blocks: [aes::Block::default(); BATCH] }
    }

    /// Takes at most [`BATCH`] blocks.
    pub(crate) fn load(&mut self, blocks: impl Iterator<Item = Block>) {
        self.length = 0;
        for (slot, block) in self.blocks.iter_mut().zip(blocks) {
            slot.0 = block.to_le_bytes();
            self.length += 1;
        }
    }

    /// Takes `parts` blocks of each of few rows: the row plus the tweak of its place and the number of the part.
    pub(crate) fn load_rows(
        &mut self,
        rows: &[Block],
        parts: usize,
        tweak: impl Fn(usize) -> Block,
    ) {
        let slots = self.blocks.chunks_exact_mut(parts).zip(rows).enumerate();
        for (place, (slots, row)) in slots {
            let row = row ^ tweak(place);
            for (part, slot) in slots.iter_mut().enumerate() {
                slot.0 = (row ^ part as Block).to_le_bytes();
            }
        }
        self.length = parts * rows.len();
    }

    /// The blocks of each row that [`load_rows`](Self::load_rows) took.
    pub(crate) fn rows(&self, parts: usize) -> impl Iterator<Item = &[aes::Block]> {
        self.blocks[..self.length].chunks_exact(parts)
    }

    /// Takes the sums of each of few rows with each of `others`.
    pub(crate) fn load_sums<const N: usize>(&mut self, rows: &[Block], others: &[Block; N]) {
        for (slots, row) in self.blocks.chunks_exact_mut(N).zip(rows) {
            for (slot, other) in slots.iter_mut().zip(others) {
                slot.0 = (row ^ other).to_le_bytes();
            }
        }
        self.length = N * rows.len();
    }

    /// Bit u of each of `bits` becomes the lowest bit of the hash of block u of its row of sixteen, all under the row's tweak.
    pub(crate) fn low_bits(
        &mut self,
        pi: &Aes128,
        tweak: impl Fn(usize) -> Block,
        bits: &mut [u16],
    ) {
        const ROW: usize = 16;
        self.encrypt(pi);
        let mut once = [0_u8; BATCH];
        for (row, (slots, once)) in
            self.blocks.chunks_exact_mut(ROW).zip(once.chunks_exact_mut(ROW)).enumerate()
        {
            let tweak = tweak(row);
            for (slot, once) in slots.iter_mut().zip(once) {
                *once = slot.0[0];
                slot.0 = (Block::from_le_bytes(slot.0) ^ tweak).to_le_bytes();
            }
        }
        self.encrypt(pi);
        let rows = self.blocks.chunks_exact(ROW).zip(once.chunks_exact(ROW));
        for (bits, (slots, once)) in bits.iter_mut().zip(rows) {
            let low = |(slot, once): (&aes::Block, &u8)| u16::from((slot.0[0] ^ once) & 1);
            let low = slots.iter().zip(once).map(low);
            *bits = low.enumerate().fold(0, |sum, (place, bit)| sum | bit << place);
        }
        once.zeroize();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn encrypt(&mut self, pi: &Aes128) {
        pi.encrypt(&mut self.blocks[..self.length]);
    }

    /// Replaces each block x by π(π(x) ⊕ i) ⊕ π(x), with the tweak i of its place.
    pub(crate) fn hash(&mut self, pi: &Aes128, tweak: impl Fn(usize) -> Block) {
        self.encrypt(pi);
        let mut once = self.blocks;
        for (place, block) in self.blocks.iter_mut().enumerate() {
            block.0 = (Block::from_le_bytes(block.0) ^ tweak(place)).to_le_bytes();
        }
        self.encrypt(pi);
        for (block, once) in self.blocks.iter_mut().zip(&mut once) {
            let sum = Block::from_le_bytes(block.0) ^ Block::from_le_bytes(once.0);
            block.0 = sum.to_le_bytes();
        }
        wipe(&mut once[..self.length]);
    }

    pub(crate) fn store(&self) -> impl Iterator<Item = Block> {
        self.blocks[..self.length].iter().map(|block| Block::from_le_bytes(block.0))
    }
}

impl Drop for CipherBatch {
    fn drop(&mut self) {
        wipe(&mut self.blocks);
    }
}

fn wipe(blocks: &mut [aes::Block]) {
    blocks.iter_mut().for_each(|block| block.0.zeroize());
}
