//! The lowest layer: opaque frames, in order.

use crate::ChannelError;

/// The longest frame in bytes that any transport carries; a longer one is refused before it is read.
pub const MAX_FRAME: usize = crate::MAX_BODY + crate::HEADER;

/// How many frames a transport holds for the side that is slower, in each direction.
///
/// A driver must not send more than this many frames ahead of what it receives; the memory pair has the same bound
/// as the network, so a driver that would block for ever there blocks in a test here.
pub const QUEUED_FRAMES: usize = 4;

/// Bytes that crossed the wire, with everything that the transport adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
}

/// Moves frames of at most [`MAX_FRAME`] bytes between two parties, in order.
pub trait Transport: Send {
    /// Queues one frame; blocks while the queue is full.
    ///
    /// # Errors
    /// When the connection is gone.
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError>;

    /// Queues one frame if there is room at once; for a goodbye to a peer that may not be reading.
    fn try_send(&mut self, frame: Vec<u8>) -> bool;

    /// Takes the next frame; blocks until there is one.
    ///
    /// # Errors
    /// When the connection is gone, the peer has been silent for too long, or it sent what is no frame.
    fn recv(&mut self) -> Result<Vec<u8>, ChannelError>;

    /// Takes the next frame if it is here; `None` as long as none is, and from a transport that cannot tell.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    fn try_recv(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        Ok(None)
    }

    /// Delivers what is queued and says goodbye, within a bounded time. Nothing can be sent afterwards.
    fn close(&mut self) {}

    /// What crossed the wire so far, where the transport adds to the frames.
    fn wire_bytes(&self) -> Option<WireBytes> {
        None
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        (**self).send(frame)
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        (**self).try_send(frame)
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        (**self).recv()
    }

    fn try_recv(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        (**self).try_recv()
    }

    fn close(&mut self) {
        (**self).close();
    }

    fn wire_bytes(&self) -> Option<WireBytes> {
        (**self).wire_bytes()
    }
}
