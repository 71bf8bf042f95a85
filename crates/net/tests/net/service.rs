//! Messages longer than a frame, at a service that turns them round.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use veilset_channel::{ChannelError, MAX_FRAME, PeerFault, Transport};
use veilset_net::{
    Callers, Farewell, Limits, Listener, Note, Options, Parting, Response, Service, Stop,
    TlsTransport, connect, receive_message, send_message,
};
use veilset_party::{Identity, PublicKey};

const LONGEST: usize = 1 << 20;

/// Turns requests round, and tells how clients part.
struct Mirror {
    allowed: Vec<PublicKey>,
    parted: Mutex<Sender<Parting>>,
}

impl Service for Mirror {
    fn callers(&self) -> Callers {
        Callers { allowed: self.allowed.clone(), known: Vec::new() }
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn answer(&self, _client: &PublicKey, request: &[u8]) -> Response {
        Response::More(request.iter().rev().copied().collect())
    }

    fn farewell(&self, _why: Farewell) -> Vec<u8> {
        b"go".to_vec()
    }

    fn note(&self, note: &Note) {
        if let Note::Left(_, parting) = note {
            let _ = self.parted.lock().expect("no panic").send(parting.clone());
        }
    }
}

#[test]
fn long_requests_take_turns_and_too_long_ones_end_the_connection() {
    let (server, client) = (Identity::ephemeral(), Identity::ephemeral());
    let (parted, partings) = channel();
    let mirror =
        Arc::new(Mirror { allowed: vec![client.public_key()], parted: Mutex::new(parted) });
    let listener = Listener::bind("127.0.0.1:0").expect("a free port");
    let (addr, key, stop) = (listener.local_addr().to_string(), server.public_key(), Stop::new());
    let limits = Limits { long_requests: 1, ..Limits::default() };
    let stopping = stop.clone();
    let serving = thread::spawn(move || listener.serve(&server, mirror, &limits, &stopping));
    let call = || connect(&client, key, &addr, &Options::default(), &|_| ()).expect("a service");

    // One that begins a long request and waits holds up the others, until it goes.
    let mut slow = call();
    slow.send((LONGEST as u32).to_le_bytes().to_vec()).expect("open");
    let others: Vec<TlsTransport> = (0..3).map(|_| call()).collect();
    thread::scope(|scope| {
        scope.spawn(move || drop(slow));
        for (seed, mut transport) in (1..).zip(others) {
            scope.spawn(move || {
                let request: Vec<u8> = (0..LONGEST).map(|byte| (byte * seed) as u8).collect();
                send_message(&mut transport, &request).expect("its turn comes");
                let answer = receive_message(&mut transport, LONGEST).expect("an answer");
                assert!(answer.iter().rev().eq(&request));
                send_message(&mut transport, b"ab").expect("open");
                assert_eq!(receive_message(&mut transport, 2).expect("an answer"), b"ba");
            });
        }
    });
    let mut greedy = call();
    greedy.send((LONGEST as u32 + 1).to_le_bytes().to_vec()).expect("open");
    assert!(greedy.recv().is_err(), "it is gone");
    let partings: Vec<Parting> = partings.iter().take(5).collect();
    let count = |wanted: fn(&Parting) -> bool| partings.iter().filter(|one| wanted(one)).count();
    assert_eq!(count(|parting| *parting == Parting::Done), 4, "{partings:?}");
    let faults = count(|parting| {
        matches!(parting, Parting::Fault(ChannelError::Peer(PeerFault::Malformed { .. })))
    });
    assert_eq!(faults, 1, "{partings:?}");
    stop.stop();
    serving.join().expect("no panic").expect("served");
    const { assert!(LONGEST > MAX_FRAME, "several frames each") };
}
