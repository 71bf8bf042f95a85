//! What an oblivious transfer hands out.

/// 128 bits; on the wire and where bytes are hashed, little-endian.
pub type Block = u128;

/// The bytes of a [`Block`].
pub const BLOCK_BYTES: usize = 16;
