//! A trusted party in place of a base oblivious transfer: for tests and measurements, with both sides in one process.

use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::CryptoRng;
use subtle::ConditionallySelectable;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use crate::{BaseOt, Block, OtError};

/// Deals random transfers to both parties, who hold a reference to the same dealer. Nothing crosses the channel.
///
/// The n-th batch sent and the n-th batch received belong together. There is no security in it: whoever can reach the
/// dealer can have every block.
pub struct Dealer {
    seed: [u8; 32],
    sent: AtomicU64,
    received: AtomicU64,
}

impl Dealer {
    /// A dealer whose blocks all follow from `seed`.
    #[must_use]
    pub fn new(seed: [u8; 32]) -> Self {
        Self { seed, sent: AtomicU64::new(0), received: AtomicU64::new(0) }
    }

    /// The pairs of batch number `batch`.
    fn deal(&self, batch: u64, count: usize) -> Zeroizing<Vec<[Block; 2]>> {
        let mut stream =
            blake3::Hasher::new_keyed(&self.seed).update(&batch.to_le_bytes()).finalize_xof();
        let mut block = || {
            let mut bytes = [0; 16];
            stream.fill(&mut bytes);
            Block::from_le_bytes(bytes)
        };
        Zeroizing::new((0..count).map(|_| [block(), block()]).collect())
    }
}

impl BaseOt for Dealer {
    fn send(
        &self,
        _channel: &mut dyn Channel,
        count: usize,
        _rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<[Block; 2]>>, OtError> {
        Ok(self.deal(self.sent.fetch_add(1, Ordering::Relaxed), count))
    }

    fn receive(
        &self,
        _channel: &mut dyn Channel,
        choices: &[bool],
        _rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        let pairs = self.deal(self.received.fetch_add(1, Ordering::Relaxed), choices.len());
        let chosen = pairs.iter().zip(choices).map(|([zero, one], choice)| {
            Block::conditional_select(zero, one, u8::from(*choice).into())
        });
        Ok(Zeroizing::new(chosen.collect()))
    }
}
