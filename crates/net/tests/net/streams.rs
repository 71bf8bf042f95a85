//! Much data, slow readers, both directions.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use veilset_channel::{ChannelError, MAX_FRAME, NetworkFault, Transport};

use crate::support::{QUICK, pair};

/// A frame that tells its place.
fn frame(number: usize) -> Vec<u8> {
    let mut frame = vec![(number % 251) as u8; MAX_FRAME];
    frame[..8].copy_from_slice(&(number as u64).to_le_bytes());
    frame
}

#[test]
fn fifty_megabytes_reach_a_slow_reader_even_after_a_goodbye() {
    const FRAMES: usize = 50_000_000 / MAX_FRAME;
    let (mut left, mut right) = pair();
    let sender = thread::spawn(move || {
        for number in 0..FRAMES {
            left.send(frame(number)).expect("a slow peer is not a dead one");
        }
        left.close();
    });
    for number in 0..FRAMES {
        if number % 100 == 50 {
            // Longer than a silence: the queue is full meanwhile, which does not count.
            thread::sleep(2 * QUICK.silence);
        }
        assert!(right.recv().expect("sent") == frame(number), "frame {number}");
    }
    assert_eq!(right.recv(), Err(ChannelError::Network(NetworkFault::Closed)));
    sender.join().expect("no panic");
}

#[test]
fn a_goodbye_waits_for_a_peer_that_computes() {
    let (mut left, mut right) = pair();
    let (sent, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !enough.load(SeqCst) {
                left.send(frame(sent.load(SeqCst))).expect("open");
                sent.fetch_add(1, SeqCst);
            }
            left.close();
        });
        // Until every queue and buffer between the two is full.
        let full = settled(&sent);
        enough.store(true, SeqCst);
        let mut taken = 0;
        while sent.load(SeqCst) == full {
            assert!(right.recv().expect("sent") == frame(taken), "frame {taken}");
            taken += 1;
            thread::sleep(Duration::from_millis(5));
        }
        // The goodbye has begun; the peer computes.
        thread::sleep(Duration::from_secs(3));
        while let Ok(got) = right.recv() {
            assert!(got == frame(taken), "frame {taken}");
            taken += 1;
        }
        assert_eq!(taken, sent.load(SeqCst));
    });
}

/// The count at which a counter stays for a while.
fn settled(counter: &AtomicUsize) -> usize {
    loop {
        let before = counter.load(SeqCst);
        thread::sleep(Duration::from_millis(300));
        if before > 0 && counter.load(SeqCst) == before {
            return before;
        }
    }
}

#[test]
fn both_directions_at_once() {
    let (mut left, mut right) = pair();
    let talk = |link: &mut dyn Transport, ours: usize, theirs: usize| {
        for number in 0..100 {
            link.send(frame(2 * number + ours)).expect("open");
            assert!(link.recv().expect("sent") == frame(2 * number + theirs), "frame {number}");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| talk(&mut left, 0, 1));
        talk(&mut right, 1, 0);
    });
}
