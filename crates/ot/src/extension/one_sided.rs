//! One-sided transfers (eprint 2022/652, section 3.1): the sender gives one message, and the receiver gets it or nothing.

use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::stream::{check_width, mask, pads, transfers, xor};
use super::{ExtensionReceiver, ExtensionSender};
use crate::OtError;

impl ExtensionSender {
    /// One transfer for each `width` bytes of `messages`: the receiver gets the message for the choice `true` and
    /// nothing for `false`. One message of `width` bytes crosses for each.
    ///
    /// # Errors
    /// When the arguments do not fit one another, the connection fails, the peer breaks the protocol, or the setup is
    /// [`OtError::Spent`].
    pub fn send_one_sided(
        &mut self,
        channel: &mut dyn Channel,
        messages: &[u8],
        width: usize,
    ) -> Result<(), OtError> {
        let count = transfers("messages", messages.len(), width, width)?;
        self.send_parts(
            channel,
            count,
            width,
            |sender, part, body| {
                pads(sender.hash(), part, sender.delta(), width, body);
                xor(body, &messages[part.start * width..][..part.rows.len() * width]);
                Zeroizing::new(Vec::<u8>::new())
            },
            &mut Vec::new(),
        )
    }
}

impl ExtensionReceiver {
    /// One transfer for each of `choices`: `width` bytes for each, the message for `true` and zeros for `false`.
    ///
    /// # Errors
    /// As [`ExtensionSender::send_one_sided`].
    pub fn receive_one_sided(
        &mut self,
        channel: &mut dyn Channel,
        choices: &[bool],
        width: usize,
    ) -> Result<Zeroizing<Vec<u8>>, OtError> {
        check_width(width, 1)?;
        self.receive_parts(channel, choices, width, width, |receiver, part, choices, body| {
            let mut messages = Zeroizing::new(vec![0; body.len()]);
            pads(receiver.hash(), part, 0, width, &mut messages);
            xor(&mut messages, body);
            for (message, choice) in messages.chunks_mut(width).zip(choices) {
                let mask = mask(*choice);
                message.iter_mut().for_each(|byte| *byte &= mask);
            }
            messages
        })
    }
}
