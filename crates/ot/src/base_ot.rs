//! What the extension needs of a base oblivious transfer.

use rand_core::CryptoRng;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use crate::{Block, OtError};

/// A few random oblivious transfers with chosen choice bits, from public-key cryptography or a trusted dealer.
///
/// For each of the `count` transfers the sender gets two random blocks and the receiver the one of its choice. Both
/// sides call with the same count and an implementation of the same name; all in one batch.
///
/// ```
/// use chacha20::ChaCha20Rng;
/// use rand_core::SeedableRng;
/// use veilset_channel::{Framed, memory_pair};
/// use veilset_ot::BaseOt;
/// use veilset_ot::base::Ristretto;
///
/// let [mut ours, mut theirs] = [1, 2].map(|seed| ChaCha20Rng::from_seed([seed; 32]));
/// let (left, right) = memory_pair();
/// let ot = &Ristretto::new([7; 32]);
/// let (pairs, blocks) = std::thread::scope(|scope| {
///     let sender = scope.spawn(move || ot.send(&mut Framed::new(left), 2, &mut ours));
///     let blocks = ot.receive(&mut Framed::new(right), &[true, false], &mut theirs);
///     (sender.join().expect("the sender"), blocks)
/// });
/// let pairs = pairs?;
/// assert_eq!(blocks?[..], [pairs[0][1], pairs[1][0]]);
/// # Ok::<(), veilset_ot::OtError>(())
/// ```
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
