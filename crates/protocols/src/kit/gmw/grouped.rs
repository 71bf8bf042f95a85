//! Sums by groups of shared bits times numbers, where the offerer alone knows a bit's numbers and its group.
//!
//! For each bit the offerer makes two keys of a distributed point function (Boyle, Gilboa and Ishai, CCS 2016, eprint 2018/707), on a half-tree
//! (Guo, Yang, Wang, Zhang, Xie, Zhang and Liu, Eurocrypt 2023, eprint 2022/1431),
//! that is the bit's numbers at its group and zero elsewhere. Their roots are the pads of a transfer, which the chooser chooses by its share of
//! the bit, and whose choice is the root's control bit; what both keys have in common crosses as it is. The chooser evaluates its key at all groups. The offerer
//! evaluates, and takes off, the one that the chooser has where the bit is 0. So where it is 0 both are the same and
//! add up to nothing, and where it is 1 they add up to the numbers, at their group.
//!
//! A bit takes 16 bytes a level of the tree, and at its end the numbers of a leaf, which has a few groups: of all of them its first number,
//! then the second, and so on, each as wide as a word of the machine. So the bytes grow with the
//! logarithm of the number of groups, and the time, a few block cipher calls a group, with that number.
//!
//! A node is a block, with its control bit in the lowest place. Its left child is its hash, and its right child that and the node itself, so a
//! node takes one hash. On the path to the group the two keys' nodes differ by one block Δ all the way, and beside it by nothing: the
//! correction of a level is what their hashes differ by, and Δ where the path goes left. Hashes, and leaves' numbers, are those of the transfers'
//! tweakable hash, each under a tweak of its own.
//!
//! **Security.** The chooser has one key of each bit, which says nothing of group and numbers where the hash is circular correlation robust:
//! it knows one node of each level's path, and the other one is Δ away, of which 127 bits are random. The offerer gets nothing.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use veilset_ot::{BLOCK_BYTES, Block, Hash};
use zeroize::Zeroizing;

use super::products::{Lanes, Transferred, mask};
use super::words::Words;
use super::{Factors, Gmw, cut};
use crate::kit::wire::number_of;
use crate::{Groups, MAX_GROUPS, Means, ProtocolError};

/// Nodes that one task has at a time, about.
const NODES_A_TASK: usize = 1 << 12;

impl Gmw {
    /// This side's shares of the sums of products by group, reduced: those of the first group, then those of the second, and so on.
    /// The chooser knows the group of no bit.
    pub(crate) fn grouped_sums(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        own: &[u8],
        factors: Factors<'_>,
        groups: Groups<'_>,
    ) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
        assert!(
            (1..=MAX_GROUPS).contains(&groups.count),
            "both sides agreed on a number of groups"
        );
        self.trees += 1;
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 trees of groups");
        hasher.update(means.session).update(&self.trees.to_le_bytes());
        let hash = Hash::new(hasher.finalize().as_bytes());
        let tree = Tree::new(groups.count, factors.widths);
        let sums = zeros(&tree, factors.widths);
        let mut work = Grouped { tree, hash, factors, groups, sums, rooms: Mutex::default() };
        self.transferred(means, step, own, &mut work)?;
        let of_group = |group: usize| {
            let columns = work.sums.iter().zip(factors.widths);
            columns.map(move |(sums, width)| cut(sums.get(group), *width))
        };
        let mut sums = Zeroizing::new(Vec::with_capacity(groups.count * factors.widths.len()));
        sums.extend((0..groups.count).flat_map(of_group));
        Ok(sums)
    }
}

/// Bytes that cross of a bit, with so many groups and numbers of these widths.
pub(crate) fn told_bytes(groups: usize, widths: &[usize]) -> usize {
    Tree::new(groups, widths).bytes()
}

/// Block cipher calls of one side for a bit, with so many groups and numbers of these widths.
pub(crate) fn cipher_calls(groups: usize, widths: &[usize]) -> usize {
    Tree::new(groups, widths).calls()
}

/// The shape of a tree.
#[derive(Debug, Clone, Copy)]
struct Tree {
    /// Bytes of a group's numbers.
    width: usize,
    /// The logarithm of a leaf's groups.
    log: u32,
    leaves: usize,
    depth: usize,
}

impl Tree {
    /// The tree that takes the least time on a link that takes a byte in that of four block cipher calls.
    fn new(groups: usize, widths: &[usize]) -> Self {
        let width = widths.iter().map(|width| Words::width(*width)).sum();
        let of = |log: u32| {
            let leaves = groups.div_ceil(1 << log);
            let depth = leaves.next_power_of_two().ilog2() as usize;
            Self { width, log, leaves, depth }
        };
        let price = |tree: &Self| 4 * tree.bytes() + tree.calls();
        (0..=MAX_GROUPS.ilog2()).map(of).min_by_key(price).expect("a range of some")
    }

    fn bytes(self) -> usize {
        BLOCK_BYTES * self.depth + self.leaf_width()
    }

    /// Groups of a leaf.
    fn of_leaf(self) -> usize {
        1 << self.log
    }

    fn leaf_width(self) -> usize {
        self.of_leaf() * self.width
    }

    fn calls(self) -> usize {
        let nodes: usize = (0..self.depth).map(|level| self.nodes(level)).sum();
        2 * nodes + (1 + self.leaf_width().div_ceil(BLOCK_BYTES)) * self.leaves
    }

    /// Nodes of a level; the last ones of a level that have no leaf below them are not grown.
    fn nodes(self, level: usize) -> usize {
        self.leaves.div_ceil(1 << (self.depth - level))
    }

    /// The number of a level's first node of a bit, whose trees no other node has.
    fn number(self, level: usize, bit: usize) -> u64 {
        (level as u64) << 48 | (bit * self.nodes(level)) as u64
    }
}

/// Sums by groups, as they grow.
struct Grouped<'a> {
    tree: Tree,
    hash: Hash,
    factors: Factors<'a>,
    groups: Groups<'a>,
    sums: Sums,
    /// Rooms of tasks that have ended, for the next ones.
    rooms: Mutex<Vec<Room>>,
}

/// Where a task has what it hashes; it is wiped byte by byte, and so once.
type Room = Zeroizing<Vec<u8>>;

impl Transferred for Grouped<'_> {
    fn pad(&self) -> usize {
        BLOCK_BYTES
    }

    fn told(&self) -> usize {
        self.tree.bytes()
    }

    fn offer(&mut self, Lanes { range, bits }: Lanes<'_>, pads: [&[u8]; 2]) -> Vec<u8> {
        let (task, told) = (self.task(), self.told());
        let mut words = vec![0; told * bits.len()];
        let pads = pads.map(|pads| pads.par_chunks(BLOCK_BYTES * task));
        let [unset, set] = pads;
        let tasks =
            words.par_chunks_mut(told * task).zip(unset.zip(set)).zip(bits.par_chunks(task));
        let sums = tasks.enumerate().map(|(place, ((words, (unset, set)), bits))| {
            let start = range.start + place * task;
            let range = start..start + bits.len();
            let root = |pad: &[u8], control: u128| number_of(pad) & !1 | control;
            let mut same = Zeroizing::new(Vec::with_capacity(bits.len()));
            let mut other = Zeroizing::new(Vec::with_capacity(bits.len()));
            let pads = unset.chunks_exact(BLOCK_BYTES).zip(set.chunks_exact(BLOCK_BYTES));
            for ((unset, set), bit) in pads.zip(bits) {
                let (unset, set) = (root(unset, 0), root(set, 1));
                let swap = (unset ^ set) & mask(*bit);
                same.push(unset ^ swap);
                other.push(set ^ swap);
            }
            self.correct(range.clone(), [same.clone(), other], words);
            let mut sums = self.evaluate(range, same, words);
            sums.iter_mut().for_each(Words::negate);
            sums
        });
        let sums = sums.reduce(|| self.zeros(), added);
        self.sums = added(std::mem::take(&mut self.sums), sums);
        words
    }

    fn choose(&mut self, Lanes { range, bits }: Lanes<'_>, pads: &[u8], told: &[u8]) {
        let task = self.task();
        let tasks = told.par_chunks(self.told() * task).zip(pads.par_chunks(BLOCK_BYTES * task));
        let sums =
            tasks.zip(bits.par_chunks(task)).enumerate().map(|(place, ((words, pads), bits))| {
                let start = range.start + place * task;
                let pads = pads.chunks_exact(BLOCK_BYTES).zip(bits);
                let roots = pads.map(|(pad, bit)| number_of(pad) & !1 | u128::from(*bit));
                let roots = Zeroizing::new(roots.collect::<Vec<Block>>());
                self.evaluate(start..start + bits.len(), roots, words)
            });
        let sums = sums.reduce(|| self.zeros(), added);
        self.sums = added(std::mem::take(&mut self.sums), sums);
    }
}

/// Of each number of a bit, the sums over all groups of the tree's leaves.
type Sums = Vec<Words>;

fn zeros(tree: &Tree, widths: &[usize]) -> Sums {
    widths.iter().map(|width| Words::zeros(*width, tree.leaves * tree.of_leaf())).collect()
}

fn added(mut sums: Sums, more: Sums) -> Sums {
    sums.iter_mut().zip(&more).for_each(|(sums, more)| sums.add(more));
    sums
}

impl Grouped<'_> {
    fn zeros(&self) -> Sums {
        zeros(&self.tree, self.factors.widths)
    }

    /// Of each number the bytes of a leaf that have it of all groups.
    fn places(&self) -> impl Iterator<Item = Range<usize>> {
        let of_leaf = self.tree.of_leaf();
        self.factors.widths.iter().scan(0, move |end, width| {
            let start = *end;
            *end += of_leaf * Words::width(*width);
            Some(start..*end)
        })
    }

    /// Bits of a task.
    fn task(&self) -> usize {
        NODES_A_TASK.div_ceil(self.tree.leaves)
    }

    fn room(&self) -> Room {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.pop().unwrap_or_else(|| {
            let leaf_width = self.tree.leaf_width();
            let of_bit =
                (leaf_width * self.tree.leaves).max(leaf_width.next_multiple_of(BLOCK_BYTES));
            Zeroizing::new(Vec::with_capacity(of_bit * self.task()))
        })
    }

    fn give_back(&self, room: Room) {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }

    /// What is told of some bits, from the two keys' roots.
    fn correct(&self, range: Range<usize>, roots: [Zeroizing<Vec<Block>>; 2], words: &mut [u8]) {
        let Tree { depth, log, .. } = self.tree;
        let told = self.told();
        let groups = &self.groups.of[range.clone()];
        let mut nodes = roots;
        let mut hashed = Zeroizing::new(Vec::with_capacity(2 * groups.len()));
        let mut tweaks = Zeroizing::new(Vec::with_capacity(2 * groups.len()));
        for level in 0..depth {
            // Both keys' nodes on the path.
            hashed.clear();
            tweaks.clear();
            for ((bit, group), (same, other)) in
                range.clone().zip(groups).zip(nodes[0].iter().zip(nodes[1].iter()))
            {
                let node = *group as usize >> log >> (depth - level);
                let number = self.tree.number(level, bit) + node as u64;
                hashed.extend([*same, *other]);
                tweaks.extend([tweak(number, 0); 2]);
            }
            self.hash.tweaked(&mut hashed, &tweaks);
            let [same, other] = &mut nodes;
            let rows = same.iter_mut().zip(other.iter_mut()).zip(groups);
            for (((same, other), group), ([of_same, of_other], words)) in
                rows.zip(hashed.as_chunks::<2>().0.iter().zip(words.chunks_exact_mut(told)))
            {
                let right = (*group >> log >> (depth - 1 - level)) as u8 & 1;
                let correction = of_same ^ of_other ^ (*same ^ *other) & mask(1 - right);
                words[BLOCK_BYTES * level..][..BLOCK_BYTES]
                    .copy_from_slice(&correction.to_le_bytes());
                let next = |node: Block, hashed: Block| {
                    let [left, right_child] = children(node, hashed, correction);
                    left & mask(1 - right) | right_child & mask(right)
                };
                (*same, *other) = (next(*same, *of_same), next(*other, *of_other));
            }
        }
        self.correct_leaves(range, &nodes, words);
    }

    /// The end of [`correct`](Self::correct): what makes the leaves on the paths differ by the numbers.
    fn correct_leaves(
        &self,
        range: Range<usize>,
        nodes: &[Zeroizing<Vec<Block>>; 2],
        words: &mut [u8],
    ) {
        let Tree { depth, log, .. } = self.tree;
        let of_leaf = self.tree.of_leaf();
        let places: Vec<Range<usize>> = self.places().collect();
        let parts = self.tree.leaf_width().div_ceil(BLOCK_BYTES);
        let groups = &self.groups.of[range.clone()];
        let numbers_of = |nodes: &[Block], room: &mut Room| {
            let mut hashed = Zeroizing::new(Vec::with_capacity(parts * nodes.len()));
            let mut tweaks = Zeroizing::new(Vec::with_capacity(parts * nodes.len()));
            for ((bit, group), node) in range.clone().zip(groups).zip(nodes) {
                let number = self.tree.number(depth, bit) + u64::from(*group >> log);
                hashed.extend(std::iter::repeat_n(*node, parts));
                tweaks.extend((0..parts).map(|part| tweak(number, part)));
            }
            self.hash.tweaked(&mut hashed, &tweaks);
            room.clear();
            hashed.iter().for_each(|block| room.extend_from_slice(&block.to_le_bytes()));
        };
        let [mut same_room, mut other_room] = [self.room(), self.room()];
        numbers_of(&nodes[0], &mut same_room);
        numbers_of(&nodes[1], &mut other_room);
        let [same, other] = [&same_room, &other_room];
        let leaves =
            same.chunks_exact(BLOCK_BYTES * parts).zip(other.chunks_exact(BLOCK_BYTES * parts));
        let mut room = Zeroizing::default();
        let numbers = self.factors.of(range.clone(), &mut room);
        let bits = leaves.zip(groups).zip(numbers).zip(&*nodes[1]);
        for (((((same, other), group), numbers), node), words) in
            bits.zip(words.chunks_exact_mut(self.told()))
        {
            // The correction is added to the leaf of the key whose control bit is set.
            let of_same = (node & 1).wrapping_sub(1);
            let words = &mut words[BLOCK_BYTES * depth..];
            for group_of_leaf in 0..of_leaf {
                let here =
                    mask(u8::from((*group as usize ^ group_of_leaf).trailing_zeros() >= log));
                for (number, place) in numbers.iter().zip(&places) {
                    let width = place.len() / of_leaf;
                    let start = place.start + group_of_leaf * width;
                    let place = start..start + width;
                    let [same, other] = [same, other].map(|leaf| number_of(&leaf[place.clone()]));
                    let word = (number & here).wrapping_add(same).wrapping_sub(other);
                    let word = (word ^ of_same).wrapping_sub(of_same);
                    let count = place.len();
                    words[place].copy_from_slice(&word.to_le_bytes()[..count]);
                }
            }
        }
        self.give_back(same_room);
        self.give_back(other_room);
    }

    /// The sums by group of what keys with these roots are at each group, not reduced.
    fn evaluate(&self, range: Range<usize>, roots: Zeroizing<Vec<Block>>, words: &[u8]) -> Sums {
        let Tree { depth, leaves, .. } = self.tree;
        let told = self.told();
        let count = range.len();
        let mut nodes = roots;
        let mut room = self.room();
        for level in 0..depth {
            let (width, next_width) = (self.tree.nodes(level), self.tree.nodes(level + 1));
            let mut hashed = Zeroizing::new(nodes.to_vec());
            self.hash.blocks(self.tree.number(level, range.start), &mut hashed);
            let mut next = Zeroizing::new(vec![0; next_width * count]);
            let bits = nodes.chunks_exact(width).zip(hashed.chunks_exact(width));
            let bits = bits.zip(next.chunks_exact_mut(next_width)).zip(words.chunks_exact(told));
            for (((nodes, hashed), next), words) in bits {
                let correction = number_of(&words[BLOCK_BYTES * level..][..BLOCK_BYTES]);
                let parents = nodes.iter().zip(hashed);
                for ((node, hashed), next) in parents.zip(next.chunks_mut(2)) {
                    let children = children(*node, *hashed, correction);
                    // The last node may have one child.
                    next.copy_from_slice(&children[..next.len()]);
                }
            }
            nodes = next;
        }
        let leaf_width = self.tree.leaf_width();
        room.resize(leaf_width * nodes.len(), 0);
        self.hash.pads(self.tree.number(depth, range.start), nodes.clone(), leaf_width, &mut room);
        let mut sums = self.zeros();
        let places: Vec<Range<usize>> = self.places().collect();
        let bits = nodes.chunks_exact(leaves).zip(room.chunks_exact(leaf_width * leaves));
        for ((nodes, hashed), words) in bits.zip(words.chunks_exact(told)) {
            let words = &words[BLOCK_BYTES * depth..];
            for (sums, place) in sums.iter_mut().zip(&places) {
                let of_leaves =
                    hashed.chunks_exact(leaf_width).map(|hashed| &hashed[place.clone()]);
                sums.add_leaves(nodes, of_leaves, &words[place.clone()]);
            }
        }
        self.give_back(room);
        sums
    }
}

/// The tweak of a part of a node's hash, as [`Hash::pads`] has it.
fn tweak(number: u64, part: usize) -> Block {
    Hash::tweak(number, part as u64)
}

/// The children of a node with this hash, with the correction where its control bit is set.
fn children(node: Block, hashed: Block, correction: Block) -> [Block; 2] {
    let left = hashed ^ correction & mask((node & 1) as u8);
    [left, left ^ node]
}
