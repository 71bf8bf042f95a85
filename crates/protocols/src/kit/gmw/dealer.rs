//! Transfers that a dealer deals whom both sides trust: every pad is a hash of its number, and nothing crosses the channel.

use rand_core::CryptoRng;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::transfers::{Chooses, Chosen, Offered, Offers};
use super::{Bits, End, Gmw, Nibbles};
use crate::{Means, ProtocolError};

/// One side's view of the dealer; both have the same seed, and ask for the same batches.
struct Dealt {
    seed: [u8; 32],
    made: u64,
}

/// A batch of its transfers.
struct Batch {
    seed: [u8; 32],
    first: u64,
    count: usize,
}

impl Dealt {
    fn next(&mut self, count: usize) -> Batch {
        let first = self.made;
        self.made += count as u64;
        Batch { seed: self.seed, first, count }
    }
}

impl Batch {
    fn numbers(&self) -> impl Iterator<Item = u64> {
        (self.first..).take(self.count)
    }

    fn pad(&self, number: u64, choice: u8, pad: &mut [u8]) {
        let mut hasher = blake3::Hasher::new_keyed(&self.seed);
        hasher.update(&number.to_le_bytes()).update(&[choice]).finalize_xof().fill(pad);
    }

    /// Which pad the chooser has.
    fn choice(&self, number: u64) -> u8 {
        let mut choice = [0];
        self.pad(number, 16, &mut choice);
        choice[0] & 15
    }

    fn bit(&self, number: u64, choice: u8) -> u8 {
        let mut pad = [0];
        self.pad(number, choice, &mut pad);
        pad[0] & 1
    }

    fn pads_of(&self, choices: impl Iterator<Item = u8>, width: usize) -> Zeroizing<Vec<u8>> {
        let mut pads = Zeroizing::new(vec![0; width * self.count]);
        for ((number, choice), pad) in self.numbers().zip(choices).zip(pads.chunks_mut(width)) {
            self.pad(number, choice, pad);
        }
        pads
    }
}

impl Offers for Dealt {
    fn batch<'a>(
        &'a mut self,
        _channel: &mut dyn Channel,
        count: usize,
    ) -> Result<Box<dyn Offered + 'a>, ProtocolError> {
        Ok(Box::new(self.next(count)))
    }
}

impl Offered for Batch {
    fn bits(&self, bits: &mut [u16]) {
        for (number, bits) in self.numbers().zip(bits) {
            *bits = (0..16).fold(0, |all, u| all | u16::from(self.bit(number, u)) << u);
        }
    }

    fn pads(&self, choices: &[u8], width: usize) -> Zeroizing<Vec<u8>> {
        self.pads_of(choices.iter().map(|choice| choice & 15), width)
    }
}

impl Chooses for Dealt {
    fn batch<'a>(
        &'a mut self,
        _channel: &mut dyn Channel,
        count: usize,
        _rng: &mut dyn CryptoRng,
    ) -> Result<Box<dyn Chosen + 'a>, ProtocolError> {
        Ok(Box::new(self.next(count)))
    }
}

impl Chosen for Batch {
    fn choices(&self) -> Nibbles {
        Nibbles::new(self.numbers().map(|number| self.choice(number)).collect())
    }

    fn bits(&self) -> Bits {
        let bit = |number| self.bit(number, self.choice(number));
        Bits::new(self.numbers().map(bit).collect())
    }

    fn pads(&self, width: usize) -> Zeroizing<Vec<u8>> {
        self.pads_of(self.numbers().map(|number| self.choice(number)), width)
    }
}

impl Gmw {
    /// The side that offers, with a dealer's transfers.
    pub(super) fn offering_dealt(means: &mut Means<'_>) -> Result<Self, ProtocolError> {
        let transfers = Box::new(Dealt { seed: *means.session, made: 0 });
        Ok(Self::new(End::Offers { transfers, pads: Zeroizing::default() }))
    }

    /// The side that chooses.
    pub(super) fn choosing_dealt(means: &mut Means<'_>) -> Result<Self, ProtocolError> {
        let transfers = Box::new(Dealt { seed: *means.session, made: 0 });
        let (choices, pads) = (Zeroizing::default(), Zeroizing::default());
        Ok(Self::new(End::Chooses { transfers, choices, pads }))
    }
}
