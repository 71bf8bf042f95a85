//! Nobody but the peer ends the wait for the peer.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use veilset_channel::Transport;
use veilset_net::{Class, Event, Identity, NetError, Options, Stranger};

use crate::support::{QUICK, Waiting, call, within};

/// A ClientHello of TLS 1.2, as old programs send it: no supported_versions, ECDHE-ECDSA with AES-128-GCM.
fn tls12_hello() -> Vec<u8> {
    let extensions = [
        &[0, 10, 0, 4, 0, 2, 0, 29][..], // supported_groups: x25519
        &[0, 13, 0, 4, 0, 2, 8, 7],      // signature_algorithms: ed25519
    ]
    .concat();
    let mut body = vec![3, 3];
    body.extend([0x5a; 32]);
    body.extend([0, 0, 2, 0xc0, 0x2b, 1, 0, 0]);
    body.push(u8::try_from(extensions.len()).expect("short"));
    body.extend(extensions);
    let length = u8::try_from(body.len()).expect("short");
    [&[0x16, 3, 1, 0, length + 4, 1, 0, 0, length][..], &body].concat()
}

#[test]
fn strangers_of_every_kind_do_not_end_the_wait() {
    let peer = Identity::ephemeral();
    let waiting = Waiting::for_peer(peer.public_key(), QUICK);
    let visit = || TcpStream::connect(waiting.addr).expect("it listens");
    let silent: Vec<_> = (0..40).map(|_| visit()).collect();
    let mut half = visit();
    half.write_all(&tls12_hello()[..20]).expect("open");
    for words in [&b"\0\xff garbage \x80"[..], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", &tls12_hello()]
    {
        let mut caller = visit();
        caller.write_all(words).expect("open");
    }
    drop(visit());
    let unknown = Identity::ephemeral();
    assert!(call(&unknown, &waiting.key, waiting.addr).is_err());

    let limit = Duration::from_secs(5);
    let mut caller = within(limit, || call(&peer, &waiting.key, waiting.addr)).expect("the peer");
    let events = waiting.events.clone();
    let mut listener = within(limit, || waiting.result()).expect("the peer came");
    caller.send(b"still here".to_vec()).expect("open");
    assert_eq!(listener.recv().expect("sent"), b"still here");

    for fits in [
        |why: &Stranger| matches!(why, Stranger::OtherKey(_)),
        |why: &Stranger| matches!(why, Stranger::NotVeilset(_)),
    ] {
        let refused =
            |event: &Event| matches!(event, Event::StrangerRefused { why, .. } if fits(why));
        events.wait_for(refused);
    }
    for mut left in silent {
        left.set_read_timeout(Some(limit)).expect("a time");
        // An end or a reset: the listener holds nobody else's connection.
        assert!(matches!(left.read(&mut [0]), Ok(0) | Err(_)));
    }
}

#[test]
fn an_older_tls_is_refused() {
    let waiting = Waiting::for_peer(Identity::ephemeral().public_key(), QUICK);
    let mut caller = TcpStream::connect(waiting.addr).expect("it listens");
    caller.write_all(&tls12_hello()).expect("open");
    caller.shutdown(Shutdown::Write).expect("open");
    let mut answer = Vec::new();
    caller.read_to_end(&mut answer).expect("an alert");
    // A fatal alert, protocol_version.
    assert_eq!(answer, [0x15, 3, 3, 0, 2, 2, 70]);
    waiting.events.wait_for(|event| {
        matches!(event, Event::StrangerRefused { why: Stranger::NotVeilset(_), .. })
    });
}

#[test]
fn a_crowd_does_not_keep_the_peer_out() {
    let peer = Identity::ephemeral();
    let waiting = Waiting::for_peer(peer.public_key(), QUICK);
    let visit = || TcpStream::connect(waiting.addr);
    let silent: Vec<_> = (0..300).map(|_| visit().expect("it listens")).collect();
    let enough = AtomicBool::new(false);
    let events = waiting.events.clone();
    thread::scope(|scope| {
        for words in [&b"\x16\x03\x01\x02\0"[..], b"GET / HTTP/1.1\r\n\r\n"] {
            let (visit, enough) = (&visit, &enough);
            scope.spawn(move || {
                let mut callers = Vec::new();
                while !enough.load(SeqCst) {
                    if let Ok(mut caller) = visit() {
                        let _ = caller.write_all(words);
                        callers.push(caller);
                    }
                    callers.drain(..callers.len().saturating_sub(50));
                    thread::sleep(Duration::from_millis(2));
                }
            });
        }
        thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        let met = call(&peer, &waiting.key, waiting.addr);
        enough.store(true, SeqCst);
        met.expect("the peer is let in");
        assert!(start.elapsed() < Duration::from_secs(2), "took {:?}", start.elapsed());
    });
    waiting.result().expect("the peer came");
    drop(silent);
    // The listener saw through the noise, and said little about it.
    let noise = |event: &Event| {
        matches!(event, Event::StrangerRefused { why: Stranger::NotVeilset(_), .. })
    };
    let told = events.all();
    assert!(told.iter().any(noise) && told.len() <= 20, "{told:?}");
}

/// How long the listener keeps a connection on which it gets `words` and nothing more.
fn kept(waiting: &Waiting, words: &[u8]) -> Duration {
    let start = Instant::now();
    let mut caller = TcpStream::connect(waiting.addr).expect("it listens");
    caller.write_all(words).expect("open");
    caller.set_read_timeout(Some(QUICK.deadline)).expect("a time");
    assert!(matches!(caller.read(&mut [0]), Ok(0)), "it is closed without a word");
    start.elapsed()
}

#[test]
fn who_does_not_begin_goes_soon_and_who_does_not_end_goes_later() {
    let waiting = Waiting::for_peer(Identity::ephemeral().public_key(), QUICK);
    thread::scope(|scope| {
        let silent = scope.spawn(|| kept(&waiting, b""));
        let half = scope.spawn(|| kept(&waiting, &tls12_hello()[..20]));
        let (silent, half) = (silent.join().expect("closed"), half.join().expect("closed"));
        assert!((2..6).contains(&silent.as_secs()), "{silent:?}");
        assert!((9..14).contains(&half.as_secs()), "{half:?}");
    });
    waiting.events.wait_for_all(2, |event| {
        matches!(event, Event::StrangerRefused { why: Stranger::TooSlow, .. })
    });
}

#[test]
fn a_listener_that_met_others_alone_says_so() {
    let brief = Options { deadline: Duration::from_secs(2), ..QUICK };
    let waiting = Waiting::for_peer(Identity::ephemeral().public_key(), brief);
    let strangers = [Identity::ephemeral(), Identity::ephemeral()];
    for stranger in &strangers {
        assert!(call(stranger, &waiting.key, waiting.addr).is_err());
    }
    drop(TcpStream::connect(waiting.addr).expect("it listens"));
    let error = waiting.result().err().expect("nobody came");
    assert_eq!(error.class(), Class::Network);
    let last_key = strangers[1].public_key();
    assert!(
        matches!(&error, NetError::NobodyCame { strangers: 3, last: Some(_), other_key, .. }
            if other_key.as_deref() == Some(&last_key)),
        "{error:?}"
    );
    let text = error.to_string();
    for part in ["callers turned away: 3", &last_key.to_string(), "`veilset id` there"] {
        assert!(text.contains(part), "{text}");
    }
}
