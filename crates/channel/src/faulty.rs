//! A transport that fails on purpose.

use std::time::Duration;

use crate::{ChannelError, NetworkFault, Transport, WireBytes};

/// What happens to the chosen frame on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends in its place.
    Close,
    /// Its last byte is missing.
    Truncate,
    /// One byte is added.
    Extend,
    /// Its type is another.
    Retag,
    /// It goes out twice.
    Duplicate,
    /// It goes out after the frame that follows it; where the party listens first, there is nothing to swap it with.
    Reorder,
    /// It is late; the one fault that an honest run must survive.
    Delay(Duration),
}

impl Fault {
    /// Every fault, with a short delay.
    pub const ALL: [Self; 7] = [
        Self::Close,
        Self::Truncate,
        Self::Extend,
        Self::Retag,
        Self::Duplicate,
        Self::Reorder,
        Self::Delay(Duration::from_millis(20)),
    ];
}

/// Applies one [`Fault`] to one outgoing frame.
pub struct Faulty<T> {
    inner: Option<T>,
    fault: Fault,
    at: u64,
    sent: u64,
    held: Option<Vec<u8>>,
}

impl<T: Transport> Faulty<T> {
    /// Lets all frames pass but number `at` (from 0), which suffers `fault`.
    pub fn new(inner: T, fault: Fault, at: u64) -> Self {
        Self { inner: Some(inner), fault, at, sent: 0, held: None }
    }

    fn inner(&mut self) -> Result<&mut T, ChannelError> {
        self.inner.as_mut().ok_or(NetworkFault::Closed.into())
    }

    fn strike(&mut self, mut frame: Vec<u8>) -> Result<(), ChannelError> {
        match self.fault {
            Fault::Close => {
                self.inner = None;
                return Err(NetworkFault::Closed.into());
            }
            Fault::Truncate => {
                frame.pop();
            }
            Fault::Extend => frame.push(0),
            Fault::Retag => {
                if let Some(tag) = frame.first_mut() {
                    *tag ^= 0x40;
                }
            }
            Fault::Duplicate => self.inner()?.send(frame.clone())?,
            Fault::Reorder => {
                self.held = Some(frame);
                return Ok(());
            }
            Fault::Delay(time) => std::thread::sleep(time),
        }
        self.inner()?.send(frame)
    }
}

impl<T: Transport> Transport for Faulty<T> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        let number = self.sent;
        self.sent += 1;
        if number == self.at {
            return self.strike(frame);
        }
        self.inner()?.send(frame)?;
        match self.held.take() {
            Some(late) => self.inner()?.send(late),
            None => Ok(()),
        }
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.inner.as_mut().is_some_and(|inner| inner.try_send(frame))
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        if let Some(held) = self.held.take() {
            self.inner()?.send(held)?;
        }
        self.inner()?.recv()
    }

    fn close(&mut self) {
        if let Some(inner) = &mut self.inner {
            inner.close();
        }
    }

    fn wire_bytes(&self) -> Option<WireBytes> {
        self.inner.as_ref().and_then(Transport::wire_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_pair;

    fn received(fault: Fault) -> Vec<Vec<u8>> {
        let (left, mut right) = memory_pair();
        let mut left = Faulty::new(left, fault, 1);
        for frame in [[1, 1], [2, 2], [3, 3]] {
            let _ = left.send(frame.to_vec());
        }
        drop(left);
        std::iter::from_fn(|| right.recv().ok()).collect()
    }

    #[test]
    fn each_fault_does_what_its_name_says() {
        assert_eq!(received(Fault::Close), [[1, 1]]);
        assert_eq!(received(Fault::Truncate), [vec![1, 1], vec![2], vec![3, 3]]);
        assert_eq!(received(Fault::Extend), [vec![1, 1], vec![2, 2, 0], vec![3, 3]]);
        assert_eq!(received(Fault::Retag), [[1, 1], [0x42, 2], [3, 3]]);
        assert_eq!(received(Fault::Duplicate), [[1, 1], [2, 2], [2, 2], [3, 3]]);
        assert_eq!(received(Fault::Reorder), [[1, 1], [3, 3], [2, 2]]);
        assert_eq!(received(Fault::Delay(Duration::ZERO)), [[1, 1], [2, 2], [3, 3]]);
    }
}
