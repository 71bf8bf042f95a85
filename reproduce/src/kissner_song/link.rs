//! The paper's network, simulated: Ethernet of 100 Mbit/s.

use std::thread;
use std::time::{Duration, Instant};

use veilset_bench::{BenchError, shaped_pair};
use veilset_channel::{ChannelError, MAX_FRAME, Transport};

use crate::Failure;

/// Bits a second.
const RATE: f64 = 100e6;

/// From one machine to the other.
const DELAY: Duration = Duration::from_micros(100);

/// Seconds in which so many bytes go one way, and, when they have arrived, so many the other.
pub(super) fn crossing([there, back]: [u64; 2]) -> Result<f64, Failure> {
    let (mut here, mut other) = shaped_pair(RATE, DELAY);
    let started = Instant::now();
    let crossed = thread::scope(|scope| {
        let answering =
            scope.spawn(move || receive(&mut other, there).and_then(|()| send(&mut other, back)));
        let asked = send(&mut here, there).and_then(|()| receive(&mut here, back));
        let answered = answering.join().map_err(|_| BenchError::Threads)?;
        Ok::<_, BenchError>(asked.and(answered))
    });
    crossed?.map_err(veilset_protocols::ProtocolError::from)?;
    Ok(started.elapsed().as_secs_f64())
}

/// In frames that are as long as they may be.
fn send(end: &mut dyn Transport, mut bytes: u64) -> Result<(), ChannelError> {
    while bytes > 0 {
        let frame = bytes.min(MAX_FRAME as u64);
        end.send(vec![0; frame as usize])?;
        bytes -= frame;
    }
    Ok(())
}

fn receive(end: &mut dyn Transport, mut bytes: u64) -> Result<(), ChannelError> {
    while bytes > 0 {
        bytes = bytes.saturating_sub(end.recv()?.len() as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_as_long_as_the_link_says() {
        let bytes = [250_000, 1_000_000];
        let least = 1_250_000.0 * 8.0 / RATE + 2.0 * DELAY.as_secs_f64();
        let took = crossing(bytes).expect("it is open");
        assert!(took >= least, "{took} {least}");
    }
}
