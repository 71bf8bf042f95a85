//! Products of the receiver's field elements with the sender's Δ, shared between the two: a short vector OLE.
//!
//! A row of the extension says w = v + e·Δ for a bit e. The rows of the bits of an element of B, each times the power of
//! X that its bit stands for, add up to the same for the element (eprint 2022/192, section 3).
//! Nothing is hashed: what the sender has is w, and Δ with it.

use veilset_channel::Channel;
use veilset_simd::Tile;
use zeroize::Zeroizing;

use super::{ExtensionReceiver, ExtensionSender};
use crate::vole::Subfield;
use crate::{Block, OtError};

impl ExtensionSender {
    /// For each of the receiver's `count` elements e a share b of e·Δ; the receiver has b + e·Δ.
    ///
    /// # Errors
    /// When the connection fails, the peer breaks the protocol, or the setup is [`OtError::Spent`].
    pub(crate) fn send_products<B: Subfield>(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        let (_, tiles) = self.extend(channel, count * B::BITS)?;
        Ok(sums::<B>(&tiles, count))
    }
}

impl ExtensionReceiver {
    /// For each of `elements` the sender's share plus the element times Δ.
    ///
    /// # Errors
    /// As [`ExtensionSender::send_products`].
    pub(crate) fn receive_products<B: Subfield>(
        &mut self,
        channel: &mut dyn Channel,
        elements: &[B],
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        let bits = |element: &B| {
            let element: Block = (*element).into();
            (0..B::BITS).map(move |bit| element >> bit & 1 == 1)
        };
        let bits = elements.iter().flat_map(bits);
        let choices = Zeroizing::new(bits.collect::<Vec<_>>());
        let (_, tiles) = self.extend(channel, &choices)?;
        Ok(sums::<B>(&tiles, elements.len()))
    }
}

/// For each of `count` elements the sum of its rows, row b times X^b.
fn sums<B: Subfield>(tiles: &[Tile], count: usize) -> Zeroizing<Vec<Block>> {
    let sum = |rows: &[Block]| {
        let products = (0..).zip(rows).map(|(bit, row)| B::truncate(1 << bit).scale(*row));
        products.fold(0, |sum, product| sum ^ product)
    };
    Zeroizing::new(tiles.as_flattened().chunks(B::BITS).take(count).map(sum).collect())
}
