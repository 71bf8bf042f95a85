//! Nobody but the peer ends the wait for the peer.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use veilset_channel::Transport;
use veilset_net::{Class, Event, NetError, Options, Stranger, connect};
use veilset_party::Identity;

use crate::support::{LIVELY, LONG, Waiting, call};

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
    let waiting = Waiting::for_peer(peer.public_key(), LIVELY);
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

    let mut caller = call(&peer, &waiting.key, waiting.addr).expect("the peer");
    let events = waiting.events.clone();
    let mut listener = waiting.result().expect("the peer came");
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
        left.set_read_timeout(Some(LONG)).expect("a time");
        // An end or a reset: the listener holds nobody else's connection.
        assert!(matches!(left.read(&mut [0]), Ok(0) | Err(_)));
    }
}

#[test]
fn an_older_tls_is_refused() {
    let waiting = Waiting::for_peer(Identity::ephemeral().public_key(), LIVELY);
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
    let waiting = Waiting::for_peer(peer.public_key(), LIVELY);
    let visit = || TcpStream::connect(waiting.addr);
    let silent: Vec<_> = (0..300).map(|_| visit().expect("it listens")).collect();
    let (visits, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    let events = waiting.events.clone();
    thread::scope(|scope| {
        for words in [&b"\x16\x03\x01\x02\0"[..], b"GET / HTTP/1.1\r\n\r\n"] {
            let (visit, visits, enough) = (&visit, &visits, &enough);
            scope.spawn(move || {
                let mut callers = Vec::new();
                while !enough.load(SeqCst) {
                    if let Ok(mut caller) = visit() {
                        let _ = caller.write_all(words);
                        callers.push(caller);
                        visits.fetch_add(1, SeqCst);
                    }
                    callers.drain(..callers.len().saturating_sub(50));
                    thread::sleep(Duration::from_millis(2));
                }
            });
        }
        // More than there are places.
        while visits.load(SeqCst) < 200 {
            thread::sleep(Duration::from_millis(2));
        }
        let met = call(&peer, &waiting.key, waiting.addr);
        enough.store(true, SeqCst);
        met.expect("the peer is let in");
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

/// How a wait of so many seconds ends to which these come, and one who shows no key.
fn lonely(strangers: &[Identity], seconds: u64) -> NetError {
    let brief = Options { deadline: Duration::from_secs(seconds), ..LIVELY };
    let waiting = Waiting::for_peer(Identity::ephemeral().public_key(), brief.clone());
    let addr = waiting.addr.to_string();
    for stranger in strangers {
        assert!(connect(stranger, waiting.key, &addr, &brief, &|_| ()).is_err());
    }
    // Where the wait is over, nobody listens.
    drop(TcpStream::connect(waiting.addr));
    waiting.result().err().expect("nobody came")
}

#[test]
fn a_listener_that_met_others_alone_says_so() {
    let strangers = [Identity::ephemeral(), Identity::ephemeral()];
    // A busy machine gets more time.
    let mut errors = [2, 8, 32].into_iter().map(|seconds| lonely(&strangers, seconds));
    let met_all = |error: &NetError| matches!(error, NetError::NobodyCame { strangers: 3, .. });
    let error = errors.find(met_all).expect("three come before the wait is over");
    assert_eq!(error.class(), Class::Network);
    let last_key = strangers[1].public_key();
    assert!(
        matches!(&error, NetError::NobodyCame { last: Some(_), other_key, .. }
            if other_key.as_deref() == Some(&last_key)),
        "{error:?}"
    );
    let text = error.to_string();
    for part in ["callers turned away: 3", &last_key.to_string(), "`veilset id` there"] {
        assert!(text.contains(part), "{text}");
    }
}
