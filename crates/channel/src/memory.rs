//! Both parties in one process.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

use crate::{ChannelError, NetworkFault, QUEUED_FRAMES, Transport};

/// How long a party in memory waits before it holds the other for dead.
const PATIENCE: Duration = Duration::from_secs(120);

/// One end of a pair in memory.
pub struct MemoryTransport {
    out: Option<SyncSender<Vec<u8>>>,
    incoming: Receiver<Vec<u8>>,
}

/// Two connected ends, with the queue bound of a network transport.
#[must_use]
pub fn memory_pair() -> (MemoryTransport, MemoryTransport) {
    let (to_right, from_left) = sync_channel(QUEUED_FRAMES);
    let (to_left, from_right) = sync_channel(QUEUED_FRAMES);
    (
        MemoryTransport { out: Some(to_right), incoming: from_right },
        MemoryTransport { out: Some(to_left), incoming: from_left },
    )
}

impl Transport for MemoryTransport {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        let out = self.out.as_ref().ok_or(NetworkFault::Closed)?;
        out.send(frame).map_err(|_| NetworkFault::Closed.into())
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.out.as_ref().is_some_and(|out| out.try_send(frame).is_ok())
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.incoming.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => NetworkFault::Silent(PATIENCE).into(),
            RecvTimeoutError::Disconnected => NetworkFault::Closed.into(),
        })
    }

    fn try_recv(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        match self.incoming.try_recv() {
            Ok(frame) => Ok(Some(frame)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(NetworkFault::Closed.into()),
        }
    }

    fn close(&mut self) {
        self.out = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_as_many_frames_as_the_network_does() {
        let (mut left, mut right) = memory_pair();
        for number in 0..QUEUED_FRAMES {
            left.send(vec![u8::try_from(number).expect("few")]).expect("fits");
        }
        let blocked = std::thread::spawn(move || left.send(vec![99]));
        assert_eq!(right.recv(), Ok(vec![0]));
        assert_eq!(blocked.join().expect("no panic"), Ok(()));
        let rest: Vec<_> = (0..QUEUED_FRAMES).map(|_| right.recv()).collect();
        assert_eq!(rest.last(), Some(&Ok(vec![99])));
        assert_eq!(right.recv(), Err(NetworkFault::Closed.into()));
    }
}
