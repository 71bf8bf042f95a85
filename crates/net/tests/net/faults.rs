//! The connection breaks, or somebody breaks it. What depends on the clock is with the connection itself, where the clock is the
//! test's.

use std::thread;

use veilset_channel::{ChannelError, NetworkFault, Transport};

use crate::support::{pair, pair_through_proxy};

const CLOSED: ChannelError = ChannelError::Network(NetworkFault::Closed);

/// Sends until it fails.
fn send_for_ever(transport: &mut impl Transport) -> ChannelError {
    loop {
        if let Err(error) = transport.send(vec![7; 100_000]) {
            return error;
        }
    }
}

#[test]
fn a_peer_that_dies_is_noticed_while_receiving_and_while_sending() {
    let (mut left, right) = pair();
    let cut = thread::spawn(move || drop(right));
    assert_eq!(left.recv(), Err(CLOSED));
    assert_eq!(left.send(vec![1]), Err(CLOSED));
    cut.join().expect("no panic");

    let (left, mut right) = pair();
    let cut = thread::spawn(move || drop(left));
    assert_eq!(send_for_ever(&mut right), CLOSED);
    cut.join().expect("no panic");
}

#[test]
fn dropping_cuts_even_a_full_queue() {
    let (mut left, right) = pair();
    while left.try_send(vec![7; 100_000]) {}
    let sender = thread::spawn(move || (send_for_ever(&mut left), left.recv()));
    drop(right);
    assert_eq!(sender.join().expect("no panic"), (CLOSED, Err(CLOSED)));
}

#[test]
fn what_came_before_the_end_is_still_received() {
    let (mut left, mut right) = pair();
    for byte in 0..3 {
        left.send(vec![byte]).expect("open");
    }
    let closing = thread::spawn(move || {
        left.close();
        assert_eq!(left.send(vec![9]), Err(CLOSED));
        assert_eq!(left.recv(), Err(CLOSED));
    });
    closing.join().expect("no panic");
    for byte in 0..3 {
        assert_eq!(right.recv(), Ok(vec![byte]));
    }
    assert_eq!(right.recv(), Err(CLOSED));
    assert_eq!(right.send(vec![1]), Err(CLOSED));
    right.close();
}

#[test]
fn altered_bytes_are_an_error_on_both_sides() {
    let (mut left, mut right, proxy) = pair_through_proxy();
    right.send(vec![1; 10]).expect("open");
    assert_eq!(left.recv(), Ok(vec![1; 10]));
    proxy.alter();
    let _ = right.send(vec![2; 1000]);
    for transport in [&mut left, &mut right] {
        let error = transport.recv().expect_err("the record does not open");
        assert!(
            matches!(&error, ChannelError::Network(NetworkFault::Io(why)) if why.contains("altered")),
            "{error}"
        );
    }
}
