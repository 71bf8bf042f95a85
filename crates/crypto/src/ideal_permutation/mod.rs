//! Public permutations of a prime field that are taken for ideal ones (Rosulek and Trieu, eprint 2021/1159, section 2).
//!
//! Both parties compute Π and its inverse, an adversary too; the proof models them as oracles for one random permutation.
//! [`FieldPermutation`] makes a permutation of the integers below a modulus from one of all strings of the modulus' length:
//!
//! | strings | construction | what is assumed |
//! |---|---|---|
//! | 256 bits | [`Rijndael256`] | that Rijndael under one public key has no structure that an attack could use |
//! | 2048 bits | [`Feistel2048`] | that BLAKE3 is a random oracle; the rest is a theorem |

mod feistel;
mod rijndael;
#[cfg(test)]
mod tests;
mod walk;

pub use feistel::Feistel2048;
pub use rijndael::Rijndael256;
pub use walk::FieldPermutation;

/// A public permutation of strings of `BYTES` bytes.
pub trait StringPermutation<const BYTES: usize>: Sync {
    /// Strings that take as long as one.
    const GROUP: usize;

    /// Replaces each string by its image.
    fn apply(&self, strings: &mut [[u8; BYTES]]);

    /// Replaces each string by what it is the image of.
    fn invert(&self, strings: &mut [[u8; BYTES]]);
}
