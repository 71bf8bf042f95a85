//! The check against a party that grows no trees (Weng, Yang, Katz and Wang, IEEE S&P 2021, eprint 2020/925, figure 7).
//!
//! Both parties' vectors are hashed to one element each under factors that the receiver draws once it has everything:
//! entry c of tile t times α^t·β^c. If w = v + u·Δ, then the hashes say the same, whatever the factors; if not, they do with
//! probability at most (tiles + 128)/2^128, the tiles of both halves counted. One more product of the extension, with an
//! element of the large field, masks the hash of the noise u.

use rayon::prelude::*;
use subtle::ConstantTimeEq;
use veilset_channel::PeerFault;
use veilset_simd::{TILE, Tile};
use zeroize::Zeroizing;

use super::field::Subfield;
use super::messages::{Answer, Challenge};
use crate::Block;
use crate::base::Session;

/// Tiles that are hashed at once.
const GROUP: usize = 16;

/// The hash of a vector, each half filled up with zeros to whole tiles.
pub(super) fn hash<B: Subfield>(halves: [&[impl Subfield]; 2], factors: &[Block; 2]) -> Block {
    let tiles = halves[0].len().div_ceil(TILE);
    let powers = powers::<B>(factors[0], 2 * tiles);
    let (first, second) = powers.split_at(tiles);
    let columns = [columns::<B>(halves[0], first), columns::<B>(halves[1], second)];
    let products = columns[0].iter().zip(&columns[1]).zip(self::powers::<B>(factors[1], TILE));
    products.fold(0, |sum, ((first, second), power)| sum ^ B::product(first ^ second, power))
}

/// For each column of a vector's tiles its entries, each times its tile's power, added up.
fn columns<B: Subfield>(vector: &[impl Subfield], powers: &[Block]) -> Tile {
    let groups = vector.par_chunks(GROUP * TILE).zip(powers.par_chunks(GROUP));
    let columns = groups.map(|(entries, powers)| {
        let mut tiles = Zeroizing::new([[0; TILE]; GROUP]);
        for (place, entry) in tiles.as_flattened_mut().iter_mut().zip(entries) {
            *place = (*entry).into();
        }
        let mut sums: Tile = [0; TILE];
        B::add_columns(&mut sums, &tiles[..powers.len()], powers);
        sums
    });
    columns.reduce(|| [0; TILE], |a, b| std::array::from_fn(|column| a[column] ^ b[column]))
}

/// 1, x, x^2, …
fn powers<B: Subfield>(x: Block, count: usize) -> Vec<Block> {
    std::iter::successors(Some(1), |power| Some(B::product(*power, x))).take(count).collect()
}

/// An element of the large field from its parts over B, each times the power of Y that it stands for.
pub(super) fn join<B: Subfield>(parts: &[impl Copy + Into<Block>]) -> Block {
    parts
        .iter()
        .enumerate()
        .fold(0, |sum, (power, part)| sum ^ B::product((*part).into(), 1 << (B::BITS * power)))
}

/// What the sender answers: `hash` is that of its vector plus its share of the mask's product.
pub(super) fn answer<B: Subfield>(
    session: &Session,
    hash: Block,
    challenge: &Challenge,
    delta: Block,
) -> Answer {
    digest(session, hash ^ B::product(challenge.noise, delta))
}

/// What the receiver finds: `hash` is that of its vector plus its share of the mask's product.
///
/// # Errors
/// When the sender's trees were none.
pub(super) fn verify(session: &Session, hash: Block, answer: &Answer) -> Result<(), PeerFault> {
    let same = digest(session, hash).0.ct_eq(&answer.0);
    if same.into() { Ok(()) } else { Err(PeerFault::CheckFailed("check of the vector OLE trees")) }
}

fn digest(session: &Session, hash: Block) -> Answer {
    let mut hasher = blake3::Hasher::new_derive_key("veilset 2026 vector OLE: check");
    hasher.update(session).update(&hash.to_le_bytes());
    Answer(hasher.finalize().into())
}
