//! The party with choice bits.

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng};
use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt};
use veilset_simd::{TILE, Tile, transpose};
use zeroize::Zeroizing;

use super::columns::{GROUP, GroupBuffers, Streams};
use super::hash::Hash;
use super::messages::{Corrections, Trees};
use super::parameters::{ExtensionParameters, Security};
use super::sender::seeded;
use super::tree::{Oracle, grow};
use super::{Numbering, check, random_step};
use crate::{BaseOt, Block, OtError};

/// Choices that were drawn, and the block of each.
pub type RandomChoices = (Zeroizing<Vec<bool>>, Zeroizing<Vec<Block>>);

/// The receiver of extended transfers. One setup serves any number of batches, each as long as the sender's.
pub struct ExtensionReceiver {
    security: Security,
    streams: Streams,
    hash: Hash,
    numbering: Numbering,
    coins: ChaCha20Rng,
}

impl ExtensionReceiver {
    /// Grows the trees from 128 base transfers in which this party sends.
    ///
    /// # Errors
    /// When the connection fails or the peer breaks the protocol.
    pub fn setup(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let pairs = base.send(channel, TILE, rng)?;
        let split = parameters.split;
        let trees = (0..split.trees()).map(|index| {
            let oracle = Oracle::new(&parameters.session, index);
            grow(&oracle, &pairs[split.bits(index)], parameters.security)
        });
        let (leaves, sums): (Vec<_>, Vec<_>) = trees.unzip();
        channel.put(&Trees(sums))?;
        Ok(Self {
            security: parameters.security,
            streams: Streams::new(split, &leaves, false),
            hash: Hash::new(&parameters.session),
            numbering: Numbering::default(),
            coins: seeded(rng),
        })
    }

    /// One random transfer for each of `choices`: the block of the choice.
    ///
    /// # Errors
    /// When the connection fails, the peer breaks the protocol, or the setup is [`OtError::Spent`].
    pub fn receive_random(
        &mut self,
        channel: &mut dyn Channel,
        choices: &[bool],
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        let mut blocks = Zeroizing::new(vec![0; choices.len()]);
        let step = random_step(self.security);
        for (choices, blocks) in choices.chunks(step).zip(blocks.chunks_mut(step)) {
            let (first, tiles) = self.extend(channel, choices)?;
            blocks.copy_from_slice(&tiles.as_flattened()[..blocks.len()]);
            let groups = blocks.par_chunks_mut(GROUP * TILE);
            groups.enumerate().for_each(|(group, blocks)| {
                self.hash.blocks(first + (group * GROUP * TILE) as u64, blocks);
            });
        }
        Ok(blocks)
    }

    /// `count` random transfers with random choices: the choices, and the block of each.
    ///
    /// # Errors
    /// As [`Self::receive_random`].
    pub fn receive_random_choices(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<RandomChoices, OtError> {
        let mut bytes = Zeroizing::new(vec![0; count.div_ceil(8)]);
        self.coins.fill_bytes(&mut bytes);
        let bits = (0..count).map(|index| (bytes[index / 8] >> (index % 8)) & 1 == 1);
        let choices = Zeroizing::new(bits.collect::<Vec<_>>());
        let blocks = self.receive_random(channel, &choices)?;
        Ok((choices, blocks))
    }

    /// The number of the next transfer and a row v_j for each choice, in whole tiles; the sender has
    /// w_j = v_j + choice·Δ.
    pub(super) fn extend(
        &mut self,
        channel: &mut dyn Channel,
        choices: &[bool],
    ) -> Result<(u64, Zeroizing<Vec<Tile>>), OtError> {
        let mut packed = Zeroizing::new(pack(choices));
        let used = packed.len();
        for _ in 0..super::additional_tiles(self.security, choices.len()) {
            let mut bytes = Zeroizing::new([0; 16]);
            self.coins.fill_bytes(&mut *bytes);
            packed.push(Block::from_le_bytes(*bytes));
        }
        let first = self.numbering.take(packed.len())?;
        let mut tiles = Zeroizing::new(vec![[0; TILE]; packed.len()]);
        self.correct(channel, first, &mut tiles, |_, place| packed[place])?;
        if self.security == Security::Malicious && used > 0 {
            let challenge = channel.take(&())?;
            channel.put(&check::answer(&challenge, &packed, &tiles))?;
        }
        tiles.truncate(used);
        tiles.par_chunks_mut(GROUP).for_each(transpose);
        self.numbering.done();
        Ok((first * TILE as u64, tiles))
    }

    /// Fills the columns of `tiles` and sends what makes each tree's vector that of the choices: for tree and tile,
    /// `choices` of both.
    pub(super) fn correct(
        &self,
        channel: &mut dyn Channel,
        first: u64,
        tiles: &mut [Tile],
        choices: impl Fn(usize, usize) -> Block + Sync,
    ) -> Result<(), OtError> {
        let trees = self.streams.split().trees();
        let window = rayon::current_num_threads();
        for (index, tiles) in tiles.chunks_mut(window * GROUP).enumerate() {
            let groups = tiles.par_chunks_mut(GROUP).enumerate();
            let corrections = groups.map_init(GroupBuffers::new, |buffers, (group, tiles)| {
                let start = (index * window + group) * GROUP;
                let mut corrections = vec![0; tiles.len() * trees];
                self.streams.fill(first + start as u64, tiles, buffers, |_, tree, sums| {
                    let blocks = corrections.chunks_mut(trees).zip(sums);
                    for (place, (blocks, sum)) in (start..).zip(blocks) {
                        blocks[tree] = Block::from_le_bytes(sum.0) ^ choices(tree, place);
                    }
                });
                Corrections(corrections)
            });
            let corrections: Vec<Corrections> = corrections.collect();
            for corrections in &corrections {
                channel.put(corrections)?;
            }
        }
        Ok(())
    }

    pub(super) fn hash(&self) -> &Hash {
        &self.hash
    }
}

/// Choice j of tile t is bit j of block t; the last tile is filled up with zeros.
fn pack(choices: &[bool]) -> Vec<Block> {
    let tile = |bits: &[bool]| {
        (0..).zip(bits).fold(0, |tile, (place, bit)| tile | (Block::from(*bit) << place))
    };
    let mut packed = Vec::with_capacity(choices.len().div_ceil(TILE) + 1);
    packed.par_extend(choices.par_chunks(TILE).map(tile));
    packed
}
