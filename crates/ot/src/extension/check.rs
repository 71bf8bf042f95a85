//! The consistency check (eprint 2022/192, section 4): that all trees carry the same choices.
//!
//! With every batch goes one tile more, whose choices are random. The sender draws α in GF(2^128) after it has all
//! corrections. Each column of the batch, read as elements x_1, …, x_T with the additional tile last, is hashed to
//! α·x_1 + α^2·x_2 + … + α^(T−1)·x_(T−1) + x_T. The receiver sends the hash of its choices, which x_T hides, and of
//! each column; the sender compares with its own columns: for column c, W_c = V_c + Δ_c·U. Two vectors that differ
//! agree with probability at most T/2^128 over α.

use subtle::ConstantTimeEq;
use veilset_channel::PeerFault;
use veilset_simd::{TILE, Tile, gf128_add_columns, gf128_multiply};

use super::columns::GROUP;
use super::messages::{Challenge, Hashes};
use crate::Block;

/// What the receiver sends: the hashes of its choices and columns.
pub(super) fn answer(challenge: &Challenge, choices: &[Block], columns: &[Tile]) -> Hashes {
    let powers = powers(challenge.0, columns.len());
    let products = choices.iter().zip(&powers).map(|(x, power)| gf128_multiply(*x, *power));
    Hashes {
        choices: products.fold(0, |sum, product| sum ^ product),
        columns: hash_columns(&powers, columns),
    }
}

/// What the sender finds; `secret` has a mask of ones for each bit of Δ that is set.
///
/// # Errors
/// When the receiver's hashes are not those of one vector of choices.
pub(super) fn verify(
    challenge: &Challenge,
    columns: &[Tile],
    secret: &Tile,
    hashes: &Hashes,
) -> Result<(), PeerFault> {
    let found = hash_columns(&powers(challenge.0, columns.len()), columns);
    let differences = (0..TILE).fold(0, |all, column| {
        let expected = hashes.columns[column] ^ (secret[column] & hashes.choices);
        all | (found[column] ^ expected)
    });
    let same = differences.ct_eq(&0);
    if same.into() {
        Ok(())
    } else {
        Err(PeerFault::CheckFailed("consistency check of an OT extension"))
    }
}

/// The factors of `count` tiles: α, α^2, …, and 1 for the last.
fn powers(alpha: Block, count: usize) -> Vec<Block> {
    let mut power = 1;
    let mut powers: Vec<Block> = (0..count)
        .map(|_| {
            power = gf128_multiply(power, alpha);
            power
        })
        .collect();
    if let Some(last) = powers.last_mut() {
        *last = 1;
    }
    powers
}

fn hash_columns(powers: &[Block], columns: &[Tile]) -> Tile {
    use rayon::prelude::*;

    let groups = columns.par_chunks(GROUP).zip(powers.par_chunks(GROUP));
    groups
        .map(|(tiles, powers)| {
            let mut sums = [0; TILE];
            gf128_add_columns(&mut sums, tiles, powers);
            sums
        })
        .reduce(|| [0; TILE], |a, b| std::array::from_fn(|column| a[column] ^ b[column]))
}
