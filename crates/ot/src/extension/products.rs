//! Products of the receiver's field elements with the sender's Δ, shared between the two: a short vector OLE.
//!
//! A row of the extension says w = v + e·Δ for a bit e. The rows of the 128 bits of an element of GF(2^128), each
//! times the power of x that its bit stands for, add up to the same for the element (eprint 2022/192, section 3).
//! Nothing is hashed: what the sender has is w, and Δ with it.

use veilset_channel::Channel;
use veilset_simd::{Tile, gf128_multiply};
use zeroize::Zeroizing;

use super::{ExtensionReceiver, ExtensionSender};
use crate::{Block, OtError};

impl ExtensionSender {
    /// For each of the receiver's `count` elements e a share b of e·Δ; the receiver has b + e·Δ.
    ///
    /// # Errors
    /// When the connection fails, the peer breaks the protocol, or the setup is [`OtError::Spent`].
    pub(crate) fn send_products(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        let (_, tiles) = self.extend(channel, count * size_of::<Block>() * 8)?;
        Ok(sums(&tiles))
    }
}

impl ExtensionReceiver {
    /// For each of `elements` the sender's share plus the element times Δ.
    ///
    /// # Errors
    /// As [`ExtensionSender::send_products`].
    pub(crate) fn receive_products(
        &mut self,
        channel: &mut dyn Channel,
        elements: &[Block],
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        let bits = elements.iter().flat_map(|e| (0..Block::BITS).map(move |bit| e >> bit & 1 == 1));
        let choices = Zeroizing::new(bits.collect::<Vec<_>>());
        let (_, tiles) = self.extend(channel, &choices)?;
        Ok(sums(&tiles))
    }
}

/// For each tile the sum of its rows, row b times x^b.
fn sums(tiles: &[Tile]) -> Zeroizing<Vec<Block>> {
    let sum = |tile: &Tile| {
        let products = tile.iter().enumerate().map(|(bit, row)| gf128_multiply(*row, 1 << bit));
        products.fold(0, |sum, product| sum ^ product)
    };
    Zeroizing::new(tiles.iter().map(sum).collect())
}
