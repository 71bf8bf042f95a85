//! Much data, both directions.

use std::thread;

use veilset_channel::{ChannelError, MAX_FRAME, NetworkFault, Transport};

use crate::support::pair;

/// A frame that tells its place.
fn frame(number: usize) -> Vec<u8> {
    let mut frame = vec![(number % 251) as u8; MAX_FRAME];
    frame[..8].copy_from_slice(&(number as u64).to_le_bytes());
    frame
}

#[test]
fn fifty_megabytes_arrive_even_after_a_goodbye() {
    const FRAMES: usize = 50_000_000 / MAX_FRAME;
    let (mut left, mut right) = pair();
    let sender = thread::spawn(move || {
        for number in 0..FRAMES {
            left.send(frame(number)).expect("open");
        }
        left.close();
    });
    for number in 0..FRAMES {
        assert!(right.recv().expect("sent") == frame(number), "frame {number}");
    }
    assert_eq!(right.recv(), Err(ChannelError::Network(NetworkFault::Closed)));
    sender.join().expect("no panic");
}

#[test]
fn both_directions_at_once() {
    let (mut left, mut right) = pair();
    let talk = |transport: &mut dyn Transport, ours: usize, theirs: usize| {
        for number in 0..100 {
            transport.send(frame(2 * number + ours)).expect("open");
            assert!(
                transport.recv().expect("sent") == frame(2 * number + theirs),
                "frame {number}"
            );
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| talk(&mut left, 0, 1));
        talk(&mut right, 1, 0);
    });
}
