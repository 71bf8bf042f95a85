//! Transfers of one of sixteen pads, batch by batch: silent ones in a run; in tests also those of a dealer whom both sides trust.

use rand_core::CryptoRng;
use veilset_channel::Channel;
use veilset_ot::silent::{ReceivedBatch, SentBatch, SilentReceiver, SilentSender};
use zeroize::Zeroizing;

use super::{Bits, Nibbles};
use crate::ProtocolError;

/// The side that has all pads.
pub(super) trait Offers {
    /// Makes so many transfers, at most a batch.
    fn batch<'a>(
        &'a mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<Box<dyn Offered + 'a>, ProtocolError>;
}

/// A batch as that side has it.
pub(super) trait Offered {
    /// Bit u of each number is the lowest bit of the pad for choice u.
    fn bits(&self, bits: &mut [u16]);

    /// The first `width` bytes of each transfer's pad for one of its choices.
    fn pads(&self, choices: &[u8], width: usize) -> Zeroizing<Vec<u8>>;
}

/// The side that has one pad of each transfer, at random.
pub(super) trait Chooses {
    /// Makes so many transfers, at most a batch.
    fn batch<'a>(
        &'a mut self,
        channel: &mut dyn Channel,
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Box<dyn Chosen + 'a>, ProtocolError>;
}

/// A batch as that side has it.
pub(super) trait Chosen {
    /// Which pad of each transfer it has.
    fn choices(&self) -> Nibbles;

    /// The lowest bit of each pad.
    fn bits(&self) -> Bits;

    /// The first `width` bytes of each pad.
    fn pads(&self, width: usize) -> Zeroizing<Vec<u8>>;
}

impl Offers for SilentSender {
    fn batch<'a>(
        &'a mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<Box<dyn Offered + 'a>, ProtocolError> {
        Ok(Box::new(Self::batch(self, channel, count)?))
    }
}

impl Offered for SentBatch<'_> {
    fn bits(&self, bits: &mut [u16]) {
        SentBatch::bits(self, bits);
    }

    fn pads(&self, choices: &[u8], width: usize) -> Zeroizing<Vec<u8>> {
        SentBatch::pads(self, choices, width)
    }
}

impl Chooses for SilentReceiver {
    fn batch<'a>(
        &'a mut self,
        channel: &mut dyn Channel,
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Box<dyn Chosen + 'a>, ProtocolError> {
        Ok(Box::new(Self::batch(self, channel, count, rng)?))
    }
}

impl Chosen for ReceivedBatch<'_> {
    fn choices(&self) -> Nibbles {
        Nibbles::new(self.choices.iter().map(|choice| u8::from(*choice)).collect())
    }

    fn bits(&self) -> Bits {
        ReceivedBatch::bits(self)
    }

    fn pads(&self, width: usize) -> Zeroizing<Vec<u8>> {
        ReceivedBatch::pads(self, width)
    }
}
