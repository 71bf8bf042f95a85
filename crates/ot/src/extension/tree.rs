//! Trees of seeds, and the same trees with one leaf missing: the punctured pseudorandom function of eprint 2022/192,
//! with its check against a party that grows no tree.
//!
//! A tree of depth k has 2^k leaves. One party grows it from k pairs of blocks; the other, who has one block of each
//! pair, learns every leaf but one. Level l decides bit l of a leaf's number: the children of node j are j, on side 0,
//! and j + 2^l, on side 1.

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use veilset_channel::PeerFault;
use zeroize::Zeroizing;

use super::messages::{TreeProof, TreeSums};
use super::parameters::Security;
use crate::base::Session;
use crate::{BLOCK_BYTES, Block};

/// Seeds that wipe themselves.
pub(super) type Seeds = Zeroizing<Vec<Block>>;

/// What a leaf adds to the proof that a tree is one.
type Share = [u8; 32];

/// The hashes of one tree.
pub(super) struct Oracle {
    node: Zeroizing<blake3::Hasher>,
    leaf: Zeroizing<blake3::Hasher>,
    proof: blake3::Hasher,
}

impl Oracle {
    /// The hashes of tree `index` in a session.
    pub(super) fn new(session: &Session, index: usize) -> Self {
        let start = |context| {
            let mut hasher = blake3::Hasher::new_derive_key(context);
            hasher.update(session).update(&(index as u64).to_le_bytes());
            hasher
        };
        Self {
            node: Zeroizing::new(start("veilset 2026 oblivious transfer: node of a seed tree")),
            leaf: Zeroizing::new(start("veilset 2026 oblivious transfer: leaf of a seed tree")),
            proof: start("veilset 2026 oblivious transfer: proof of a seed tree"),
        }
    }

    fn children(&self, node: Block) -> [Block; 2] {
        let bytes = stretch::<{ 2 * BLOCK_BYTES }>(&self.node, node);
        let (blocks, _) = bytes.as_chunks();
        [Block::from_le_bytes(blocks[0]), Block::from_le_bytes(blocks[1])]
    }

    fn leaf(&self, node: Block) -> (Block, Share) {
        let bytes = stretch::<{ BLOCK_BYTES + size_of::<Share>() }>(&self.leaf, node);
        let (seed, share) = bytes.split_at(BLOCK_BYTES);
        let seed = seed.try_into().map(Block::from_le_bytes);
        let share = share.try_into();
        (seed.unwrap_or_default(), share.unwrap_or_default())
    }

    fn proof(&self, shares: &[Share]) -> [u8; 32] {
        self.proof.clone().update(shares.as_flattened()).finalize().into()
    }
}

fn stretch<const N: usize>(oracle: &blake3::Hasher, node: Block) -> Zeroizing<[u8; N]> {
    let mut bytes = Zeroizing::new([0; N]);
    let mut hasher = Zeroizing::new(oracle.clone());
    hasher.update(&node.to_le_bytes());
    hasher.finalize_xof().fill(&mut *bytes);
    bytes
}

/// The leaves of the tree that grows from `pairs`, one a level, and what lets the other party complete its own.
pub(super) fn grow(oracle: &Oracle, pairs: &[[Block; 2]], security: Security) -> (Seeds, TreeSums) {
    let mut nodes = Zeroizing::new(pairs[0].to_vec());
    let mut levels = Vec::new();
    for pads in &pairs[1..] {
        nodes = expand(oracle, &nodes);
        let (left, right) = nodes.split_at(nodes.len() / 2);
        levels.push([sum(left) ^ pads[0], sum(right) ^ pads[1]]);
    }
    let (seeds, shares) = leaves(oracle, &nodes);
    let proof = match security {
        Security::SemiHonest => None,
        Security::Malicious => {
            Some(TreeProof { sum: sum_shares(&shares), digest: oracle.proof(&shares) })
        }
    };
    (seeds, TreeSums { levels, proof })
}

/// The leaves of a tree but one, from the block of each pair that lies beside the path to it.
///
/// Bit l of the missing leaf's number is `path[l]`. Leaf x comes out at place x ⊕ path, so that place 0 is the missing
/// one and holds 0. Neither the time nor the memory that is touched depends on the path.
///
/// # Errors
/// When the proof shows that the blocks and sums are not those of one tree.
pub(super) fn puncture(
    oracle: &Oracle,
    path: &[Choice],
    blocks: &[Block],
    sums: &TreeSums,
) -> Result<Seeds, PeerFault> {
    let mut missing = bit(path[0]);
    let mut nodes = Zeroizing::new(vec![blocks[0]; 2]);
    hide(&mut nodes, missing);
    for (level, (pads, block)) in (1..).zip(sums.levels.iter().zip(&blocks[1..])) {
        nodes = expand(oracle, &nodes);
        let (left, right) = nodes.split_at_mut(1 << level);
        hide(left, missing);
        hide(right, missing);
        let on_path = path[level];
        let totals = [sum(left) ^ pads[0], sum(right) ^ pads[1]];
        let beside = block ^ Block::conditional_select(&totals[1], &totals[0], on_path);
        place(left, missing, Block::conditional_select(&0, &beside, on_path));
        place(right, missing, Block::conditional_select(&beside, &0, on_path));
        missing |= bit(on_path) << level;
    }
    let (mut seeds, mut shares) = leaves(oracle, &nodes);
    hide(&mut seeds, missing);
    if let Some(proof) = &sums.proof {
        check(oracle, &mut shares, missing, proof)?;
    }
    reorder(&mut seeds, path);
    Ok(seeds)
}

fn expand(oracle: &Oracle, nodes: &[Block]) -> Seeds {
    let mut children = Zeroizing::new(vec![0; 2 * nodes.len()]);
    let (left, right) = children.split_at_mut(nodes.len());
    for ((node, left), right) in nodes.iter().zip(left).zip(right) {
        [*left, *right] = oracle.children(*node);
    }
    children
}

fn leaves(oracle: &Oracle, nodes: &[Block]) -> (Seeds, Zeroizing<Vec<Share>>) {
    let (seeds, shares): (Vec<_>, Vec<_>) = nodes.iter().map(|node| oracle.leaf(*node)).unzip();
    (Zeroizing::new(seeds), Zeroizing::new(shares))
}

/// Whether the shares, of which the missing leaf's follows from their sum, are those that the proof is about.
fn check(
    oracle: &Oracle,
    shares: &mut [Share],
    missing: u64,
    proof: &TreeProof,
) -> Result<(), PeerFault> {
    let total = sum_shares(shares);
    for (place, share) in (0u64..).zip(shares.iter_mut()) {
        // What stands in the missing share's place is in the total; without it, the proof's sum lacks just that share.
        for (index, byte) in share.iter_mut().enumerate() {
            let right = proof.sum[index] ^ total[index] ^ *byte;
            byte.conditional_assign(&right, place.ct_eq(&missing));
        }
    }
    let same = oracle.proof(shares).ct_eq(&proof.digest);
    if same.into() { Ok(()) } else { Err(PeerFault::CheckFailed("check of the seed trees")) }
}

fn sum(blocks: &[Block]) -> Block {
    blocks.iter().fold(0, |sum, block| sum ^ block)
}

fn sum_shares(shares: &[Share]) -> Share {
    shares.iter().fold([0; 32], |mut sum, share| {
        sum.iter_mut().zip(share).for_each(|(sum, byte)| *sum ^= byte);
        sum
    })
}

fn bit(choice: Choice) -> u64 {
    u64::from(choice.unwrap_u8())
}

/// Puts 0 at place `missing`.
fn hide(blocks: &mut [Block], missing: u64) {
    place(blocks, missing, 0);
}

fn place(blocks: &mut [Block], at: u64, value: Block) {
    for (index, block) in (0u64..).zip(blocks) {
        block.conditional_assign(&value, index.ct_eq(&at));
    }
}

/// Moves the entry at each place x to x ⊕ path.
fn reorder(blocks: &mut [Block], path: &[Choice]) {
    for (level, choice) in path.iter().enumerate() {
        for pair in blocks.chunks_mut(2 << level) {
            let (left, right) = pair.split_at_mut(1 << level);
            left.iter_mut()
                .zip(right)
                .for_each(|(left, right)| Block::conditional_swap(left, right, *choice));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: Session = [3; 32];

    fn pairs(depth: usize) -> Vec<[Block; 2]> {
        let digest = |n: usize| *blake3::hash(&n.to_le_bytes()).as_bytes();
        let block = |n| u128::from_le_bytes(digest(n)[..16].try_into().expect("16 bytes"));
        (0..depth).map(|level| [block(2 * level), block(2 * level + 1)]).collect()
    }

    fn beside(pairs: &[[Block; 2]], leaf: usize) -> (Vec<Choice>, Vec<Block>) {
        let bits = (0..pairs.len()).map(|level| (leaf >> level) & 1);
        let blocks = pairs.iter().zip(bits.clone()).map(|(pair, bit)| pair[1 - bit]);
        (bits.map(|bit| Choice::from(bit as u8)).collect(), blocks.collect())
    }

    #[test]
    fn a_punctured_tree_is_the_tree_but_for_one_leaf() {
        for security in [Security::SemiHonest, Security::Malicious] {
            for depth in 1..=5 {
                let oracle = Oracle::new(&SESSION, depth);
                let pairs = pairs(depth);
                let (seeds, sums) = grow(&oracle, &pairs, security);
                for leaf in 0..1 << depth {
                    let (path, blocks) = beside(&pairs, leaf);
                    let got = puncture(&oracle, &path, &blocks, &sums).expect("honest");
                    assert_eq!(got[0], 0);
                    (1..1 << depth).for_each(|place| assert_eq!(got[place], seeds[place ^ leaf]));
                    assert!(!got.contains(&seeds[leaf]));
                }
            }
        }
    }

    #[test]
    fn a_tree_with_a_wrong_sum_is_refused_where_the_sum_matters() {
        let oracle = Oracle::new(&SESSION, 0);
        let pairs = pairs(3);
        let (_, mut sums) = grow(&oracle, &pairs, Security::Malicious);
        sums.levels[1][0] ^= 1;
        for leaf in 0..8 {
            let (path, blocks) = beside(&pairs, leaf);
            let refused = puncture(&oracle, &path, &blocks, &sums).is_err();
            assert_eq!(refused, leaf >> 2 == 1, "leaf {leaf} needs the sum of side 0 on level 2");
        }
    }
}
