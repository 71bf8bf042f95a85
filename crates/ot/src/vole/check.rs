//! The check against a party that grows no trees (Weng, Yang, Katz and Wang, IEEE S&P 2021, eprint 2020/925, figure 7).
//!
//! Both parties' vectors are hashed to one element each under factors that the receiver draws once it has everything:
//! entry c of tile t times α^t·β^c. If w = v + u·Δ, then the hashes say the same, whatever the factors; if not, they do with
//! probability at most (tiles + 128)/2^128. One more product of the extension masks the hash of the noise u.

use rayon::prelude::*;
use subtle::ConstantTimeEq;
use veilset_channel::PeerFault;
use veilset_simd::{TILE, Tile, gf128_add_columns, gf128_multiply};
use zeroize::Zeroizing;

use super::messages::{Answer, Challenge};
use crate::Block;
use crate::base::Session;

/// Tiles that are hashed at once.
const GROUP: usize = 16;

/// The hash of a vector, filled up with zeros to whole tiles.
pub(super) fn hash(vector: &[Block], factors: &[Block; 2]) -> Block {
    let powers = powers(factors[0], vector.len().div_ceil(TILE));
    let groups = vector.par_chunks(GROUP * TILE).zip(powers.par_chunks(GROUP));
    let columns = groups.map(|(entries, powers)| {
        let (tiles, rest) = entries.as_chunks::<TILE>();
        let mut sums: Tile = [0; TILE];
        gf128_add_columns(&mut sums, tiles, &powers[..tiles.len()]);
        if !rest.is_empty() {
            let mut last = Zeroizing::new([0; TILE]);
            last[..rest.len()].copy_from_slice(rest);
            gf128_add_columns(&mut sums, std::slice::from_ref(&*last), &powers[tiles.len()..]);
        }
        sums
    });
    let columns =
        columns.reduce(|| [0; TILE], |a, b| std::array::from_fn(|column| a[column] ^ b[column]));
    let products = columns.iter().zip(self::powers(factors[1], TILE));
    products.fold(0, |sum, (column, power)| sum ^ gf128_multiply(*column, power))
}

/// 1, x, x^2, …
fn powers(x: Block, count: usize) -> Vec<Block> {
    std::iter::successors(Some(1), |power| Some(gf128_multiply(*power, x))).take(count).collect()
}

/// What the sender answers: `hash` is that of its vector plus its share of the mask's product.
pub(super) fn answer(
    session: &Session,
    hash: Block,
    challenge: &Challenge,
    delta: Block,
) -> Answer {
    digest(session, hash ^ gf128_multiply(challenge.noise, delta))
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
