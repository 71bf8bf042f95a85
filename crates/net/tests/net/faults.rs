//! The connection breaks, or somebody breaks it.

use std::thread;
use std::time::Duration;

use veilset_channel::{ChannelError, NetworkFault, Transport};

use crate::support::{QUICK, pair, pair_through_proxy, within};

const CLOSED: ChannelError = ChannelError::Network(NetworkFault::Closed);
const SOON: Duration = Duration::from_secs(1);

/// Sends until it fails.
fn send_for_ever(link: &mut impl Transport) -> ChannelError {
    loop {
        if let Err(error) = link.send(vec![7; 100_000]) {
            return error;
        }
    }
}

#[test]
fn a_peer_that_dies_is_noticed_while_receiving_and_while_sending() {
    let (mut left, right) = pair();
    let cut = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        within(SOON, || drop(right));
    });
    assert_eq!(within(SOON, || left.recv()), Err(CLOSED));
    assert_eq!(left.send(vec![1]), Err(CLOSED));
    cut.join().expect("no panic");

    let (left, mut right) = pair();
    let cut = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(left);
    });
    assert_eq!(within(SOON, || send_for_ever(&mut right)), CLOSED);
    cut.join().expect("no panic");
}

#[test]
fn dropping_cuts_even_a_full_queue() {
    let (mut left, right) = pair();
    let sender = thread::spawn(move || (send_for_ever(&mut left), left.recv()));
    thread::sleep(Duration::from_millis(300));
    within(SOON, || drop(right));
    assert_eq!(within(SOON, || sender.join().expect("no panic")), (CLOSED, Err(CLOSED)));
}

#[test]
fn what_came_before_the_end_is_still_received() {
    let (mut left, mut right) = pair();
    for byte in 0..3 {
        left.send(vec![byte]).expect("open");
    }
    let closing = thread::spawn(move || {
        within(SOON, || left.close());
        assert_eq!(left.send(vec![9]), Err(CLOSED));
        assert_eq!(left.recv(), Err(CLOSED));
    });
    closing.join().expect("no panic");
    thread::sleep(Duration::from_millis(200));
    for byte in 0..3 {
        assert_eq!(right.recv(), Ok(vec![byte]));
    }
    assert_eq!(right.recv(), Err(CLOSED));
    assert_eq!(right.send(vec![1]), Err(CLOSED));
    within(SOON, || right.close());
}

#[test]
fn a_peer_that_computes_is_not_dead() {
    let (mut left, mut right) = pair();
    let computing = thread::spawn(move || {
        thread::sleep(3 * QUICK.silence);
        right.send(b"done".to_vec()).expect("open");
        right.recv()
    });
    assert_eq!(left.recv(), Ok(b"done".to_vec()));
    thread::sleep(3 * QUICK.silence);
    left.send(b"thanks".to_vec()).expect("open");
    assert_eq!(computing.join().expect("no panic"), Ok(b"thanks".to_vec()));
}

#[test]
fn a_peer_from_whom_nothing_comes_is_dead() {
    let silent = || ChannelError::Network(NetworkFault::Silent(QUICK.silence));
    let (mut left, mut right, proxy) = pair_through_proxy();
    proxy.stall();
    let sending = thread::spawn(move || send_for_ever(&mut left));
    assert_eq!(within(2 * SOON, || right.recv()), Err(silent()));
    assert_eq!(within(SOON, || sending.join().expect("no panic")), silent());
    assert_eq!(right.send(vec![1]), Err(silent()));
    within(SOON, || right.close());
}

#[test]
fn altered_bytes_are_an_error_on_both_sides() {
    let (mut left, mut right, proxy) = pair_through_proxy();
    right.send(vec![1; 10]).expect("open");
    assert_eq!(left.recv(), Ok(vec![1; 10]));
    proxy.alter();
    let _ = right.send(vec![2; 1000]);
    for link in [&mut left, &mut right] {
        let error = within(SOON, || link.recv()).expect_err("the record does not open");
        assert!(
            matches!(&error, ChannelError::Network(NetworkFault::Io(why)) if why.contains("altered")),
            "{error}"
        );
    }
}
