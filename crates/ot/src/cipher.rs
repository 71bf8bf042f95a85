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
