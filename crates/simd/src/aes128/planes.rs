//! Eight blocks at once, bit by bit.
//!
//! As in Käsper and Schwabe, "Faster and timing-attack resistant AES-GCM" (CHES 2009): register j has bit j of every byte,
//! those of the eight blocks side by side in a byte. Bytes are kept row by row, so that a row is 32 bits. No address and no
//! branch depends on a key or a block.

use std::ops::{BitAnd, BitXor};

use aes::Block;
use zeroize::{Zeroize, ZeroizeOnDrop, zeroize_stack};

use super::sbox::substitute;

/// Blocks at once.
const BLOCKS: usize = 8;

const ROUNDS: usize = 10;

/// What SubBytes adds last.
const CONSTANT: u8 = 0x63;

/// Bytes of stack that are wiped: keys, blocks, and what found no register.
const STACK: usize = 4096;

/// Sixteen bytes in a register.
pub(super) trait Bytes: Copy + BitAnd<Output = Self> + BitXor<Output = Self> {
    fn load(bytes: &[u8; 16]) -> Self;
    fn store(self, bytes: &mut [u8; 16]);
    /// The same byte everywhere.
    fn splat(byte: u8) -> Self;
    /// Turns the square of bytes, from columns to rows or back.
    fn turn(self) -> Self;
    /// Moves row r by r bytes, as ShiftRows does.
    fn shift_rows(self) -> Self;
    /// Row r + `BY` in place of row r.
    fn rows<const BY: usize>(self) -> Self;
    /// Shifts half the bytes as one word.
    fn left<const BITS: u32>(self) -> Self;
    fn right<const BITS: u32>(self) -> Self;
    /// All bits of each byte that has this bit.
    fn all_where(self, bit: u8) -> Self;
}

/// The keys of all rounds, bytes by columns; those after the first with the constant of SubBytes, which the rows' mixing
/// leaves alone.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Keys([[u8; 16]; ROUNDS + 1]);

impl Keys {
    /// FIPS 197, section 5.2.
    pub(super) fn new(key: &[u8; 16]) -> Self {
        let mut keys = Self([*key; ROUNDS + 1]);
        let mut constant: u8 = 1;
        for round in 1..=ROUNDS {
            let before = keys.0[round - 1];
            let last = u32::from_le_bytes([before[13], before[14], before[15], before[12]]);
            let mut word = substitute_word(last).to_le_bytes();
            word[0] ^= constant;
            constant = (constant << 1) ^ ((constant >> 7) * 0x1b);
            for place in 0..16 {
                word[place % 4] ^= before[place];
                keys.0[round][place] = word[place % 4];
            }
        }
        keys.0[1..].as_flattened_mut().iter_mut().for_each(|byte| *byte ^= CONSTANT);
        keys
    }
}

/// SubWord (FIPS 197, section 5.2).
fn substitute_word(word: u32) -> u32 {
    const LOW: u32 = 0x0101_0101;
    let planes = substitute(std::array::from_fn(|bit| word >> bit & LOW));
    let bytes = (0..).zip(planes).fold(0, |word, (bit, plane)| word | plane << bit);
    bytes ^ (LOW * u32::from(CONSTANT))
}

/// Eight blocks, bit j of each byte in register j.
type Planes<B> = [B; 8];

/// Encrypts each block in place.
pub(super) fn encrypt<B: Bytes>(keys: &Keys, blocks: &mut [Block]) {
    encrypt_all::<B>(keys, blocks);
    zeroize_stack::<STACK>();
}

#[inline(never)]
fn encrypt_all<B: Bytes>(keys: &Keys, blocks: &mut [Block]) {
    let keys = keys.0.map(|key| spread(B::load(&key).turn()));
    for blocks in blocks.chunks_mut(BLOCKS) {
        let mut eight = [[0; 16]; BLOCKS];
        for (bytes, block) in eight.iter_mut().zip(&*blocks) {
            *bytes = block.0;
        }
        encrypt_eight::<B>(&keys, &mut eight);
        for (bytes, block) in eight.iter().zip(blocks) {
            block.0 = *bytes;
        }
    }
}

/// Never inlined, for a function of its own is compiled sooner and better in a browser.
#[inline(never)]
fn encrypt_eight<B: Bytes>(keys: &[Planes<B>; ROUNDS + 1], blocks: &mut [[u8; 16]; BLOCKS]) {
    let mut planes = [B::splat(0); BLOCKS];
    for (plane, block) in planes.iter_mut().zip(&*blocks) {
        *plane = B::load(block).turn();
    }
    planes = add(exchange(planes), &keys[0]);
    for key in &keys[1..ROUNDS] {
        planes = add(mix(shift(substitute(planes))), key);
    }
    planes = exchange(add(shift(substitute(planes)), &keys[ROUNDS]));
    for (plane, block) in planes.into_iter().zip(blocks) {
        plane.turn().store(block);
    }
}

#[inline(always)]
fn add<B: Bytes>(mut planes: Planes<B>, key: &Planes<B>) -> Planes<B> {
    for bit in 0..8 {
        planes[bit] = planes[bit] ^ key[bit];
    }
    planes
}

/// The planes of blocks that are all the same.
#[inline(always)]
fn spread<B: Bytes>(block: B) -> Planes<B> {
    let mut planes = [block; 8];
    for (bit, plane) in planes.iter_mut().enumerate() {
        *plane = block.all_where(1 << bit);
    }
    planes
}

#[inline(always)]
fn shift<B: Bytes>(mut planes: Planes<B>) -> Planes<B> {
    for plane in &mut planes {
        *plane = plane.shift_rows();
    }
    planes
}

/// MixColumns: with a' the next row, 2·(a + a') + a' + (a + a')''.
#[inline(always)]
fn mix<B: Bytes>(planes: Planes<B>) -> Planes<B> {
    let (mut sums, mut mixed) = (planes, planes);
    for bit in 0..8 {
        let next = planes[bit].rows::<1>();
        sums[bit] = planes[bit] ^ next;
        mixed[bit] = next ^ sums[bit].rows::<2>();
    }
    for bit in 0..8 {
        if bit > 0 {
            mixed[bit] = mixed[bit] ^ sums[bit - 1];
        }
        // x^8 = x^4 + x^3 + x + 1
        if 0b1_1011 >> bit & 1 == 1 {
            mixed[bit] = mixed[bit] ^ sums[7];
        }
    }
    mixed
}

/// Exchanges bit j of block i with bit i of block j, of every byte.
#[inline(always)]
fn exchange<B: Bytes>(mut planes: Planes<B>) -> Planes<B> {
    for i in [0, 2, 4, 6] {
        swap::<B, 1>(&mut planes, i, 0x55);
    }
    for i in [0, 1, 4, 5] {
        swap::<B, 2>(&mut planes, i, 0x33);
    }
    for i in [0, 1, 2, 3] {
        swap::<B, 4>(&mut planes, i, 0x0f);
    }
    planes
}

/// Exchanges bits k + `BITS` of register i with bits k of register i + `BITS`, for the k of the mask.
#[inline(always)]
fn swap<B: Bytes, const BITS: u32>(planes: &mut Planes<B>, i: usize, mask: u8) {
    let j = i + BITS as usize;
    let swap = (planes[i].right::<BITS>() ^ planes[j]) & B::splat(mask);
    planes[j] = planes[j] ^ swap;
    planes[i] = planes[i] ^ swap.left::<BITS>();
}
