//! What crosses the wire.

use veilset_channel::{Malformed, Message, Reader, Tag};

use super::tree::TreeSums;
use crate::extension::{block, put_blocks};
use crate::{BLOCK_BYTES, Block};

/// What completes some trees.
pub(super) struct Trees(pub(super) Vec<TreeSums>);

/// How many trees, and how deep.
pub(super) struct TreesShape {
    pub(super) trees: usize,
    pub(super) depth: usize,
}

impl TreesShape {
    /// Bytes of a tree of `depth` on the wire.
    pub(super) fn tree_bytes(depth: usize) -> usize {
        (2 * depth - 1) * BLOCK_BYTES
    }
}

impl Message for Trees {
    const TAG: Tag = Tag::VoleTrees;
    type Context = TreesShape;

    fn max_len(shape: &TreesShape) -> usize {
        shape.trees * TreesShape::tree_bytes(shape.depth)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        for tree in &self.0 {
            put_blocks(out, tree.levels.as_flattened());
            put_blocks(out, &[tree.leaves]);
        }
    }

    fn decode(reader: &mut Reader<'_>, shape: &TreesShape) -> Result<Self, Malformed> {
        let mut tree = || {
            let levels = (1..shape.depth).map(|_| Ok([block(reader)?, block(reader)?]));
            let levels = levels.collect::<Result<_, Malformed>>()?;
            Ok(TreeSums { levels, leaves: block(reader)? })
        };
        (0..shape.trees).map(|_| tree()).collect::<Result<_, _>>().map(Self)
    }
}

/// What fixes the hash of a correlation, and the masked hash of the noise.
pub(super) struct Challenge {
    pub(super) factors: [Block; 2],
    pub(super) noise: Block,
}

impl Message for Challenge {
    const TAG: Tag = Tag::VoleChallenge;
    type Context = ();

    fn max_len((): &()) -> usize {
        3 * BLOCK_BYTES
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_blocks(out, &self.factors);
        put_blocks(out, &[self.noise]);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let factors = [block(reader)?, block(reader)?];
        Ok(Self { factors, noise: block(reader)? })
    }
}

/// A digest of the hash of a correlation.
pub(super) struct Answer(pub(super) [u8; 32]);

impl Message for Answer {
    const TAG: Tag = Tag::VoleCheck;
    type Context = ();

    fn max_len((): &()) -> usize {
        32
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        reader.array().map(Self)
    }
}
