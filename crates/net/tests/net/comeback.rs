//! Connections are cut, and runs go on.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use veilset_channel::{ChannelError, MAX_FRAME, NetworkFault, Transport};
use veilset_net::{Comeback, Endpoint, Event, NetError, Options, Stranger, connect, establish};
use veilset_party::Identity;

use crate::support::{Events, LIVELY, Proxy, Waiting, lasting_pair};

const CLOSED: ChannelError = ChannelError::Network(NetworkFault::Closed);

/// Gives a peer up soon.
fn impatient() -> Options {
    Options { silence: Duration::from_millis(300), ..LIVELY }
}

/// A frame that tells its place; some are long.
fn frame(number: usize) -> Vec<u8> {
    let length = if number.is_multiple_of(3) { MAX_FRAME } else { 8 + number % 50 };
    let mut frame = vec![(number % 251) as u8; length];
    frame[..8].copy_from_slice(&(number as u64).to_le_bytes());
    frame
}

fn is_lost(event: &Event) -> bool {
    matches!(event, Event::Lost { .. })
}

fn is_back(event: &Event) -> bool {
    matches!(event, Event::Returned { .. })
}

/// Sends and receives so many frames in turns; `around` is called before and after each is sent.
fn talk(way: &mut impl Transport, frames: usize, ours: usize, around: impl Fn(usize, bool)) {
    for number in 0..frames {
        around(number, false);
        way.send(frame(2 * number + ours)).expect("it goes on");
        around(number, true);
        let theirs = 2 * number + 1 - ours;
        assert!(way.recv().expect("it goes on") == frame(theirs), "frame {number}");
    }
}

#[test]
fn each_frame_arrives_once_and_in_order_however_often_the_connection_is_cut() {
    let (mut left, mut right, proxy) = lasting_pair(&LIVELY);
    thread::scope(|scope| {
        scope.spawn(|| talk(&mut left.way, 400, 0, |_, _| ()));
        // In the middle of something, and when what is under way is lost.
        talk(&mut right.way, 400, 1, |number, is_sent| match (number % 40, is_sent) {
            (10, false) => proxy.lose(),
            (10 | 30, true) => proxy.cut(),
            _ => {}
        });
    });
    for end in [&left, &right] {
        let told = end.told.all();
        assert!(told.iter().filter(|event| is_back(event)).count() >= 1, "{told:?}");
    }
    let closing = thread::spawn(move || left.way.close());
    assert_eq!(right.way.recv(), Err(CLOSED));
    right.way.close();
    closing.join().expect("no panic");
}

#[test]
fn a_stream_in_one_direction_goes_on() {
    const FRAMES: usize = 3000;
    let (mut left, mut right, proxy) = lasting_pair(&LIVELY);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..FRAMES {
                left.way.send(frame(number)).expect("it goes on");
            }
            left.way.close();
        });
        scope.spawn(|| {
            // Once there is something to cut again.
            for count in 1.. {
                if over.load(SeqCst) || count == 5 {
                    break;
                }
                proxy.cut();
                right.told.wait_for_all(count, is_back);
            }
        });
        let way = &mut right.way;
        for number in 0..FRAMES {
            assert!(way.recv().expect("it goes on") == frame(number), "frame {number}");
            // A cut at the very end would be one of the goodbye.
            if number == FRAMES / 2 {
                over.store(true, SeqCst);
            }
        }
        assert_eq!(way.recv(), Err(CLOSED));
        way.close();
    });
}

#[test]
fn what_was_sent_before_a_goodbye_comes_though_the_connection_was_lost() {
    let (mut left, mut right, proxy) = lasting_pair(&LIVELY);
    proxy.lose();
    for number in 0..3 {
        left.way.send(frame(number)).expect("open");
    }
    let closing = thread::spawn(move || left.way.close());
    proxy.cut();
    for number in 0..3 {
        assert!(right.way.recv().expect("it comes back") == frame(number), "frame {number}");
    }
    assert_eq!(right.way.recv(), Err(CLOSED));
    right.way.close();
    closing.join().expect("no panic");
}

#[test]
fn a_peer_that_does_not_come_back_ends_the_run() {
    let (mut left, mut right, proxy) = lasting_pair(&impatient());
    proxy.close();
    for (end, calls) in [(&mut left, false), (&mut right, true)] {
        let why = end.way.recv().expect_err("nobody comes");
        let ChannelError::Network(NetworkFault::Lost { waited, last, .. }) = &why else {
            panic!("{why}")
        };
        assert_eq!(*waited, impatient().silence + impatient().heartbeat);
        assert_eq!(last.is_some(), calls, "{why}");
        assert!(why.to_string().contains("did not come back"), "{why}");
        let told = end.told.all();
        assert_eq!(told.iter().filter(|event| is_lost(event)).count(), 1, "{told:?}");
    }
}

#[test]
fn a_peer_that_closes_in_good_form_is_not_waited_for() {
    let (mut left, right, _proxy) = lasting_pair(&LIVELY);
    drop(right);
    assert_eq!(left.way.recv(), Err(CLOSED));
    assert_eq!(left.told.all(), []);
}

#[test]
fn an_end_that_never_comes_back_is_not_waited_for() {
    let caller = Identity::ephemeral();
    // It takes one connection alone.
    let waiting = Waiting::for_peer(caller.public_key(), LIVELY);
    let told = Events::default();
    let endpoint = Endpoint::Connect(waiting.addr.to_string());
    let options = told.heard(LIVELY);
    let way = establish(&caller, waiting.key, &endpoint, &options, &|_| ());
    let (mut way, single) = (way.expect("it listens"), waiting.result().expect("it came"));
    drop(single);
    assert_eq!(way.recv(), Err(CLOSED));
    assert_eq!(told.all(), []);
}

#[test]
fn another_run_of_the_same_peer_does_not_take_the_place_of_the_lost_one() {
    let (left, right) = (Identity::ephemeral(), Identity::ephemeral());
    let (left_key, right_key) = (left.public_key(), right.public_key());
    let (events, told) = (Events::default(), Events::default());
    let (listening, options) = (events.clone(), told.heard(LIVELY));
    let endpoint = Endpoint::Listen("127.0.0.1:0".to_owned());
    let waiting = thread::spawn(move || {
        establish(&left, right_key, &endpoint, &options, &|event| listening.push(event))
    });
    let addr = events.address();
    let proxy = Proxy::to(addr);
    let endpoint = Endpoint::Connect(proxy.addr.to_string());
    let options = Events::default().heard(LIVELY);
    let mut there = establish(&right, left_key, &endpoint, &options, &|_| ()).expect("it listens");
    let mut here = waiting.join().expect("no panic").expect("it came");

    proxy.close();
    told.wait_for(is_lost);
    // The same party, once more, where the first run is awaited.
    let seen = Events::default();
    let brief = Options { deadline: Duration::from_secs(3), comeback: Comeback::NEVER, ..LIVELY };
    let refused = connect(&right, left_key, &addr.to_string(), &brief, &|event| seen.push(event));
    let Err(NetError::Unreachable { why, .. }) = refused else { panic!("it is another run") };
    assert!(why.contains("another run"), "{why}");

    proxy.open();
    there.send(vec![7]).expect("it goes on");
    assert_eq!(here.recv(), Ok(vec![7]));
}

#[test]
fn a_lost_run_does_not_take_the_place_of_a_new_one() {
    let (left, right) = (Identity::ephemeral(), Identity::ephemeral());
    let (left_key, right_key) = (left.public_key(), right.public_key());
    let events = Events::default();
    let (listening, patient) = (events.clone(), Events::default().heard(LIVELY));
    let endpoint = Endpoint::Listen("127.0.0.1:0".to_owned());
    let waiting = thread::spawn(move || {
        let way = establish(&left, right_key, &endpoint, &patient, &|event| listening.push(event));
        (way.expect("it came"), left)
    });
    let first = Proxy::to(events.address());
    let told = Events::default();
    let endpoint = Endpoint::Connect(first.addr.to_string());
    let lasting = told.heard(LIVELY);
    let caller = establish(&right, left_key, &endpoint, &lasting, &|_| ()).expect("it listens");
    let (way, left) = waiting.join().expect("no panic");
    // The process that listened ends, and another run waits elsewhere, where the calls go now.
    let second = Waiting::by(left, right_key, LIVELY);
    first.send_to(second.addr);
    first.cut();
    drop(way);
    told.wait_for(is_lost);
    second
        .events
        .wait_for(|event| matches!(event, Event::StrangerRefused { why: Stranger::OtherRun, .. }));
    drop(caller);
    let fresh = connect(&right, second.key, &second.addr.to_string(), &LIVELY, &|_| ());
    assert!(fresh.is_ok() && second.result().is_ok());
}
