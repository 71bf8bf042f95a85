//! Two parties find each other, or learn why not.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use veilset_channel::{MAX_FRAME, NetworkFault, Transport};
use veilset_net::{
    Class, Endpoint, Event, Listener, NetError, Options, Stop, Stranger, TlsTransport, Traffic,
    connect, establish,
};
use veilset_party::Identity;

use crate::support::{Events, LIVELY, NOBODY, Proxy, Waiting, call, pair, pair_through_proxy};

#[test]
fn either_side_may_start_first() {
    let (left, right) = (Identity::ephemeral(), Identity::ephemeral());
    let (left_key, right_key) = (left.public_key(), right.public_key());
    // Closes connections until the peer is there.
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let to = Endpoint::Connect(door.local_addr().expect("bound").to_string());
    let events = Events::default();
    let log = events.clone();
    let early =
        thread::spawn(move || establish(&left, right_key, &to, &LIVELY, &|event| log.push(event)));
    drop(door.accept().expect("a caller"));
    events.wait_for(|event| matches!(event, Event::Retrying { .. }));
    let late = Waiting::by(right, left_key, LIVELY);
    let _proxy = Proxy::behind(door, late.addr);
    let mut late = late.result().expect("the peer calls");
    let mut early = early.join().expect("no panic").expect("the peer listens at last");
    events.wait_for(|event| matches!(event, Event::Connected { .. }));
    early.send(b"hello".to_vec()).expect("open");
    assert_eq!(late.recv().expect("sent"), b"hello");
    assert!(early.connects() != late.connects());
}

#[test]
fn frames_of_every_size_come_back_the_same() {
    let (mut left, mut right) = pair();
    let sizes = [1, 4, 5, 255, 256, 16_384, 16_385, 65_536, MAX_FRAME - 1, MAX_FRAME];
    let echo = thread::spawn(move || {
        for _ in sizes {
            let frame = right.recv().expect("sent");
            right.send(frame).expect("open");
        }
        right.close();
    });
    for size in sizes {
        let frame: Vec<u8> = (0..size).map(|i| (i * 31 % 251) as u8).collect();
        left.send(frame.clone()).expect("open");
        assert_eq!(left.recv().expect("echoed"), frame);
    }
    assert_eq!(left.recv(), Err(NetworkFault::Closed.into()));
    echo.join().expect("no panic");
}

#[test]
fn both_ends_of_one_connection_have_one_binding_and_no_other_connection_has_it() {
    let (one, two) = (Identity::ephemeral(), Identity::ephemeral());
    let meet = |caller: &Identity| {
        let waiting = Waiting::for_peer(caller.public_key(), LIVELY);
        let connected = call(caller, &waiting.key, waiting.addr).expect("it listens");
        let bindings = [connected.binding(), waiting.result().expect("the peer came").binding()];
        assert_eq!(bindings[0], bindings[1]);
        bindings[0]
    };
    let all = HashSet::from([meet(&one), meet(&one), meet(&two), [0; 32]]);
    assert_eq!(all.len(), 4);
}

#[test]
fn two_parties_that_call_each_other_again_get_another_binding() {
    let (left, right) = (Identity::ephemeral(), Identity::ephemeral());
    let (left_key, right_key) = (left.public_key(), right.public_key());
    let mut all = HashSet::new();
    for (one, two, two_key) in [(&left, &right, right_key), (&right, &left, left_key)] {
        for _ in 0..2 {
            let listener = Listener::bind("127.0.0.1:0").expect("a free port");
            let addr = listener.local_addr();
            let (connected, accepted) = thread::scope(|scope| {
                let caller = scope.spawn(move || call(one, &two_key, addr).expect("it listens"));
                let accepted = listener.accept(two, one.public_key(), &LIVELY, &|_| ());
                (caller.join().expect("no panic"), accepted.expect("the peer came"))
            });
            assert_eq!(connected.binding(), accepted.binding());
            assert!(all.insert(accepted.binding()));
        }
    }
}

#[test]
fn wire_bytes_are_what_crossed_the_wire() {
    let (mut left, mut right, proxy) = pair_through_proxy();
    for _ in 0..20 {
        left.send(vec![1; 50_000]).expect("open");
        right.send(vec![2; 700]).expect("open");
        left.recv().expect("sent");
        right.recv().expect("sent");
    }
    // Until heartbeats are among them.
    let before = left.wire_bytes().expect("counted").received;
    while left.wire_bytes().expect("counted").received == before {
        thread::sleep(LIVELY.heartbeat);
    }
    let other = thread::spawn(move || {
        right.close();
        right.wire_bytes().expect("counted")
    });
    left.close();
    let (left, right) = (left.wire_bytes().expect("counted"), other.join().expect("no panic"));
    assert!(left.sent > 1_000_000 && left.sent < 1_020_000, "{left:?}");
    assert_eq!((right.sent, right.received), (left.received, left.sent));
    assert_eq!(proxy.forwarded(), (right.sent, right.received));
}

#[test]
fn whoever_looks_sees_what_crossed_all_connections_so_far() {
    let traffic = Traffic::new();
    let options = Options { traffic: traffic.clone(), ..LIVELY };
    let caller = Identity::ephemeral();
    let ends: Vec<(TlsTransport, TlsTransport)> = (0..2)
        .map(|_| {
            let waiting = Waiting::for_peer(caller.public_key(), LIVELY);
            let addr = waiting.addr.to_string();
            let called = connect(&caller, waiting.key, &addr, &options, &|_| ());
            (called.expect("it listens"), waiting.result().expect("the peer came"))
        })
        .collect();
    let before = traffic.bytes();
    for (called, waited) in ends {
        let (mut called, mut waited) = (called, waited);
        called.send(vec![1; 50_000]).expect("open");
        waited.recv().expect("sent");
    }
    let after = traffic.bytes();
    assert!(before.sent > 0 && before.received > 0, "two handshakes");
    assert!((100_000..110_000).contains(&(after.sent - before.sent)), "{before:?}, {after:?}");
    assert_eq!(Traffic::UNSEEN.bytes(), veilset_channel::WireBytes::default());
}

#[test]
fn another_key_than_the_pinned_one_stops_the_caller_at_once() {
    let (caller, somebody) = (Identity::ephemeral(), Identity::ephemeral());
    let waiting = Waiting::for_peer(caller.public_key(), LIVELY);
    let error = call(&caller, &somebody.public_key(), waiting.addr).err();
    let error = error.expect("the wrong key");
    assert!(
        matches!(error, NetError::WrongKey { expected, got, .. }
            if expected == somebody.public_key() && got == waiting.key),
        "{error}"
    );
    assert_eq!(error.class(), Class::Refused);
    let expected = |event: &Event| {
        matches!(event, Event::StrangerRefused { why: Stranger::ExpectsOtherKey, .. })
    };
    waiting.events.wait_for(expected);
    call(&caller, &waiting.key, waiting.addr).expect("the wait goes on");
    waiting.result().expect("the peer came");
}

#[test]
fn a_caller_whose_key_is_refused_learns_it_and_the_wait_goes_on() {
    let (peer, stranger) = (Identity::ephemeral(), Identity::ephemeral());
    let waiting = Waiting::for_peer(peer.public_key(), LIVELY);
    let error = call(&stranger, &waiting.key, waiting.addr).err();
    let error = error.expect("not the pinned key");
    assert!(matches!(error, NetError::RefusedByPeer { .. }), "{error}");
    assert_eq!(error.class(), Class::Refused);
    let command = format!("veilset peer add NAME {}", stranger.public_key());
    assert!(error.to_string().contains(&command), "{error}");
    let refused = Stranger::OtherKey(stranger.public_key());
    waiting
        .events
        .wait_for(|event| matches!(event, Event::StrangerRefused { why, .. } if *why == refused));
    call(&peer, &waiting.key, waiting.addr).expect("the wait goes on");
    waiting.result().expect("the peer came");
}

/// Answers every caller with `words`, then closes.
fn server_that_says(words: &'static [u8]) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = socket.local_addr().expect("bound");
    thread::spawn(move || {
        for caller in socket.incoming() {
            let mut caller = caller.expect("a caller");
            let _ = caller.read(&mut [0; 4096]);
            let _ = caller.write_all(words);
        }
    });
    addr
}

#[test]
fn another_program_is_noticed_at_once() {
    let caller = Identity::ephemeral();
    let peer = Identity::ephemeral().public_key();
    // The last is a TLS alert: handshake_failure.
    for words in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        b"SSH-2.0-x\r\n",
        &[0; 64],
        &[0x15, 3, 3, 0, 2, 2, 40],
        &[0x15, 3, 3, 0, 2, 2, 49],
    ] {
        let error = call(&caller, &peer, server_that_says(words)).err();
        let error = error.expect("not veilset");
        assert!(matches!(error, NetError::NotVeilset { .. }), "{error}");
        assert_eq!(error.class(), Class::Protocol);
    }
}

#[test]
fn who_does_not_come_is_given_up_at_the_deadline() {
    let caller = Identity::ephemeral();
    let peer = Identity::ephemeral().public_key();
    let brief = Options { deadline: Duration::from_millis(500), ..LIVELY };
    for addr in [NOBODY.to_owned(), server_that_says(b"").to_string()] {
        let failed = connect(&caller, peer, &addr, &brief, &|_| ());
        let error = failed.err().expect("nobody is there");
        assert!(matches!(error, NetError::Unreachable { .. }), "{error}");
        assert_eq!(error.class(), Class::Network);
    }
    let error = Waiting::for_peer(peer, brief).result().err().expect("nobody");
    assert!(matches!(error, NetError::NobodyCame { strangers: 0, .. }), "{error}");
    assert_eq!(error.class(), Class::Network);
}

#[test]
fn input_that_cannot_work_is_refused_before_anything_is_sent() {
    let own = Identity::ephemeral();
    let peer = Identity::ephemeral().public_key();
    let taken = Listener::bind("127.0.0.1:0").expect("a free port");
    let there = taken.local_addr().to_string();
    let at = |endpoint| establish(&own, peer, &endpoint, &LIVELY, &|_| ()).err();
    for (error, fits) in [
        (at(Endpoint::Connect("nowhere".to_owned())), "Address"),
        (at(Endpoint::Listen("nowhere".to_owned())), "Address"),
        (at(Endpoint::Listen(there)), "Listen"),
        (call(&own, &own.public_key(), NOBODY.parse().expect("an address")).err(), "OwnKey"),
    ] {
        let error = error.expect("refused");
        assert!(format!("{error:?}").starts_with(fits), "{error:?}");
        assert_eq!(error.class(), Class::Input);
    }
    drop(taken);
}

/// They come one after the other, the last awaited first; the first one hears that its peer lives while it waits.
#[test]
fn several_peers_come_to_one_address() {
    let host = Identity::ephemeral();
    let guests: Vec<Identity> = (0..3).map(|_| Identity::ephemeral()).collect();
    let stranger = Identity::ephemeral();
    let keys: Vec<_> = guests.iter().map(Identity::public_key).collect();
    let listener = Listener::bind("127.0.0.1:0").expect("a free port");
    let (addr, host_key, events) = (listener.local_addr(), host.public_key(), Events::default());
    let log = events.clone();
    let waiting =
        thread::spawn(move || listener.accept_all(&host, &keys, &LIVELY, &|event| log.push(event)));
    let mut came = Vec::new();
    for guest in guests.iter().rev() {
        assert!(call(&stranger, &host_key, addr).is_err());
        let come = || connect(guest, host_key, &addr.to_string(), &LIVELY, &|_| ());
        if came.len() == 1 {
            // One that left, and is there again.
            drop(come().expect("it is awaited"));
        }
        came.push(come().expect("it is awaited"));
        if let [first] = &came[..] {
            let received = || first.wire_bytes().expect("counted").received;
            let before = received();
            while received() < before + 100 {
                thread::sleep(LIVELY.heartbeat);
            }
        }
    }
    let mut here = waiting.join().expect("no panic").expect("all came");
    for (number, (here, there)) in (0..).zip(here.iter_mut().zip(came.iter_mut().rev())) {
        there.send(vec![number]).expect("open");
        assert_eq!(here.recv(), Ok(vec![number]));
        here.send(vec![number, number]).expect("open");
        assert_eq!(there.recv(), Ok(vec![number, number]));
        assert_eq!(here.binding(), there.binding());
    }
    let connected = |event: &Event| matches!(event, Event::Connected { .. });
    assert_eq!(events.all().iter().filter(|event| connected(event)).count(), 4);
    // One that ends does not end the others.
    drop(came.pop());
    assert!(here[0].recv().is_err());
    came[0].send(b"still here".to_vec()).expect("open");
    assert_eq!(here[2].recv(), Ok(b"still here".to_vec()));
}

#[test]
fn a_wait_and_a_connection_end_when_their_user_wants() {
    let (here, there) = (Identity::ephemeral(), Identity::ephemeral());
    let peer = there.public_key();
    for waits in [true, false] {
        let stop = Stop::new();
        let options = Options { stop: stop.clone(), ..LIVELY };
        let endpoint = if waits {
            Endpoint::Listen("127.0.0.1:0".to_owned())
        } else {
            Endpoint::Connect(NOBODY.to_owned())
        };
        // As soon as it waits.
        let heed = |event: Event| {
            assert!(matches!(event, Event::Listening(_) | Event::Retrying { .. }), "{event}");
            stop.stop();
        };
        let error = establish(&here, peer, &endpoint, &options, &heed).err().expect("stopped");
        assert!(matches!(error, NetError::Stopped), "{error}");
        assert!(stop.is_stopped() && options.stop.is_stopped());
    }

    let stop = Stop::new();
    let options = Options { stop: stop.clone(), ..LIVELY };
    let waiting = Waiting::for_peer(here.public_key(), LIVELY);
    let addr = waiting.addr.to_string();
    let mut near = connect(&here, waiting.key, &addr, &options, &|_| ()).expect("it listens");
    let mut far = waiting.result().expect("the peer came");
    thread::spawn(move || stop.stop());
    assert_eq!(near.recv(), Err(NetworkFault::Stopped.into()));
    assert_eq!(far.recv(), Err(NetworkFault::Interrupted.into()));
}
