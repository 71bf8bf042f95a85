//! What an extension costs on the wire, for planners.

use veilset_channel::MAX_BODY;
use veilset_simd::TILE;

use super::columns::GROUP;
use super::stream::transfers_a_frame;
use super::{BATCH, DEFAULT_DEPTH};
use crate::BLOCK_BYTES;
use crate::base::Base;

/// Bytes and frames that each side sends, without the frames' headers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WireCost {
    /// The sender of the transfers: bytes and frames.
    pub sender: (f64, usize),
    /// The receiver of the transfers: bytes and frames.
    pub receiver: (f64, usize),
}

/// Of a semi-honest setup with [`DEFAULT_DEPTH`] on `base`, in which the extension's sender receives.
#[must_use]
pub fn setup_bytes(base: Base) -> WireCost {
    let trees = TILE.div_ceil(DEFAULT_DEPTH);
    let sums = 2 * BLOCK_BYTES * (TILE - trees);
    let WireCost { sender: (bytes, frames), receiver } = base.wire_cost(TILE);
    WireCost { sender: receiver, receiver: (bytes + sums as f64, frames + 1) }
}

/// Of `count` transfers, in one call, in which the sender gives `width` bytes each, semi-honest with [`DEFAULT_DEPTH`].
#[must_use]
pub fn transfer_bytes(count: usize, width: usize) -> WireCost {
    let trees = TILE.div_ceil(DEFAULT_DEPTH);
    let tiles = count.div_ceil(TILE);
    let a_frame = transfers_a_frame(width.clamp(1, MAX_BODY));
    let frames = count / BATCH * BATCH.div_ceil(a_frame) + (count % BATCH).div_ceil(a_frame);
    WireCost {
        sender: (count as f64 * width as f64, frames),
        receiver: (tiles as f64 * (trees * BLOCK_BYTES) as f64, tiles.div_ceil(GROUP)),
    }
}
