//! Punctured pseudorandom functions (Goldreich–Goldwasser–Micali trees), one for each block of the noise.
//!
//! One party grows a tree of 2^d leaves from d pairs of blocks. The other one, who has one block of each pair, learns
//! every leaf but one, and in its place what the first party's last sum lets it: the leaf plus the product of a noise value
//! with Δ (Boyle et al., CCS 2019, eprint 2019/1159, figures 3 and 4). Level l decides bit l of a leaf's number: the
//! children of node j are j, on side 0, and j + 2^l, on side 1.
//!
//! The seeds of `extension::tree` are few and secret for long; these are millions and used once, so a node's children
//! are π_0(x) ⊕ x and π_1(x) ⊕ x with two keys of AES that every tree has for itself: a guess of a node's value can be
//! tested on the nodes of one tree only.

use std::hint::black_box;

use veilset_simd::Aes128;
use zeroize::Zeroize;

use super::field::Subfield;
use crate::base::Session;
use crate::cipher::{BATCH, CipherBatch};
use crate::{BLOCK_BYTES, Block};

/// What completes one punctured tree.
#[derive(Clone)]
pub(super) struct TreeSums {
    /// For each level but the first the padded sums of both sides.
    pub(super) levels: Vec<[Block; 2]>,
    /// The sum of the leaves and of the first party's share of the product.
    pub(super) leaves: Block,
}

/// How a tree grows.
pub(super) struct Growth {
    sides: [Aes128; 2],
    batch: CipherBatch,
}

impl Growth {
    /// Of tree `index` in a session.
    pub(super) fn new(session: &Session, index: usize) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("veilset 2026 vector OLE: node of a tree");
        hasher.update(session).update(&(index as u64).to_le_bytes());
        let mut keys = [[0; BLOCK_BYTES]; 2];
        hasher.finalize_xof().fill(keys.as_flattened_mut());
        Self { sides: keys.map(|key| Aes128::best(&key)), batch: CipherBatch::new() }
    }

    /// Replaces each node by its child on side 0, and puts those on side 1 into `right`, as many as fit.
    fn expand(&mut self, nodes: &mut [Block], right: &mut [Block]) {
        for (nodes, right) in nodes.chunks(BATCH).zip(right.chunks_mut(BATCH)) {
            self.batch.load(nodes.iter().take(right.len()).copied());
            self.batch.encrypt(&self.sides[1]);
            let children = self.batch.store().zip(nodes).map(|(image, node)| image ^ node);
            right.iter_mut().zip(children).for_each(|(right, child)| *right = child);
        }
        for nodes in nodes.chunks_mut(BATCH) {
            self.batch.load(nodes.iter().copied());
            self.batch.encrypt(&self.sides[0]);
            self.batch.store().zip(nodes).for_each(|(image, node)| *node ^= image);
        }
    }
}

/// The depth of a tree of `leaves` leaves, at least 2; where they are fewer than 2^d, the last ones are not grown.
///
/// A level's sums are over the children of parents that have two. So whoever names a leaf for missing that is not grown
/// finds no sum with the one leaf that the last node on its path has, and misses that one: no choice gives all leaves.
pub(super) fn depth(leaves: usize) -> usize {
    leaves.next_power_of_two().ilog2() as usize
}

/// Fills `leaves` with the tree that grows from the `pairs`, one for each level of its [`depth`]; returns what lets the
/// other party complete its own, `share` being this party's share of the product.
pub(super) fn grow(
    growth: &mut Growth,
    pairs: &[[Block; 2]],
    share: Block,
    leaves: &mut [Block],
) -> TreeSums {
    leaves[..2].copy_from_slice(&pairs[0]);
    let mut levels = Vec::with_capacity(pairs.len() - 1);
    for (level, pads) in (1..).zip(&pairs[1..]) {
        let (nodes, right) = split(leaves, level);
        growth.expand(nodes, right);
        levels.push([sum(&nodes[..right.len()]) ^ pads[0], sum(right) ^ pads[1]]);
    }
    TreeSums { levels, leaves: sum(leaves) ^ share }
}

/// Fills `leaves` with the same tree but for the leaf number `missing`, from the block of each pair
/// that lies beside the path to it; at its place stands the leaf, plus both parties' shares of the product. Neither the
/// time nor the memory that is touched depends on `missing`.
pub(super) fn puncture(
    growth: &mut Growth,
    missing: u64,
    blocks: &[Block],
    sums: &TreeSums,
    share: Block,
    leaves: &mut [Block],
) {
    let mut garbage = [0, 0];
    {
        // The children of a node that holds 0, as the missing one of each level does.
        let [left, right] = &mut garbage;
        growth.expand(std::slice::from_mut(left), std::slice::from_mut(right));
    }
    leaves[..2].copy_from_slice(&only(1 - (missing & 1), blocks[0]));
    for (level, (padded, block)) in (1..).zip(sums.levels.iter().zip(&blocks[1..])) {
        let (nodes, right) = split(leaves, level);
        growth.expand(nodes, right);
        let totals = [sum(&nodes[..right.len()]), sum(right)];
        let beside = 1 - (missing >> level & 1);
        // The sum of all nodes on that side, less those that are known.
        let found = [0, 1].map(|side| padded[side] ^ totals[side] ^ garbage[side]);
        let found = select(beside, found) ^ block;
        let [on_left, on_right] = only(beside, found);
        let parent = missing & ((1 << level) - 1);
        add_at(nodes, parent, garbage[0] ^ on_left);
        add_at(right, parent, garbage[1] ^ on_right);
    }
    let last = sums.leaves ^ sum(leaves) ^ share;
    add_at(leaves, missing, last);
    garbage.zeroize();
}

/// The nodes of a level, and the places of their children on side 1.
fn split(leaves: &mut [Block], level: usize) -> (&mut [Block], &mut [Block]) {
    let end = leaves.len().min(2 << level);
    leaves[..end].split_at_mut(1 << level)
}

/// Adds `value` to the element at place `at`; every place is touched.
pub(super) fn add_at<B: Subfield>(elements: &mut [B], at: u64, value: B) {
    let at = black_box(at);
    for (place, element) in (0u64..).zip(elements) {
        // −1 where nothing differs.
        let same = (place ^ at).wrapping_sub(1).cast_signed() >> 63;
        *element ^= value & B::truncate(i128::from(same).cast_unsigned());
    }
}

/// `value` on one side, 0 on the other.
fn only(side: u64, value: Block) -> [Block; 2] {
    let right = Block::from(side).wrapping_neg();
    [value & !right, value & right]
}

fn select(side: u64, [left, right]: [Block; 2]) -> Block {
    let mask = Block::from(side).wrapping_neg();
    left ^ (mask & (left ^ right))
}

fn sum(blocks: &[Block]) -> Block {
    blocks.iter().fold(0, |sum, block| sum ^ block)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: Session = [3; 32];

    fn block(n: usize) -> Block {
        let digest = blake3::hash(&n.to_le_bytes());
        Block::from_le_bytes(digest.as_bytes()[..16].try_into().expect("16 bytes"))
    }

    #[test]
    fn a_punctured_tree_is_the_tree_but_for_one_leaf() {
        for count in [2, 3, 4, 5, 7, 8, 9, 100, 128, 129, 200] {
            let depth = depth(count);
            let pairs: Vec<[Block; 2]> =
                (0..depth).map(|level| [block(2 * level), block(2 * level + 1)]).collect();
            let mut leaves = vec![0; count];
            let (ours, theirs) = (block(100), block(101));
            let sums = grow(&mut Growth::new(&SESSION, depth), &pairs, ours, &mut leaves);
            for missing in 0..count {
                let beside = |level: usize| pairs[level][1 - (missing >> level & 1)];
                let blocks: Vec<Block> = (0..depth).map(beside).collect();
                let mut got = vec![0; count];
                let growth = &mut Growth::new(&SESSION, depth);
                puncture(growth, missing as u64, &blocks, &sums, theirs, &mut got);
                let mut expected = leaves.clone();
                expected[missing] ^= ours ^ theirs;
                assert_eq!(got, expected, "{count} leaves, all but {missing}");
            }
        }
    }

    #[test]
    fn who_names_a_leaf_that_is_not_grown_misses_another() {
        for count in [3, 5, 6, 100, 129, 200] {
            let depth = depth(count);
            let pairs: Vec<[Block; 2]> =
                (0..depth).map(|level| [block(2 * level), block(2 * level + 1)]).collect();
            let mut leaves = vec![0; count];
            let ours = block(100);
            let sums = grow(&mut Growth::new(&SESSION, 0), &pairs, ours, &mut leaves);
            for missing in count..1 << depth {
                let beside = |level: usize| pairs[level][1 - (missing >> level & 1)];
                let blocks: Vec<Block> = (0..depth).map(beside).collect();
                let mut got = vec![0; count];
                let growth = &mut Growth::new(&SESSION, 0);
                puncture(growth, missing as u64, &blocks, &sums, 0, &mut got);
                let missed = missing - (1 << (depth - 1));
                let known = (0..count).filter(|leaf| got[*leaf] == leaves[*leaf]);
                assert!(known.eq((0..count).filter(|leaf| *leaf != missed)), "{count} {missing}");
                assert_ne!(sums.leaves ^ sum(&got), ours, "{count} {missing}");
            }
        }
    }

    #[test]
    fn leaves_are_the_definition_of_each() {
        let mut growth = Growth::new(&SESSION, 5);
        let pairs: Vec<[Block; 2]> = (0..4).map(|n| [block(n), block(n + 9)]).collect();
        let mut leaves = vec![0; 16];
        grow(&mut growth, &pairs, 0, &mut leaves);
        for (number, leaf) in leaves.iter().enumerate() {
            let mut node = pairs[0][number & 1];
            for level in 1..4 {
                let mut image = [node, 0];
                let (left, right) = image.split_at_mut(1);
                Growth::new(&SESSION, 5).expand(left, right);
                node = image[number >> level & 1];
            }
            assert_eq!(*leaf, node, "leaf {number}");
        }
    }

    #[test]
    fn trees_and_sessions_have_keys_of_their_own() {
        let grown = |session, index| {
            let mut leaves = vec![0; 4];
            grow(&mut Growth::new(session, index), &[[1, 2], [3, 4]], 0, &mut leaves);
            leaves
        };
        assert_ne!(grown(&SESSION, 0), grown(&SESSION, 1));
        assert_ne!(grown(&SESSION, 0), grown(&[4; 32], 0));
    }
}
