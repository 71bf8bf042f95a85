//! What the extension needs of a base oblivious transfer.

use rand_core::CryptoRng;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use crate::{Block, OtError};

/// A few random oblivious transfers with chosen choice bits, from public-key cryptography or a trusted dealer.
///
/// For each of the `count` transfers the sender gets two random blocks and the receiver the one of its choice. Both
/// sides call with the same count and an implementation of the same name; all in one batch.
pub trait BaseOt {
    /// The sender's side: `count` pairs of blocks.
    ///
    /// # Errors
    /// When the connection fails or the peer breaks the protocol.
    fn send(
        &self,
        channel: &mut dyn Channel,
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<[Block; 2]>>, OtError>;

    /// The receiver's side: for each of `choices`, which stay secret and do not steer the time, the first block of
    /// the pair for `false` and the second for `true`.
    ///
    /// # Errors
    /// When the connection fails or the peer breaks the protocol.
    fn receive(
        &self,
        channel: &mut dyn Channel,
        choices: &[bool],
        rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<Block>>, OtError>;
}
