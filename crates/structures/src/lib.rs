//! Sets and maps that fit a wire, deterministic given their input.
//!
//! * [`okvs`] holds oblivious key-value stores: maps that do not show their keys;
//! * [`Encoder`] and [`Decoder`] carry a sorted set of fixed-width values in blocks, one frame each, near the
//!   least number of bits that a set of random values needs;
//! * [`SetShape`] is what both sides know beforehand, and all lengths follow from it;
//! * [`BloomFilter`] is the larger way to say the same;
//! * [`bin_capacity`] says how large bins are that items at random do not overflow;
//! * [`match_bits`] says how wide values must be so that a whole run goes wrong with at most 2^-40.
//!
//! ```
//! use veilset_structures::{Decoder, Encoder, SetShape};
//!
//! let sorted: Vec<u128> = (0..1000).map(|x| x * x).collect();
//! let shape = SetShape { count: sorted.len(), bits: 20 };
//! let encoder = Encoder::new(shape, &sorted);
//! let blocks: Vec<Vec<u8>> = (0..shape.blocks()).map(|block| encoder.block(block)).collect();
//! // A value takes 20 bits as it is, and fewer than 13 in the coded set.
//! assert!(blocks.concat().len() * 8 < 13 * sorted.len());
//! let mut decoder = Decoder::new(shape);
//! decoder.blocks(&blocks)?;
//! assert_eq!(decoder.finish()?, sorted);
//! # Ok::<(), veilset_structures::DecodeError>(())
//! ```

mod bins;
mod bits;
mod bloom;
mod decode;
mod encode;
pub mod okvs;
mod shape;
mod sizes;
#[cfg(test)]
mod tests;

pub use bins::bin_capacity;
pub use bloom::{BloomFilter, BloomShape};
pub use decode::{DecodeError, Decoder};
pub use encode::Encoder;
pub use shape::{MAX_BLOCK, SetShape};
pub use sizes::{match_bits, query_bits};
