//! Messages of a [`Service`](crate::Service) and its clients: of any length that the other side takes, in frames.

use veilset_channel::{ChannelError, MAX_FRAME, Malformed, PeerFault, Transport};

/// Bytes before a message: its length, little-endian.
const LENGTH: usize = 4;

/// The frames of a message, the first with its length before it.
///
/// # Panics
/// When it has 2^32 bytes or more.
pub(crate) fn frames(message: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let length = u32::try_from(message.len()).expect("a message has less than 2^32 bytes");
    let (first, rest) = message.split_at(message.len().min(MAX_FRAME - LENGTH));
    let first = [&length.to_le_bytes(), first].concat();
    std::iter::once(first).chain(rest.chunks(MAX_FRAME).map(<[u8]>::to_vec))
}

/// A message of which the first frame is here. Memory grows with what arrives.
pub(crate) struct Arriving {
    length: usize,
    bytes: Vec<u8>,
}

impl Arriving {
    /// # Errors
    /// When the frame does not begin a message of at most `longest` bytes.
    pub(crate) fn begin(frame: &[u8], longest: usize) -> Result<Self, ChannelError> {
        let (length, bytes) =
            frame.split_first_chunk::<LENGTH>().ok_or_else(|| refused(Malformed::TooShort))?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > longest {
            return Err(refused(Malformed::OutOfRange));
        }
        Self { length, bytes: Vec::new() }.with(bytes)
    }

    /// As before, with another frame.
    ///
    /// # Errors
    /// When it goes beyond the message's end.
    pub(crate) fn with(mut self, frame: &[u8]) -> Result<Self, ChannelError> {
        if frame.len() > self.length - self.bytes.len() {
            return Err(refused(Malformed::LeftOver));
        }
        self.bytes.extend_from_slice(frame);
        Ok(self)
    }

    /// The message; what is here of it as the error if that is not all.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Self> {
        if self.bytes.len() == self.length { Ok(self.bytes) } else { Err(self) }
    }
}

/// Sends a message to a service.
///
/// # Errors
/// When the connection fails.
pub fn send_message(transport: &mut dyn Transport, message: &[u8]) -> Result<(), ChannelError> {
    frames(message).try_for_each(|frame| transport.send(frame))
}

/// Takes a message of at most `longest` bytes from a service.
///
/// # Errors
/// When the connection fails, or what comes is no such message.
pub fn receive_message(
    transport: &mut dyn Transport,
    longest: usize,
) -> Result<Vec<u8>, ChannelError> {
    let mut arriving = Arriving::begin(&transport.recv()?, longest)?;
    loop {
        match arriving.finish() {
            Ok(message) => return Ok(message),
            Err(part) => arriving = part.with(&transport.recv()?)?,
        }
    }
}

fn refused(why: Malformed) -> ChannelError {
    PeerFault::Malformed { what: "message", why }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veilset_channel::memory_pair;

    #[test]
    fn messages_of_every_length_arrive() {
        for length in [0, 1, MAX_FRAME - 5, MAX_FRAME - 4, MAX_FRAME - 3, 3 * MAX_FRAME, 1 << 20] {
            let message: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
            let (mut one, mut other) = memory_pair();
            let sent = message.clone();
            let sender = std::thread::spawn(move || send_message(&mut one, &sent));
            let got = receive_message(&mut other, length).expect("it fits");
            assert!(got == message, "{length} bytes");
            sender.join().expect("no panic").expect("a taker");
        }
    }

    #[test]
    fn what_is_longer_than_may_be_costs_nothing() {
        let length = |length: u32| [&length.to_le_bytes()[..], &[7; 10]].concat();
        assert!(Arriving::begin(&length(10), 10).is_ok_and(|whole| whole.finish().is_ok()));
        for wrong in [length(11), length(u32::MAX), length(9), vec![1, 0, 0], Vec::new()] {
            let refused = Arriving::begin(&wrong, 10).err().expect("no such message");
            assert!(matches!(refused, ChannelError::Peer(_)), "{refused}");
        }
        let part = Arriving::begin(&length(30), 30).expect("more to come");
        assert!(part.with(&[0; 21]).is_err(), "beyond its end");
    }
}
