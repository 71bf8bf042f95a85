//! Transfers of chosen messages: the sender gives both, the receiver gets the one of its choice.

use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::stream::{check_width, mask, pads, transfers, xor};
use super::{ExtensionReceiver, ExtensionSender};
use crate::OtError;

impl ExtensionSender {
    /// One transfer for each `width` bytes of `zeros` and of `ones`: the receiver gets the message from `zeros` for the
    /// choice `false`, the one from `ones` for `true`. Two messages of `width` bytes cross for each.
    ///
    /// # Errors
    /// When the arguments do not fit one another, the connection fails, the peer breaks the protocol, or the setup is
    /// [`OtError::Spent`].
    pub fn send_chosen(
        &mut self,
        channel: &mut dyn Channel,
        zeros: &[u8],
        ones: &[u8],
        width: usize,
    ) -> Result<(), OtError> {
        let count = transfers("messages", zeros.len(), width, width.saturating_mul(2))?;
        if zeros.len() != ones.len() {
            return Err(OtError::Length {
                what: "messages for the other choice",
                expected: zeros.len(),
                got: ones.len(),
            });
        }
        self.send_parts(
            channel,
            count,
            2 * width,
            |sender, part, body| {
                let messages = part.start * width..(part.start + part.rows.len()) * width;
                let (zero, one) = body.split_at_mut(messages.len());
                pads(sender.hash(), part, 0, width, zero);
                pads(sender.hash(), part, sender.delta(), width, one);
                xor(zero, &zeros[messages.clone()]);
                xor(one, &ones[messages]);
                Zeroizing::new(Vec::<u8>::new())
            },
            &mut Vec::new(),
        )
    }
}

impl ExtensionReceiver {
    /// One transfer for each of `choices`: the chosen messages of `width` bytes, one after the other.
    ///
    /// # Errors
    /// As [`ExtensionSender::send_chosen`].
    pub fn receive_chosen(
        &mut self,
        channel: &mut dyn Channel,
        choices: &[bool],
        width: usize,
    ) -> Result<Zeroizing<Vec<u8>>, OtError> {
        check_width(width.saturating_mul(2), 2)?;
        self.receive_parts(channel, choices, 2 * width, width, |receiver, part, choices, body| {
            let (zeros, ones) = body.split_at(body.len() / 2);
            let mut messages = Zeroizing::new(vec![0; zeros.len()]);
            pads(receiver.hash(), part, 0, width, &mut messages);
            let both = zeros.chunks(width).zip(ones.chunks(width));
            for ((message, (zero, one)), choice) in
                messages.chunks_mut(width).zip(both).zip(choices)
            {
                let mask = mask(*choice);
                for ((byte, zero), one) in message.iter_mut().zip(zero).zip(one) {
                    *byte ^= zero ^ (mask & (zero ^ one));
                }
            }
            messages
        })
    }
}
