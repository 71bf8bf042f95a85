//! Correlated transfers: the sender gets something random, the receiver the same plus the sender's correlation or not.

use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::stream::{check_width, pads, transfers};
use super::{ExtensionReceiver, ExtensionSender, Word};
use crate::OtError;

impl ExtensionSender {
    /// One transfer for each `words` words v of `correlations`: random words r, and the receiver gets r + e·v, where e
    /// is its choice. One correction as long as v crosses for each. What + means is up to the [`Word`].
    ///
    /// # Errors
    /// When the arguments do not fit one another, the connection fails, the peer breaks the protocol, or the setup is
    /// [`OtError::Spent`].
    pub fn send_correlated<W: Word>(
        &mut self,
        channel: &mut dyn Channel,
        correlations: &[W],
        words: usize,
    ) -> Result<Zeroizing<Vec<W>>, OtError> {
        let width = words.saturating_mul(W::BYTES);
        let count = transfers("correlations", correlations.len(), words, width)?;
        let mut kept = Zeroizing::new(Vec::with_capacity(correlations.len()));
        let make = |sender: &Self, part: &super::stream::FrameRows<'_>, body: &mut [u8]| {
            let mut zeros = Zeroizing::new(vec![0; body.len()]);
            pads(sender.hash(), part, 0, width, &mut zeros);
            pads(sender.hash(), part, sender.delta(), width, body);
            let zeros = Zeroizing::new(zeros.chunks(W::BYTES).map(W::read).collect::<Vec<_>>());
            let places = body.chunks_mut(W::BYTES).zip(&correlations[part.start * words..]);
            for ((place, v), r) in places.zip(zeros.iter()) {
                r.plus(*v).minus(W::read(place)).write(place);
            }
            zeros
        };
        self.send_parts(channel, count, width, make, &mut kept)?;
        Ok(kept)
    }
}

impl ExtensionReceiver {
    /// One transfer for each of `choices`: the sender's random words for `false`, those plus its correlation for `true`;
    /// `words` for each, one after the other.
    ///
    /// # Errors
    /// As [`ExtensionSender::send_correlated`].
    pub fn receive_correlated<W: Word>(
        &mut self,
        channel: &mut dyn Channel,
        choices: &[bool],
        words: usize,
    ) -> Result<Zeroizing<Vec<W>>, OtError> {
        let width = words.saturating_mul(W::BYTES);
        check_width(width, W::BYTES)?;
        self.receive_parts(channel, choices, width, words, |receiver, part, choices, body| {
            let mut pad = Zeroizing::new(vec![0; body.len()]);
            pads(receiver.hash(), part, 0, width, &mut pad);
            let words = pad.chunks(width).zip(body.chunks(width)).zip(choices);
            let words = words.flat_map(|((pad, correction), choice)| {
                let both = pad.chunks(W::BYTES).zip(correction.chunks(W::BYTES));
                both.map(|(pad, correction)| W::read(pad).plus(W::read(correction).times(*choice)))
            });
            Zeroizing::new(words.collect())
        })
    }
}
