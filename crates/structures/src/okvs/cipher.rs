//! AES-128 as the hash of keys, and as the source of free columns.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use rand_core::CryptoRng;
use zeroize::Zeroize;

use super::OkvsValue;

/// Blocks that go through the cipher at once: enough to fill the widest registers.
pub(super) const BATCH: usize = 64;

/// x ↦ AES(x) ⊕ x under one key.
pub(super) struct Hash {
    cipher: aes::Aes128Enc,
}

impl Hash {
    pub(super) fn new(key: u128) -> Self {
        Self { cipher: aes::Aes128Enc::new(&key.to_le_bytes().into()) }
    }

    /// Replaces each of at most [`BATCH`] numbers by its hash.
    pub(super) fn apply(&self, numbers: &mut [u128]) {
        let mut blocks = [aes::Block::default(); BATCH];
        let blocks = &mut blocks[..numbers.len()];
        for (block, number) in blocks.iter_mut().zip(&*numbers) {
            block.0 = number.to_le_bytes();
        }
        self.cipher.encrypt_blocks(blocks);
        for (block, number) in blocks.iter_mut().zip(numbers) {
            *number ^= u128::from_le_bytes(block.0);
        }
    }
}

/// The streams from which the columns that no row determines are drawn: one a cluster, so that an encoding does not
/// depend on which thread solves which cluster.
pub(super) struct Streams {
    hash: Hash,
}

impl Streams {
    pub(super) fn new(rng: &mut dyn CryptoRng) -> Self {
        let mut key = [0; 16];
        rng.fill_bytes(&mut key);
        let hash = Hash::new(u128::from_le_bytes(key));
        key.zeroize();
        Self { hash }
    }

    pub(super) fn cluster(&self, cluster: usize) -> Stream<'_> {
        Stream { hash: &self.hash, next: (cluster as u128) << 64, blocks: [0; BATCH], used: BATCH }
    }
}

/// Uniform values, without end.
pub(super) struct Stream<'a> {
    hash: &'a Hash,
    next: u128,
    blocks: [u128; BATCH],
    used: usize,
}

impl Stream<'_> {
    #[inline]
    pub(super) fn draw<V: OkvsValue>(&mut self) -> V {
        V::draw(|| self.block())
    }

    #[inline]
    fn block(&mut self) -> u128 {
        if self.used == BATCH {
            for block in &mut self.blocks {
                *block = self.next;
                self.next += 1;
            }
            self.hash.apply(&mut self.blocks);
            self.used = 0;
        }
        self.used += 1;
        self.blocks[self.used - 1]
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        self.blocks.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_aes_plus_its_argument() {
        // FIPS 197, appendix C.1.
        let key = u128::from_le_bytes(std::array::from_fn(|index| index as u8));
        let text = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.swap_bytes();
        let cipher = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.swap_bytes();
        for count in [1, 2, 63, BATCH] {
            let mut numbers = vec![text; count];
            Hash::new(key).apply(&mut numbers);
            assert!(numbers.iter().all(|number| *number == cipher ^ text));
        }
    }

    #[test]
    fn streams_differ_by_cluster_and_do_not_repeat() {
        let streams = Streams { hash: Hash::new(1) };
        let take = |cluster| {
            let mut stream = streams.cluster(cluster);
            (0..200).map(|_| stream.draw::<u128>()).collect::<Vec<_>>()
        };
        let mut all = [take(0), take(1), take(2)].concat();
        assert_eq!(take(1), all[200..400]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 600);
        let wide: [u128; 2] = streams.cluster(2).draw();
        assert_eq!(wide, take(2)[..2]);
    }
}
