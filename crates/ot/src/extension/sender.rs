//! The party with two messages.

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use rayon::prelude::*;
use subtle::Choice;
use veilset_channel::{Channel, ChannelExt};
use veilset_simd::{TILE, Tile, transpose};
use zeroize::Zeroizing;

use super::columns::{GROUP, GroupBuffers, Streams};
use super::hash::Hash;
use super::messages::{Challenge, Corrections, Trees};
use super::parameters::{ExtensionParameters, Security};
use super::tree::{Oracle, Seeds, puncture};
use super::{Numbering, check, random_step};
use crate::{BaseOt, Block, OtError};

/// The sender of extended transfers. One setup serves any number of batches, each as long as the receiver's.
pub struct ExtensionSender {
    security: Security,
    delta: Zeroizing<Block>,
    /// For each bit of Δ a mask of as many ones as a block has, or none.
    masks: Zeroizing<Tile>,
    streams: Streams,
    hash: Hash,
    numbering: Numbering,
    challenges: ChaCha20Rng,
}

impl ExtensionSender {
    /// Draws the secret Δ and gets the trees without the leaves that Δ names, by 128 base transfers in which this party
    /// receives.
    ///
    /// # Errors
    /// When the connection fails or the peer breaks the protocol.
    pub fn setup(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let mut bytes = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *bytes);
        let delta = Zeroizing::new(Block::from_le_bytes(*bytes));
        let bits = Zeroizing::new(std::array::from_fn::<u8, TILE, _>(|b| (*delta >> b) as u8 & 1));
        let beside = Zeroizing::new(bits.map(|bit| bit == 0));
        let blocks = base.receive(channel, &*beside, rng)?;
        let path: Vec<Choice> = bits.iter().map(|bit| Choice::from(*bit)).collect();
        let Trees(sums) = channel.take(parameters)?;
        let split = parameters.split;
        let trees = sums.iter().enumerate().map(|(index, sums)| {
            let levels = split.bits(index);
            let oracle = Oracle::new(&parameters.session, index);
            puncture(&oracle, &path[levels.clone()], &blocks[levels], sums)
        });
        let leaves = trees.collect::<Result<Vec<Seeds>, _>>()?;
        Ok(Self {
            security: parameters.security,
            delta,
            masks: Zeroizing::new(bits.map(|bit| Block::from(bit).wrapping_neg())),
            streams: Streams::new(split, &leaves, true),
            hash: Hash::new(&parameters.session),
            numbering: Numbering::default(),
            challenges: seeded(rng),
        })
    }

    /// `count` random transfers: both blocks of each.
    ///
    /// # Errors
    /// When the connection fails, the peer breaks the protocol, or the setup is [`OtError::Spent`].
    pub fn send_random(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<Zeroizing<Vec<[Block; 2]>>, OtError> {
        let mut pairs = Zeroizing::new(vec![[0; 2]; count]);
        for pairs in pairs.chunks_mut(random_step(self.security)) {
            let (first, tiles) = self.extend(channel, pairs.len())?;
            let rows = &tiles.as_flattened()[..pairs.len()];
            let groups = rows.par_chunks(GROUP * TILE).zip(pairs.par_chunks_mut(GROUP * TILE));
            groups.enumerate().for_each(|(group, (rows, pairs))| {
                let first = first + (group * GROUP * TILE) as u64;
                self.hash.pairs(first, rows, *self.delta, pairs);
            });
        }
        Ok(pairs)
    }

    /// The number of the next transfer and `count` rows, in whole tiles: row w_j belongs to the receiver's choice 0, and
    /// w_j + Δ to 1.
    pub(super) fn extend(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<(u64, Zeroizing<Vec<Tile>>), OtError> {
        let used = count.div_ceil(TILE);
        let all = used + super::additional_tiles(self.security, count);
        let first = self.numbering.take(all)?;
        let mut tiles = Zeroizing::new(vec![[0; TILE]; all]);
        self.correct(channel, first, &mut tiles)?;
        if self.security == Security::Malicious && count > 0 {
            self.check(channel, &tiles)?;
        }
        tiles.truncate(used);
        tiles.par_chunks_mut(GROUP).for_each(transpose);
        self.numbering.done();
        Ok((first * TILE as u64, tiles))
    }

    /// Fills the columns of `tiles`, as the groups' corrections arrive.
    fn correct(
        &self,
        channel: &mut dyn Channel,
        first: u64,
        tiles: &mut [Tile],
    ) -> Result<(), OtError> {
        let trees = self.streams.split().trees();
        let window = rayon::current_num_threads();
        for (index, tiles) in tiles.chunks_mut(window * GROUP).enumerate() {
            let lengths = tiles.chunks(GROUP).map(<[Tile]>::len);
            let corrections = lengths.map(|length| channel.take(&(length * trees)));
            let corrections = corrections.collect::<Result<Vec<Corrections>, _>>()?;
            let groups = tiles.par_chunks_mut(GROUP).zip(corrections).enumerate();
            groups.for_each_init(GroupBuffers::new, |buffers, (group, (tiles, corrections))| {
                let first = first + ((index * window + group) * GROUP) as u64;
                self.streams.fill(first, tiles, buffers, |tiles, tree, _| {
                    self.add_correction(tiles, tree, &corrections.0);
                });
            });
        }
        Ok(())
    }

    /// w_b += Δ_b·c for the columns of one tree.
    fn add_correction(&self, tiles: &mut [Tile], tree: usize, corrections: &[Block]) {
        let trees = self.streams.split().trees();
        for (tile, corrections) in tiles.iter_mut().zip(corrections.chunks(trees)) {
            for column in self.streams.split().bits(tree) {
                tile[column] ^= self.masks[column] & corrections[tree];
            }
        }
    }

    fn check(&mut self, channel: &mut dyn Channel, tiles: &[Tile]) -> Result<(), OtError> {
        let mut alpha = [0; 16];
        self.challenges.fill_bytes(&mut alpha);
        let challenge = Challenge(Block::from_le_bytes(alpha));
        channel.put(&challenge)?;
        let hashes = channel.take(&())?;
        Ok(check::verify(&challenge, tiles, &self.masks, &hashes)?)
    }

    pub(super) fn hash(&self) -> &Hash {
        &self.hash
    }

    pub(crate) fn delta(&self) -> Block {
        *self.delta
    }
}

/// A generator of this party's own, so that later calls need none.
pub(super) fn seeded(rng: &mut dyn CryptoRng) -> ChaCha20Rng {
    let mut seed = Zeroizing::new([0; 32]);
    rng.fill_bytes(&mut *seed);
    ChaCha20Rng::from_seed(*seed)
}
