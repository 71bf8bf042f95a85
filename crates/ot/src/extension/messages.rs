//! What crosses the wire.

use veilset_channel::{Blob, Malformed, Message, Reader, Tag};
use veilset_simd::{TILE, Tile};

use super::parameters::{ExtensionParameters, Security};
use crate::{BLOCK_BYTES, Block};

/// What completes one punctured tree: for each level but the first the padded sums of both sides, and the proof where
/// the peer may cheat.
pub(super) struct TreeSums {
    pub(super) levels: Vec<[Block; 2]>,
    pub(super) proof: Option<TreeProof>,
}

/// The sum of the leaves' shares, and their digest.
pub(super) struct TreeProof {
    pub(super) sum: [u8; 32],
    pub(super) digest: [u8; 32],
}

/// [`TreeSums`] for all trees.
pub(super) struct Trees(pub(super) Vec<TreeSums>);

impl Message for Trees {
    const TAG: Tag = Tag::OtTrees;
    type Context = ExtensionParameters;

    fn max_len(parameters: &ExtensionParameters) -> usize {
        let proof = match parameters.security {
            Security::SemiHonest => 0,
            Security::Malicious => 64,
        };
        let trees = parameters.split.trees();
        2 * BLOCK_BYTES * (TILE - trees) + proof * trees
    }

    fn encode(&self, out: &mut Vec<u8>) {
        for tree in &self.0 {
            put_blocks(out, tree.levels.as_flattened());
            if let Some(proof) = &tree.proof {
                out.extend_from_slice(&proof.sum);
                out.extend_from_slice(&proof.digest);
            }
        }
    }

    fn decode(
        reader: &mut Reader<'_>,
        parameters: &ExtensionParameters,
    ) -> Result<Self, Malformed> {
        let split = parameters.split;
        let mut tree = |index| {
            let pairs = split.bits(index).skip(1).map(|_| Ok([block(reader)?, block(reader)?]));
            let levels = pairs.collect::<Result<_, Malformed>>()?;
            let proof = match parameters.security {
                Security::SemiHonest => None,
                Security::Malicious => {
                    Some(TreeProof { sum: reader.array()?, digest: reader.array()? })
                }
            };
            Ok(TreeSums { levels, proof })
        };
        (0..split.trees()).map(&mut tree).collect::<Result<_, _>>().map(Self)
    }
}

/// For each tile of a group and each tree: the choices less what the tree has in their place.
pub(super) struct Corrections(pub(super) Vec<Block>);

impl Message for Corrections {
    const TAG: Tag = Tag::OtCorrections;

    /// The number of blocks.
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count * BLOCK_BYTES
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_blocks(out, &self.0);
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let (blocks, _) = reader.bytes(count * BLOCK_BYTES)?.as_chunks();
        Ok(Self(blocks.iter().copied().map(Block::from_le_bytes).collect()))
    }
}

/// The element that fixes the hash of the columns.
pub(super) struct Challenge(pub(super) Block);

impl Message for Challenge {
    const TAG: Tag = Tag::OtChallenge;
    type Context = ();

    fn max_len((): &()) -> usize {
        BLOCK_BYTES
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_blocks(out, &[self.0]);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        block(reader).map(Self)
    }
}

/// The hashes of the choices and of the receiver's columns.
pub(super) struct Hashes {
    pub(super) choices: Block,
    pub(super) columns: Tile,
}

impl Message for Hashes {
    const TAG: Tag = Tag::OtCheck;
    type Context = ();

    fn max_len((): &()) -> usize {
        (1 + TILE) * BLOCK_BYTES
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_blocks(out, &[self.choices]);
        put_blocks(out, &self.columns);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let choices = block(reader)?;
        let mut columns = [0; TILE];
        for column in &mut columns {
            *column = block(reader)?;
        }
        Ok(Self { choices, columns })
    }
}

/// Padded messages, or corrections that stand in their place.
pub(super) type Padded = Blob<{ Tag::OtMessages.byte() }>;

pub(crate) fn put_blocks(out: &mut Vec<u8>, blocks: &[Block]) {
    out.reserve(blocks.len() * BLOCK_BYTES);
    blocks.iter().for_each(|block| out.extend_from_slice(&block.to_le_bytes()));
}

pub(crate) fn block(reader: &mut Reader<'_>) -> Result<Block, Malformed> {
    reader.array().map(Block::from_le_bytes)
}
