//! A link with a bandwidth and a delay, in memory.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use veilset_channel::{ChannelError, NetworkFault, QUEUED_FRAMES, Transport};

/// A frame with the time at which it arrives.
type Timed = (Instant, Vec<u8>);

/// One end of a simulated link.
pub struct Shaped {
    out: SyncSender<Timed>,
    incoming: Receiver<Timed>,
    bits_per_second: f64,
    delay: Duration,
    free_at: Instant,
}

/// Two ends of a link that carries `bits_per_second` each way and delivers after `delay`.
#[must_use]
pub fn shaped_pair(bits_per_second: f64, delay: Duration) -> (Shaped, Shaped) {
    // What is on its way does not wait in a queue: room for a delay's worth of full frames beside it.
    let on_the_way =
        bits_per_second * delay.as_secs_f64() / (8.0 * veilset_channel::MAX_FRAME as f64);
    let room = QUEUED_FRAMES + on_the_way.ceil() as usize;
    let (to_right, from_left) = sync_channel(room);
    let (to_left, from_right) = sync_channel(room);
    let end =
        |out, incoming| Shaped { out, incoming, bits_per_second, delay, free_at: Instant::now() };
    (end(to_right, from_right), end(to_left, from_left))
}

impl Transport for Shaped {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        let takes = Duration::from_secs_f64(frame.len() as f64 * 8.0 / self.bits_per_second);
        self.free_at = self.free_at.max(Instant::now()) + takes;
        let arrives = self.free_at + self.delay;
        self.out.send((arrives, frame)).map_err(|_| NetworkFault::Closed.into())
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.out.try_send((Instant::now() + self.delay, frame)).is_ok()
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        let (arrives, frame) = self.incoming.recv().map_err(|_| NetworkFault::Closed)?;
        std::thread::sleep(arrives.saturating_duration_since(Instant::now()));
        Ok(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_its_length_and_the_delay() {
        let (mut left, mut right) = shaped_pair(1e6, Duration::from_millis(30));
        let started = Instant::now();
        left.send(vec![0; 2500]).expect("open");
        left.send(vec![1; 2500]).expect("open");
        right.recv().expect("sent");
        assert!(started.elapsed() >= Duration::from_millis(50));
        right.recv().expect("sent");
        assert!(started.elapsed() >= Duration::from_millis(70));
    }
}
