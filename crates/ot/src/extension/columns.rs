//! Small-field VOLE from trees (eprint 2022/192, figure 7), one group of tiles at a time.
//!
//! A leaf's seed is stretched to a long vector of bits, r_x for leaf x. The party with the whole tree of depth k has
//!
//! > u = Σ r_x,  v_b = Σ of the r_x with bit b of x set, for b < k.
//!
//! The other one, whose leaf Δ is missing and whose leaf x stands at place x ⊕ Δ, sums in the same way over its places
//! and gets w_b = v_b + Δ_b·u. So place 0 enters no w_b, and both parties run the same code.

use veilset_simd::{Aes128, TILE, Tile};
use zeroize::Zeroize;

use super::parameters::{MAX_DEPTH, TreeSplit};
use super::tree::Seeds;
use crate::Block;

/// Tiles that are filled at once; as many blocks of one stream go through the cipher together.
pub(super) const GROUP: usize = 64;

/// The streams of all trees: AES-128 in counter mode under each leaf's seed, one block for each tile.
pub(super) struct Streams {
    split: TreeSplit,
    trees: Vec<Vec<Aes128>>,
}

impl Streams {
    /// The streams of the leaves of each tree, or of all but the first where that is missing.
    pub(super) fn new(split: TreeSplit, leaves: &[Seeds], first_missing: bool) -> Self {
        let cipher = |seed: &Block| Aes128::best(&seed.to_le_bytes());
        let skip = usize::from(first_missing);
        let trees = leaves.iter().map(|seeds| seeds[skip..].iter().map(cipher).collect());
        Self { split, trees: trees.collect() }
    }

    pub(super) fn split(&self) -> TreeSplit {
        self.split
    }

    /// Fills the columns of `tiles`, the first of which is number `first` since the setup, tree by tree; `each` gets
    /// the tiles with the tree's number and its u, a block for each tile, once the tree's columns are filled.
    pub(super) fn fill(
        &self,
        first: u64,
        tiles: &mut [Tile],
        buffers: &mut GroupBuffers,
        mut each: impl FnMut(&mut [Tile], usize, &[aes::Block]),
    ) {
        buffers.start(first, tiles.len());
        for (index, streams) in self.trees.iter().enumerate() {
            let columns = self.split.bits(index);
            buffers.sum(streams, columns.len());
            for (column, sums) in columns.zip(&buffers.columns) {
                let bits = sums.iter().map(|sum| Block::from_le_bytes(sum.0));
                tiles.iter_mut().zip(bits).for_each(|(tile, bits)| tile[column] = bits);
            }
            each(tiles, index, &buffers.rest[..tiles.len()]);
        }
    }
}

/// A block for each tile of a group.
type Vector = [aes::Block; GROUP];

/// Where the sums of one tree are made.
pub(super) struct GroupBuffers {
    length: usize,
    counters: Vector,
    /// The sum of the places so far that are not yet in `halves`; in the end u.
    rest: Vector,
    /// At b, the sum of the left half of the current subtree of depth b + 1.
    halves: [Vector; MAX_DEPTH],
    /// At b, the sum of the places with bit b set.
    columns: [Vector; MAX_DEPTH],
}

impl GroupBuffers {
    /// On the heap, for it is large.
    pub(super) fn new() -> Box<Self> {
        let zero = [aes::Block::default(); GROUP];
        Box::new(Self {
            length: 0,
            counters: zero,
            rest: zero,
            halves: [zero; MAX_DEPTH],
            columns: [zero; MAX_DEPTH],
        })
    }

    fn start(&mut self, first: u64, length: usize) {
        assert!(length <= GROUP, "tiles come in groups");
        self.length = length;
        for (number, counter) in (first..).zip(&mut self.counters[..length]) {
            counter.0 = Block::from(number).to_le_bytes();
        }
    }

    /// The sums over a tree of `depth`, whose first stream may be missing, place after place: two subtrees of depth b
    /// that stand side by side become one of depth b + 1, and what was the sum of the right one belongs to column b.
    fn sum(&mut self, streams: &[Aes128], depth: usize) {
        let used = self.length;
        for column in &mut self.columns[..depth] {
            column[..used].fill(aes::Block::default());
        }
        let missing = (1 << depth) - streams.len();
        for place in 0..1_usize << depth {
            let left = place % 2 == 0;
            let leaf = if left { &mut self.halves[0] } else { &mut self.rest };
            match place.checked_sub(missing) {
                None => leaf[..used].fill(aes::Block::default()),
                Some(stream) => {
                    streams[stream].encrypt_to(&self.counters[..used], &mut leaf[..used]);
                }
            }
            let mut level = 0;
            while (place >> level) & 1 == 1 {
                add(&mut self.columns[level][..used], &self.rest[..used]);
                add(&mut self.rest[..used], &self.halves[level][..used]);
                level += 1;
            }
            if !left && level < depth {
                self.halves[level][..used].copy_from_slice(&self.rest[..used]);
            }
        }
    }
}

impl Drop for GroupBuffers {
    fn drop(&mut self) {
        let vectors = self.halves.as_flattened_mut().iter_mut();
        let all = vectors.chain(self.columns.as_flattened_mut()).chain(&mut self.rest);
        all.for_each(|block| block.0.zeroize());
    }
}

fn add(sums: &mut [aes::Block], blocks: &[aes::Block]) {
    for (sum, block) in sums.iter_mut().zip(blocks) {
        let added = Block::from_ne_bytes(sum.0) ^ Block::from_ne_bytes(block.0);
        sum.0 = added.to_ne_bytes();
    }
}

const _: () = assert!(TILE == Block::BITS as usize, "a column of a tile is one block");

#[cfg(test)]
mod tests {
    use aes::cipher::{BlockCipherEncrypt, KeyInit};
    use zeroize::Zeroizing;

    use super::*;
    use crate::{ExtensionParameters, Security};

    /// r_x of one tile, as the definition says.
    fn stream(seed: Block, tile: u64) -> Block {
        let mut block = Block::from(tile).to_le_bytes().into();
        aes::Aes128Enc::new(&seed.to_le_bytes().into()).encrypt_block(&mut block);
        Block::from_le_bytes(block.0)
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        for depth in [1, 3, 8] {
            let parameters =
                ExtensionParameters::new(Security::SemiHonest, [0; 32]).with_depth(depth);
            let split = parameters.expect("in range").split;
            let leaves: Vec<Seeds> = (0..split.trees())
                .map(|tree| {
                    (0..1 << split.bits(tree).len()).map(move |x| (tree * 999 + x) as Block)
                })
                .map(|seeds| Zeroizing::new(seeds.collect()))
                .collect();
            let mut tiles = [[0; TILE]; 3];
            let mut sums = Vec::new();
            Streams::new(split, &leaves, false).fill(
                5,
                &mut tiles,
                &mut GroupBuffers::new(),
                |_, tree, u| sums.push((tree, Block::from_le_bytes(u[2].0))),
            );
            for (tree, u) in sums {
                let vectors: Vec<Block> =
                    leaves[tree].iter().map(|seed| stream(*seed, 7)).collect();
                assert_eq!(u, vectors.iter().fold(0, |sum, r| sum ^ r));
                for (bit, column) in split.bits(tree).enumerate() {
                    let with = (0..vectors.len()).filter(|x| (x >> bit) & 1 == 1);
                    assert_eq!(tiles[2][column], with.fold(0, |sum, x| sum ^ vectors[x]));
                }
            }
        }
    }
}
