//! Those who have the code, those who guess it, and those who stand in between.

use std::thread;

use tokio::io::duplex;

use super::*;
use crate::{Class, Comeback, Stop, Traffic};

const QUICK: Options = Options {
    deadline: Duration::from_secs(60),
    heartbeat: Duration::from_secs(5),
    silence: Duration::from_secs(20),
    stop: Stop::NEVER,
    comeback: Comeback::NEVER,
    traffic: Traffic::UNSEEN,
};

fn desk<'a>(role: Role, identity: &'a Identity, code: &'a Code, say: &'a [u8]) -> Introduction<'a> {
    Introduction { role, identity, code, say, approve: &|_| true, events: &|_| () }
}

type Talked = Result<Introduced, Failed>;

/// A host and a guest with these codes over a pipe.
async fn meet(host: (&Identity, &Code), guest: (&Identity, &Code)) -> (Talked, Talked) {
    let (one, other) = duplex(64);
    let host = desk(Role::Host, host.0, host.1, b"from the host");
    let guest = desk(Role::Guest, guest.0, guest.1, b"from the guest");
    tokio::join!(host.talk(one), guest.talk(other))
}

fn is_used_up(talked: &Talked) -> bool {
    matches!(talked, Err(Failed::ForGood(NetError::CodeUsedUp)))
}

fn is_wrong(talked: &Talked) -> bool {
    matches!(talked, Err(Failed::ForGood(NetError::WrongCode)))
}

#[tokio::test]
async fn who_has_the_code_learns_who_the_other_is() {
    let (ann, ben, code) = (Identity::ephemeral(), Identity::ephemeral(), Code::fresh());
    let (host, guest) = meet((&ann, &code), (&ben, &code)).await;
    let said = |talked: Talked| talked.map_err(|_| "it failed").expect("introduced");
    let want =
        |peer: &Identity, said: &[u8]| Introduced { peer: peer.public_key(), said: said.to_vec() };
    assert_eq!(said(host), want(&ben, b"from the guest"));
    assert_eq!(said(guest), want(&ann, b"from the host"));
}

#[tokio::test]
async fn a_wrong_guess_uses_the_code_up_and_tells_nothing() {
    let (ann, eve) = (Identity::ephemeral(), Identity::ephemeral());
    let code: Code = "7KQ2-9FM4-TX3H".parse().expect("a code");
    let guess: Code = "7KQ2-9FM4-TX3J".parse().expect("a code");
    let (host, guest) = meet((&ann, &code), (&eve, &guess)).await;
    assert!(is_used_up(&host) && is_wrong(&guest));
    // Nobody is introduced whom one side does not want.
    for side in [Role::Host, Role::Guest] {
        let (one, other) = duplex(64);
        let no = |_: &Introduced| false;
        let mut desks = [Role::Host, Role::Guest].map(|role| desk(role, &ann, &code, b""));
        desks[side as usize].approve = &no;
        let [host, guest] = &desks;
        let (host, guest) = tokio::join!(host.talk(one), guest.talk(other));
        assert!(host.is_err() && is_wrong(&guest), "{side:?}");
    }
}

#[tokio::test]
async fn who_says_nothing_of_use_is_no_guess() {
    let (ann, code) = (Identity::ephemeral(), Code::fresh());
    let element = [&HELLO[..], &[0xff; 33]].concat();
    for said in
        [&b"GET / HTTP/1.1\r\n\r\nwhatever it says, all of it"[..], &element, b"veilset1", b""]
    {
        let (one, mut other) = duplex(256);
        let saying = async {
            let _ = other.write_all(said).await;
            drop(other);
        };
        let host = desk(Role::Host, &ann, &code, b"");
        let (talked, ()) = tokio::join!(host.talk(one), saying);
        assert!(matches!(talked, Err(Failed::ForNow(_))), "{}", said.escape_ascii());
    }
}

/// What a host and a guest come to where somebody in between changes the guest's byte at this place.
async fn meet_altered(code: &Code, place: usize) -> (Talked, Talked) {
    let (ann, ben) = (Identity::ephemeral(), Identity::ephemeral());
    let ((one, mut near), (mut far, other)) = (duplex(4096), duplex(4096));
    let host = desk(Role::Host, &ann, code, b"x");
    let guest = desk(Role::Guest, &ben, code, b"y");
    let between = async move {
        let (mut from_guest, mut to_guest) = tokio::io::split(&mut far);
        let (mut from_host, mut to_host) = tokio::io::split(&mut near);
        let there = async {
            let mut byte = [0];
            for at in 0.. {
                if from_guest.read_exact(&mut byte).await.is_err() {
                    return;
                }
                byte[0] ^= u8::from(at == place);
                if to_host.write_all(&byte).await.is_err() {
                    return;
                }
            }
        };
        let back = async { drop(tokio::io::copy(&mut from_host, &mut to_guest).await) };
        tokio::select! { () = there => {}, () = back => {} }
    };
    let patient = async {
        let talked = timeout(PATIENCE, host.talk(one)).await;
        talked.unwrap_or_else(|_| Err(Failed::ForNow("it is too slow".to_owned())))
    };
    let both = async { tokio::join!(patient, guest.talk(other)) };
    let (talked, ()) = tokio::join!(both, between);
    talked
}

#[tokio::test(start_paused = true)]
async fn whatever_is_changed_on_the_way_introduces_nobody() {
    let code = Code::fresh();
    // The guest sends 41 bytes, the length of its card, the card with its tag, and then that it has heard.
    for place in [0, 7, 8, 20, 40, 41, 42, 43, 80, 150] {
        let (host, guest) = meet_altered(&code, place).await;
        assert!(host.is_err() && guest.is_err(), "byte {place}");
    }
    // A guest whose last word is lost knows its host, which goes on waiting.
    let (host, guest) = meet_altered(&code, 170).await;
    assert!(matches!(host, Err(Failed::ForNow(_))) && guest.is_ok());
}

#[test]
fn a_host_waits_for_its_guest_whoever_calls_before() {
    use std::io::Write;
    use std::sync::mpsc::channel;

    let (ann, ben, code) = (Identity::ephemeral(), Identity::ephemeral(), Code::fresh());
    let (ann_key, ben_key) = (ann.public_key(), ben.public_key());
    let (sender, events) = channel();
    let hosting = {
        let (code, endpoint) = (code.clone(), Endpoint::Listen("127.0.0.1:0".to_owned()));
        thread::spawn(move || {
            let tell = |event| drop(sender.send(event));
            Introduction { events: &tell, ..desk(Role::Host, &ann, &code, b"") }
                .run(&endpoint, &QUICK)
        })
    };
    let Ok(Event::Listening(addr)) = events.recv() else { panic!("it listens first") };
    let mut stranger = std::net::TcpStream::connect(addr).expect("it listens");
    stranger.write_all(&[0; 100]).expect("open");
    let endpoint = Endpoint::Connect(addr.to_string());
    let met = desk(Role::Guest, &ben, &code, b"").run(&endpoint, &QUICK);
    assert_eq!(met.expect("it is there").peer, ann_key);
    assert_eq!(hosting.join().expect("no panic").expect("it came").peer, ben_key);
}

#[test]
fn an_invitation_expires() {
    let (ann, code) = (Identity::ephemeral(), Code::fresh());
    let options = Options { deadline: Duration::from_millis(200), ..QUICK };
    let endpoint = Endpoint::Listen("127.0.0.1:0".to_owned());
    let why = desk(Role::Host, &ann, &code, b"").run(&endpoint, &options);
    let why = why.expect_err("nobody came");
    assert!(
        matches!(why, NetError::NotIntroduced { .. }) && why.class() == Class::Network,
        "{why}"
    );
}

#[test]
fn a_code_is_read_as_people_write_it() {
    let code: Code = "7KQ2-9FM4-TX01".parse().expect("a code");
    assert_eq!(code.to_string(), "7KQ2-9FM4-TX01");
    for text in ["7kq29fm4txol", " 7KQ2 9FM4 TX0I ", "7kq2-9fm4-txOl"] {
        assert_eq!(text.parse::<Code>().expect(text).to_string(), code.to_string());
    }
    for text in ["", "7KQ2-9FM4-TX0", "7KQ2-9FM4-TX011", "7KQ2-9FM4-TX0U", "7KQ2-9FM4-TX0!"] {
        assert!(text.parse::<Code>().is_err(), "{text}");
    }
    let codes: std::collections::BTreeSet<String> =
        (0..100).map(|_| Code::fresh().to_string()).collect();
    assert_eq!(codes.len(), 100);
    assert!(codes.iter().all(|text| text.parse::<Code>().is_ok()));
}
