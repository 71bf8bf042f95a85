//! What compares entries: the interface of a comparator.

use rand_core::CryptoRng;
use veilset_channel::Channel;

use super::scheme::Pair;
use crate::ProtocolError;

/// What the two sides of an equal pair both have, and of an unequal one only the side that shows.
pub(super) type Token = [u8; 16];

/// Private matching: which of these pairs, an entry of mine and one of yours, are equal. One side shows, the other tests,
/// and learns that alone; each pair is compared once, in one of the directions.
pub(super) trait Matching {
    /// What a side that shows can compute before it is its turn.
    type Prepared;

    /// Sends what the peer needs to show these pairs, for a comparator that sends such things with the rounds and not all before
    /// them. Comes before the peer prepares the round, and in the rounds' order.
    ///
    /// # Errors
    /// When the channel fails.
    fn offer(
        &mut self,
        _channel: &mut dyn Channel,
        _pairs: &[Pair],
        _rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        Ok(())
    }

    /// Takes what the peer offers of these pairs.
    ///
    /// # Errors
    /// When the channel fails or the peer breaks the protocol.
    fn take_offer(
        &mut self,
        _channel: &mut dyn Channel,
        _pairs: &[Pair],
    ) -> Result<(), ProtocolError> {
        Ok(())
    }

    /// Of the pairs of one round.
    ///
    /// # Errors
    /// When the comparator was called wrongly.
    fn prepare(
        &mut self,
        pairs: &[Pair],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self::Prepared, ProtocolError>;

    /// Lets the peer test these pairs; returns their tokens. If not `genuine`, the peer finds that no pair is equal,
    /// whatever its entries are, and nothing else differs, neither size nor time.
    ///
    /// # Errors
    /// When the channel fails or the peer breaks the protocol.
    fn show(
        &mut self,
        channel: &mut dyn Channel,
        prepared: Self::Prepared,
        genuine: bool,
    ) -> Result<Vec<Token>, ProtocolError>;

    /// Tests pairs that the peer shows; the tokens of those that are equal.
    ///
    /// # Errors
    /// When the channel fails or the peer breaks the protocol.
    fn test(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
    ) -> Result<Vec<Option<Token>>, ProtocolError>;
}
