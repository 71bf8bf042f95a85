//! A peer that asks for what this side did not: the real session against a driver of its own, frame by frame.
//!
//! The driver writes terms and choices as they are on the wire, by an encoder of its own, and says whatever it likes.

use std::thread;

use veilset::data::{KeySpec, Table};
use veilset::registry::{Choices, Operation, Silent, find};
use veilset::{Connection, Done, Error, Input, Job, Resources, exit_code};
use veilset_channel::{
    Abort, Channel, ChannelError, Framed, HEADER, MAX_BODY, MemoryTransport, Tag, memory_pair,
};

/// What the hostile side says: what its terms name, and what it chooses where it connects.
#[derive(Clone, Copy)]
struct Hostile {
    operation: Operation,
    named: [&'static str; 3],
    choice: [&'static str; 3],
    connecting: bool,
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.push(u8::try_from(text.len()).expect("short"));
    out.extend_from_slice(text.as_bytes());
}

fn texts(all: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    all.iter().for_each(|one| text(&mut out, one));
    out
}

impl Hostile {
    /// The terms of a side with ten keys, both learning.
    fn terms(&self, version: [u8; 2]) -> Vec<u8> {
        let [protocol, group, digest] = self.named;
        let mut out = version.to_vec();
        out.extend(texts(&[self.operation.name(), protocol, "semi-honest"]));
        out.push(2);
        text(&mut out, "raw/1");
        // Keys, no tiers, not hashed.
        out.extend([10, 0, 0, u8::from(self.connecting)]);
        out.extend(texts(&[group, digest, "additive"]));
        // No values, of which none are products or by groups; no factor and no groups lent; no rows, no columns, of no key.
        out.extend([0; 8]);
        text(&mut out, "sum-of-ranks");
        // No details, and no receipt.
        out.extend([0, 0]);
        out.extend([0; 32]);
        out.extend([7; 32]);
        out
    }

    /// Agrees, and returns what comes after the agreement: the other side's consent, or the end that it gives.
    fn drive(&self, transport: MemoryTransport) -> Result<(), ChannelError> {
        let mut channel = Framed::new(transport);
        let send = |channel: &mut Framed<MemoryTransport>, tag, body: &[u8]| {
            channel.send(tag, [&[0; HEADER][..], body].concat())
        };
        let theirs = channel.recv(Tag::Terms, MAX_BODY)?;
        let version = [theirs[HEADER], theirs[HEADER + 1]];
        send(&mut channel, Tag::Terms, &self.terms(version))?;
        let chosen = if self.connecting {
            send(&mut channel, Tag::Choice, &texts(&self.choice))?;
            self.choice[0].to_owned()
        } else {
            let frame = channel.recv(Tag::Choice, MAX_BODY)?;
            let length = usize::from(frame[HEADER]);
            String::from_utf8_lossy(&frame[HEADER + 1..][..length]).into_owned()
        };
        if find(&chosen).is_some_and(|protocol| protocol.spec().cut) {
            send(&mut channel, Tag::Parts, &1u32.to_le_bytes())?;
            channel.recv(Tag::Parts, MAX_BODY)?;
        }
        channel.recv(Tag::Consent, MAX_BODY).map(drop)
    }
}

fn list() -> Input {
    let rows: String = (0..300).map(|id| format!("{id}\n")).collect();
    let table = Table::parse("list".into(), format!("id\n{rows}").into(), b',').expect("a table");
    Input::of(table, &"id".parse::<KeySpec>().expect("a key")).expect("a column")
}

/// What a side that names as much as `job` makes of the hostile one, and what that hears.
fn meet(
    hostile: Hostile,
    accepts: bool,
    named: impl FnOnce(Job) -> Job,
) -> (Result<Done, Error>, Result<(), ChannelError>) {
    let (left, right) = memory_pair();
    let input = list();
    let job = named(Job::new(hostile.operation, ["mallory"]));
    thread::scope(|scope| {
        let peer = scope.spawn(move || hostile.drive(right));
        let connection = Connection::from_transport(Box::new(left), !hostile.connecting);
        let ended = job.offer(connection, &input).and_then(|mut ready| {
            if accepts {
                ready.accept();
            }
            ready.run(&input, &Resources { threads: 1, observer: &Silent })
        });
        (ended, peer.join().expect("no panic"))
    })
}

const NOTHING: [&str; 3] = ["", "", ""];

/// What weakens a run and which flags would have to be given for it: chosen without a word before, and named in the terms.
fn imposed() -> Vec<(Hostile, &'static str)> {
    use Operation::{Count, Intersect};
    let cases = [
        (
            Intersect,
            ["mqrpmt-dh-intersect", "curve25519", "sorted"],
            "--protocol mqrpmt-dh-intersect",
        ),
        (
            Intersect,
            ["mqrpmt-dh-intersect", "p256", "bloom"],
            "--protocol mqrpmt-dh-intersect --group p256 --digest bloom",
        ),
        (Intersect, ["fnp-binned", "", ""], "--protocol fnp-binned"),
        (Intersect, ["dh", "ffdhe2048", "shuffled"], "--group ffdhe2048"),
        (Count, ["mqrpmt-dh", "curve25519", "bloom"], "--digest bloom"),
        (Count, ["mqrpmt-star", "ristretto255", "sorted"], "--protocol mqrpmt-star"),
    ];
    let both_ways = |(operation, choice, flags)| {
        let hostile = |named, connecting| Hostile { operation, named, choice, connecting };
        [
            (hostile(NOTHING, true), flags),
            (hostile(choice, true), flags),
            (hostile(choice, false), flags),
        ]
    };
    cases.into_iter().flat_map(both_ways).collect()
}

#[test]
fn what_the_peer_asks_for_is_refused_and_the_flag_is_named() {
    for (hostile, flags) in imposed() {
        let (ended, heard) = meet(hostile, false, |job| job);
        let error = ended.err().expect("nobody said yes");
        assert_eq!(error.exit_code(), exit_code::TERMS, "{error}");
        assert!(error.to_string().contains(&format!("run again with {flags},")), "{error}");
        assert!(
            matches!(heard, Err(ChannelError::Aborted(Abort::Terms))),
            "{flags}: no consent: {heard:?}"
        );
    }
}

#[test]
fn who_said_yes_or_named_it_goes_on() {
    for (hostile, flags) in imposed() {
        let (_, heard) = meet(hostile, true, |job| job);
        assert!(heard.is_ok(), "{flags}: {heard:?}");
        let [protocol, group, digest] = hostile.choice;
        let (_, heard) = meet(hostile, false, |job| Job {
            protocol: find(protocol).map(|protocol| protocol.spec().id),
            choices: Choices {
                group: group.parse().ok(),
                digest: digest.parse().ok(),
                ..Choices::default()
            },
            ..job
        });
        assert!(heard.is_ok(), "{flags}: {heard:?}");
    }
}

#[test]
fn what_the_planner_takes_needs_no_name() {
    for choice in [["dh", "curve25519", "shuffled"], ["rr22", "ristretto255", "sorted"]] {
        let operation = Operation::Intersect;
        for connecting in [true, false] {
            let (_, heard) =
                meet(Hostile { operation, named: choice, choice, connecting }, false, |job| job);
            assert!(heard.is_ok(), "{choice:?}: {heard:?}");
        }
    }
}
