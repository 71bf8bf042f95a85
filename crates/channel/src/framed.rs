//! Tags and sequence numbers over a transport.

use std::collections::VecDeque;

use crate::{
    Abort, ChannelError, Message, PeerFault, QUEUED_FRAMES, Reader, Tag, Transport, WireBytes,
};

/// A goodbye with a reason.
const ABORT: u8 = Tag::Goodbye.byte();

/// Bytes before each body: the tag, then the frame's number in its direction, little-endian.
pub const HEADER: usize = 5;

/// The longest body in bytes: 4096 group elements of 32 bytes.
pub const MAX_BODY: usize = 4096 * 32;

/// Tagged frames in order, as a protocol sees them.
pub trait Channel: Send {
    /// Sends one body of at most [`MAX_BODY`] bytes under `tag`, which is no goodbye. It comes after [`HEADER`] bytes that the channel fills
    /// in, so that it is never copied.
    ///
    /// # Errors
    /// When the connection is gone.
    fn send(&mut self, tag: Tag, frame: Vec<u8>) -> Result<(), ChannelError>;

    /// Takes the next body, which must carry `tag` and be at most `max` bytes long; it comes after its header of
    /// [`HEADER`] bytes.
    ///
    /// # Errors
    /// When the connection is gone, or when the peer sent anything else.
    fn recv(&mut self, tag: Tag, max: usize) -> Result<Vec<u8>, ChannelError>;

    /// Opens the next round of the protocol under its name in the figure; costs are counted by it.
    fn phase(&mut self, name: &'static str);

    /// Goes on with the round of that name, or opens it: for steps that take turns while a long vector streams.
    fn resume(&mut self, name: &'static str) {
        self.phase(name);
    }

    /// What crossed the wire so far, where the transport below adds to the frames.
    fn wire_bytes(&self) -> Option<WireBytes> {
        None
    }
}

/// Typed messages over any channel.
pub trait ChannelExt: Channel {
    /// Sends a message.
    ///
    /// # Errors
    /// As [`Channel::send`].
    fn put<M: Message>(&mut self, message: &M) -> Result<(), ChannelError> {
        let mut frame = vec![0; HEADER];
        message.encode(&mut frame);
        self.send(M::TAG, frame)
    }

    /// Receives a message, parsed with what the receiver knows; nothing may be left over.
    ///
    /// # Errors
    /// As [`Channel::recv`], and when the body does not parse.
    fn take<M: Message>(&mut self, context: &M::Context) -> Result<M, ChannelError> {
        let frame = self.recv(M::TAG, M::max_len(context))?;
        Reader::parse(&frame[HEADER..], |reader| M::decode(reader, context))
            .map_err(|why| PeerFault::Malformed { what: M::TAG.name(), why }.into())
    }
}

impl<C: Channel + ?Sized> ChannelExt for C {}

/// A [`Channel`] over a [`Transport`].
pub struct Framed<T> {
    transport: T,
    sent: u32,
    received: u32,
    /// What was looked at and not taken yet.
    held: VecDeque<Vec<u8>>,
}

impl<T: Transport> Framed<T> {
    /// Wraps a fresh transport: both directions start at frame 0.
    pub fn new(transport: T) -> Self {
        Self { transport, sent: 0, received: 0, held: VecDeque::new() }
    }

    /// Tells the peer that this side stops and why; best effort, since it may be gone.
    pub fn abort(&mut self, reason: Abort) {
        let mut frame = [&[0; HEADER][..], &[reason.to_byte()]].concat();
        put_header(&mut frame, ABORT, self.sent);
        if self.transport.try_send(frame) {
            self.close();
        }
    }

    /// Whether a frame of the peer is here, which stays for [`recv`](Channel::recv). Its goodbye is heard behind as many
    /// frames as a queue holds.
    ///
    /// # Errors
    /// With the peer's goodbye, or why the connection ended.
    pub fn look(&mut self) -> Result<bool, ChannelError> {
        while self.held.len() < QUEUED_FRAMES {
            match self.transport.try_recv()? {
                Some(frame) if frame.first() == Some(&ABORT) => return Err(aborted(&frame)),
                Some(frame) => self.held.push_back(frame),
                None => break,
            }
        }
        Ok(!self.held.is_empty())
    }

    /// Whether the peer's next frame is here, which stays for [`recv`](Channel::recv): a goodbye is one like any other.
    ///
    /// # Errors
    /// Why the connection ended.
    pub fn is_ready(&mut self) -> Result<bool, ChannelError> {
        if self.held.is_empty() {
            self.held.extend(self.transport.try_recv()?);
        }
        Ok(!self.held.is_empty())
    }

    /// The next frame, held or yet to come.
    fn frame(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.held.pop_front().map_or_else(|| self.transport.recv(), Ok)
    }

    /// The next frame's tag, and the frame; a goodbye is an error.
    fn next(&mut self) -> Result<(u8, Vec<u8>), ChannelError> {
        let frame = self.frame()?;
        let (tag, number) = parse_header(&frame)?;
        if number != self.received {
            return Err(PeerFault::OutOfSequence { expected: self.received, got: number }.into());
        }
        self.received = self.received.wrapping_add(1);
        if tag == ABORT {
            return Err(aborted(&frame));
        }
        Ok((tag, frame))
    }

    /// What a peer that is gone said last, if it gave a reason; `otherwise` if not.
    fn last_words(&mut self, otherwise: ChannelError) -> ChannelError {
        for _ in 0..2 * QUEUED_FRAMES {
            let Ok(frame) = self.frame() else { break };
            if let Ok((ABORT, _)) = parse_header(&frame) {
                return aborted(&frame);
            }
        }
        otherwise
    }

    /// Delivers what is queued and ends the connection.
    pub fn close(&mut self) {
        self.transport.close();
    }
}

impl<T: Transport> Channel for Framed<T> {
    fn send(&mut self, tag: Tag, mut frame: Vec<u8>) -> Result<(), ChannelError> {
        let fits = (HEADER..=HEADER + MAX_BODY).contains(&frame.len());
        assert!(fits && tag.byte() != ABORT, "{tag} does not fit a frame");
        put_header(&mut frame, tag.byte(), self.sent);
        if let Err(error) = self.transport.send(frame) {
            return Err(self.last_words(error));
        }
        self.sent = self.sent.wrapping_add(1);
        Ok(())
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<Vec<u8>, ChannelError> {
        let (got, frame) = self.next()?;
        if got != tag.byte() {
            return Err(PeerFault::UnexpectedTag { expected: tag, got }.into());
        }
        let length = frame.len() - HEADER;
        if length > max {
            return Err(PeerFault::TooLong { what: tag.name(), max, got: length }.into());
        }
        Ok(frame)
    }

    fn phase(&mut self, _name: &'static str) {}

    fn wire_bytes(&self) -> Option<WireBytes> {
        self.transport.wire_bytes()
    }
}

fn put_header(frame: &mut [u8], tag: u8, number: u32) {
    frame[0] = tag;
    frame[1..HEADER].copy_from_slice(&number.to_le_bytes());
}

fn parse_header(frame: &[u8]) -> Result<(u8, u32), PeerFault> {
    match frame {
        [tag, a, b, c, d, ..] => Ok((*tag, u32::from_le_bytes([*a, *b, *c, *d]))),
        _ => Err(PeerFault::Malformed { what: "frame header", why: crate::Malformed::TooShort }),
    }
}

fn aborted(frame: &[u8]) -> ChannelError {
    let reason = match frame.get(HEADER..) {
        Some([byte]) => Abort::from_byte(*byte),
        _ => None,
    };
    match reason {
        Some(reason) => ChannelError::Aborted(reason),
        None => PeerFault::Malformed { what: "goodbye", why: crate::Malformed::OutOfRange }.into(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn goodbyes_are_told_apart_and_no_other_byte_is_one() {
        let known: Vec<u8> =
            (0..=u8::MAX).filter(|byte| Abort::from_byte(*byte).is_some()).collect();
        assert_eq!(known, (1..6).chain(64..=255).collect::<Vec<u8>>());
        let sent = known.iter().filter_map(|byte| Some(Abort::from_byte(*byte)?.to_byte()));
        assert!(sent.eq(known.iter().copied()));
        assert_eq!(Abort::from_byte(0x83), Some(Abort::Broke { place: 3 }));
    }

    use super::*;
    use crate::{NetworkFault, memory_pair};

    const A: Tag = Tag::GroupElements;
    const B: Tag = Tag::Values;

    fn frame(body: &[u8]) -> Vec<u8> {
        [&[0; HEADER], body].concat()
    }

    #[test]
    fn carries_bodies_in_order_and_refuses_the_wrong_tag() {
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        left.send(A, frame(b"one")).expect("open");
        left.send(A, frame(b"two")).expect("open");
        assert_eq!(right.recv(A, 3).expect("sent")[HEADER..], *b"one");
        let wrong = right.recv(B, 3).expect_err("A was sent");
        assert!(matches!(
            wrong,
            ChannelError::Peer(PeerFault::UnexpectedTag { expected: B, got: 1 })
        ));
    }

    #[test]
    fn refuses_a_body_over_the_receivers_bound() {
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        left.send(A, frame(b"four")).expect("open");
        let long = right.recv(A, 3).expect_err("too long");
        assert!(matches!(long, ChannelError::Peer(PeerFault::TooLong { max: 3, got: 4, .. })));
    }

    #[test]
    fn refuses_short_and_repeated_frames() {
        let (mut left, right) = memory_pair();
        let mut right = Framed::new(right);
        left.send(vec![1, 0, 0]).expect("open");
        assert!(matches!(right.recv(A, 9), Err(ChannelError::Peer(PeerFault::Malformed { .. }))));
        for _ in 0..2 {
            left.send([1, 0, 0, 0, 0, b'x'].to_vec()).expect("open");
        }
        assert_eq!(right.recv(A, 9).expect("number 0")[HEADER..], *b"x");
        assert!(matches!(
            right.recv(A, 9),
            Err(ChannelError::Peer(PeerFault::OutOfSequence { expected: 1, got: 0 }))
        ));
    }

    #[test]
    fn what_is_looked_at_is_still_there_and_a_goodbye_is_heard_without_waiting() {
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        assert_eq!(right.look(), Ok(false));
        left.send(A, frame(b"one")).expect("open");
        left.abort(Abort::Declined);
        assert_eq!(right.look(), Err(ChannelError::Aborted(Abort::Declined)));
        assert_eq!(right.recv(A, 3).expect("sent")[HEADER..], *b"one");
        drop(left);
        assert_eq!(right.look(), Err(NetworkFault::Closed.into()));
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        for number in 0..QUEUED_FRAMES {
            left.send(A, frame(&[u8::try_from(number).expect("few")])).expect("open");
        }
        assert_eq!((right.look(), right.look()), (Ok(true), Ok(true)));
        left.send(A, frame(b"more")).expect("what is held has left the queue");
        let bodies: Vec<_> = (0..=QUEUED_FRAMES).map(|_| right.recv(A, 4)).collect();
        assert_eq!(bodies[0].as_ref().expect("sent")[HEADER..], [0]);
        assert_eq!(bodies[QUEUED_FRAMES].as_ref().expect("sent")[HEADER..], *b"more");
        assert_eq!(right.look(), Ok(false));
    }

    #[test]
    fn a_goodbye_is_heard_by_a_side_that_only_sends() {
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        left.send(A, frame(b"data")).expect("open");
        left.abort(Abort::Terms);
        drop(left);
        assert!(matches!(right.send(A, frame(b"x")), Err(ChannelError::Aborted(Abort::Terms))));
    }

    #[test]
    fn a_goodbye_gives_its_reason_and_an_end_is_an_end() {
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        left.abort(Abort::Declined);
        assert!(matches!(right.recv(A, 9), Err(ChannelError::Aborted(Abort::Declined))));
        drop(left);
        assert!(matches!(right.recv(A, 9), Err(ChannelError::Network(NetworkFault::Closed))));
    }
}
