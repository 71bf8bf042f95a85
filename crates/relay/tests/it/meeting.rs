//! Parties that meet, and go on when the relay goes.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use veilset_channel::{ChannelError, NetworkFault, Transport};
use veilset_net::{Comeback, Endpoint, Event, NetError, Options, TlsTransport, establish};
use veilset_party::Identity;
use veilset_relay::{Limits, Note};

use crate::support::{LIVELY, LONG, Running, pair, pair_at, wait_for};

/// A frame that tells its place.
fn frame(number: usize) -> Vec<u8> {
    let mut frame = vec![(number % 251) as u8; 8 + 97 * (number % 600)];
    frame[..8].copy_from_slice(&(number as u64).to_le_bytes());
    frame
}

/// Sends and receives frames in turns.
fn talk(way: &mut impl Transport, numbers: std::ops::Range<usize>) {
    for number in numbers {
        way.send(frame(number)).expect("it goes on");
        assert!(way.recv().expect("it goes on") == frame(number), "frame {number}");
    }
}

fn talk_both([one, other]: &mut [TlsTransport; 2], numbers: std::ops::Range<usize>) {
    thread::scope(|scope| {
        let range = numbers.clone();
        scope.spawn(move || talk(one, range));
        talk(other, numbers);
    });
}

fn part([mut one, mut other]: [TlsTransport; 2]) {
    let closing = thread::spawn(move || one.close());
    assert_eq!(other.recv(), Err(ChannelError::Network(NetworkFault::Closed)));
    other.close();
    closing.join().expect("no panic");
}

#[test]
fn two_meet_and_all_that_they_send_arrives() {
    let relay = Running::with(Limits::default());
    let mut ends = pair(&relay.url(), &LIVELY);
    assert_ne!(ends[0].connects(), ends[1].connects());
    assert_eq!(ends[0].binding(), ends[1].binding());
    assert_eq!(relay.notes.recv_timeout(LONG), Ok(Note::Met));
    talk_both(&mut ends, 0..3000);
    let sent = ends[0].wire_bytes().expect("counted");
    part(ends);
    let Ok(Note::Parted { bytes, .. }) = relay.notes.recv_timeout(LONG) else { panic!("no end") };
    assert!(bytes >= sent.sent + sent.received, "{bytes} of {sent:?}");
}

#[test]
fn many_pairs_meet_at_once() {
    const PAIRS: usize = 40;
    let relay = Running::with(Limits::default());
    let url = relay.url();
    thread::scope(|scope| {
        for _ in 0..PAIRS {
            scope.spawn(|| {
                let mut ends = pair(&url, &LIVELY);
                talk_both(&mut ends, 0..20);
                part(ends);
            });
        }
    });
    let met = relay.notes.try_iter().filter(|note| *note == Note::Met).count();
    assert_eq!(met, PAIRS);
}

#[test]
fn runs_of_two_parties_at_once_are_kept_apart_by_a_name() {
    let relay = Running::with(Limits::default());
    let (ann, ben) = (Identity::ephemeral(), Identity::ephemeral());
    let (keys, url) = ([ann.public_key(), ben.public_key()], relay.url());
    let meet = |identity, peer, name: &str| {
        let endpoint = Endpoint::Via(format!("{url}#{name}"));
        establish(identity, peer, &endpoint, &LIVELY, &|_| ()).expect("the other comes")
    };
    thread::scope(|scope| {
        for (name, byte) in [("daily", 1), ("weekly", 2), ("", 3)] {
            let (ann, ben, meet) = (&ann, &ben, &meet);
            scope.spawn(move || {
                let mut way = meet(ann, keys[1], name);
                way.send(vec![byte; 9]).expect("open");
                way.close();
            });
            scope.spawn(move || {
                let mut way = meet(ben, keys[0], name);
                assert_eq!(way.recv(), Ok(vec![byte; 9]), "{name}");
                way.close();
            });
        }
    });
}

#[test]
fn who_is_not_the_peer_is_in_another_room() {
    let relay = Running::with(Limits::default());
    let options = Options { deadline: Duration::from_secs(2), ..LIVELY };
    let (ann, ben, eve) = (Identity::ephemeral(), Identity::ephemeral(), Identity::ephemeral());
    let endpoint = Endpoint::Via(relay.url());
    let meet = |identity: &Identity, peer| establish(identity, peer, &endpoint, &options, &|_| ());
    thread::scope(|scope| {
        // Ben takes Eve for Ann.
        let ann = scope.spawn(|| meet(&ann, ben.public_key()));
        let ben = scope.spawn(|| meet(&ben, eve.public_key()));
        for met in [ann, ben] {
            match met.join().expect("no panic") {
                Err(error @ NetError::NobodyMet { .. }) => {
                    assert!(error.to_string().contains("both sides pinned"), "{error}");
                }
                other => panic!("{:?}", other.err()),
            }
        }
    });
}

/// Parties that come back, and what they tell.
fn lasting_pair(url: &str, options: &Options) -> ([TlsTransport; 2], [Receiver<Event>; 2]) {
    let (ann, ben) = (Identity::ephemeral(), Identity::ephemeral());
    let keys = [ann.public_key(), ben.public_key()];
    let meet = |identity: Identity, peer| {
        let (sender, told) = channel();
        let comeback = Comeback::told(move |event| drop(sender.send(event)));
        let options = Options { comeback, ..options.clone() };
        let endpoint = Endpoint::Via(url.to_owned());
        let way = thread::spawn(move || establish(&identity, peer, &endpoint, &options, &|_| ()));
        (way, told)
    };
    let ((one, told_one), (other, told_other)) = (meet(ann, keys[1]), meet(ben, keys[0]));
    let ends = [one, other].map(|end| end.join().expect("no panic").expect("the other comes"));
    (ends, [told_one, told_other])
}

#[test]
fn a_run_goes_on_when_the_relay_was_started_again() {
    let mut relay = Running::with(Limits::default());
    let (mut ends, told) = lasting_pair(&relay.url(), &LIVELY);
    talk_both(&mut ends, 0..100);
    relay.end();
    for told in &told {
        wait_for(told, |event| matches!(event, Event::Lost { .. }));
    }
    let _again = Running::at(&relay.addr.to_string(), |_| ());
    talk_both(&mut ends, 100..200);
    for told in &told {
        wait_for(told, |event| matches!(event, Event::Returned { .. }));
    }
    part(ends);
}

#[test]
fn a_relay_that_stays_away_ends_the_run_at_the_deadline() {
    let mut relay = Running::with(Limits::default());
    let options = Options { deadline: Duration::from_secs(3), ..LIVELY };
    let (mut ends, told) = lasting_pair(&relay.url(), &options);
    relay.end();
    for (end, told) in ends.iter_mut().zip(&told) {
        wait_for(told, |event| matches!(event, Event::Lost { .. }));
        match end.recv() {
            Err(ChannelError::Network(NetworkFault::Lost { waited, .. })) => {
                assert_eq!(waited, options.deadline);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_relay_that_stops_lets_those_end_who_are_together() {
    let relay = Running::with(Limits::default());
    let mut ends = pair(&relay.url(), &LIVELY);
    relay.stop();
    talk_both(&mut ends, 0..100);
    let options = Options { deadline: Duration::from_secs(2), ..LIVELY };
    for met in pair_at([&relay.url(), &relay.url()], &options) {
        assert!(matches!(met, Err(NetError::NobodyMet { .. })), "nobody comes in any more");
    }
    part(ends);
}
