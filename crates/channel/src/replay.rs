//! Recorded conversations: kept for a look, or played to one party alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{ChannelError, NetworkFault, Transport, WireBytes};

/// The frames that one party sent, in order, headers included; shared with whoever looks.
#[derive(Debug, Clone, Default)]
pub struct Transcript(Arc<Mutex<Vec<Vec<u8>>>>);

impl Transcript {
    /// A copy of the frames so far.
    #[must_use]
    pub fn frames(&self) -> Vec<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn push(&self, frame: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(frame.to_vec());
    }
}

/// Keeps what its party sends.
pub struct Recording<T> {
    inner: T,
    transcript: Transcript,
}

impl<T: Transport> Recording<T> {
    /// Records into the transcript that is returned beside the transport.
    pub fn new(inner: T) -> (Self, Transcript) {
        let transcript = Transcript::default();
        (Self { inner, transcript: transcript.clone() }, transcript)
    }
}

impl<T: Transport> Transport for Recording<T> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        self.transcript.push(&frame);
        self.inner.send(frame)
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.transcript.push(&frame);
        self.inner.try_send(frame)
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.inner.recv()
    }

    fn close(&mut self) {
        self.inner.close();
    }

    fn wire_bytes(&self) -> Option<WireBytes> {
        self.inner.wire_bytes()
    }
}

/// Plays given frames to a party and drops what it says; after the last frame the connection is closed.
pub struct Replay {
    frames: VecDeque<Vec<u8>>,
}

impl Replay {
    /// Plays `frames` in order.
    #[must_use]
    pub fn new(frames: Vec<Vec<u8>>) -> Self {
        Self { frames: frames.into() }
    }
}

impl Transport for Replay {
    fn send(&mut self, _frame: Vec<u8>) -> Result<(), ChannelError> {
        Ok(())
    }

    fn try_send(&mut self, _frame: Vec<u8>) -> bool {
        true
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.frames.pop_front().ok_or(NetworkFault::Closed.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_pair;

    #[test]
    fn what_was_recorded_can_be_played() {
        let (left, _right) = memory_pair();
        let (mut left, transcript) = Recording::new(left);
        left.send(vec![1]).expect("open");
        left.send(vec![2]).expect("open");
        let mut replay = Replay::new(transcript.frames());
        assert_eq!(replay.recv(), Ok(vec![1]));
        assert_eq!(replay.recv(), Ok(vec![2]));
        assert_eq!(replay.recv(), Err(NetworkFault::Closed.into()));
    }
}
