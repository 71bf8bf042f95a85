//! The connection is cut at every message of every protocol, and of runs in parts, and nothing else changes: both sides have the
//! exact result, and as many messages of as many bytes crossed as without a cut.

use std::mem::discriminant;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use veilset::registry::{Outcome, PROTOCOLS, Reveal, Silent};
use veilset::{Connection, Done, Error, Input, Job, Learn, Resources};
use veilset_channel::{ChannelError, Transport};
use veilset_net::{Comeback, Endpoint, Event, Options, TlsTransport, establish};
use veilset_party::Identity;
use veilset_stage::Relay;

use crate::faults::{Plan, list, lists};

/// An end whose connection is cut at each message that is of another type than the one before, and at some of the others.
struct Cut {
    way: TlsTransport,
    relay: Arc<Relay>,
    /// Hears when the peer is back.
    back: Receiver<()>,
    last: u8,
    /// Messages of the last type.
    alike: u32,
    /// How often it was cut.
    cuts: Arc<AtomicU32>,
}

impl Cut {
    /// Whether it is cut at this message.
    fn strikes(&mut self, frame: &[u8]) -> bool {
        let tag = frame.first().copied().unwrap_or_default();
        self.alike = if tag == self.last { self.alike + 1 } else { 0 };
        self.last = tag;
        self.alike.is_power_of_two() || self.alike == 0
    }
}

impl Transport for Cut {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        let strikes = self.strikes(&frame);
        self.way.send(frame)?;
        if strikes {
            self.relay.cut();
            // It may be over when the last message was cut.
            if self.back.recv().is_ok() {
                self.cuts.fetch_add(1, SeqCst);
            }
        }
        Ok(())
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.way.try_send(frame)
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.way.recv()
    }

    fn close(&mut self) {
        self.way.close();
    }
}

/// Both ends of a connection through `relay`, the one that is cut first, and what hears of its comebacks.
fn pair(relay: &Relay) -> ([TlsTransport; 2], Receiver<()>) {
    let (listening, calling) = (Identity::ephemeral(), Identity::ephemeral());
    let keys = (listening.public_key(), calling.public_key());
    let (told, back) = channel();
    let comeback = Comeback::told(move |event| {
        if matches!(event, Event::Returned { .. }) {
            let _ = told.send(());
        }
    });
    thread::scope(|scope| {
        let here = scope.spawn(|| {
            let endpoint = Endpoint::Listen("127.0.0.1:0".to_owned());
            let name = |event| {
                if let Event::Listening(address) = event {
                    relay.to(&address.to_string());
                }
            };
            let options = Options { comeback, ..Options::default() };
            establish(&listening, keys.1, &endpoint, &options, &name)
        });
        let endpoint = Endpoint::Connect(relay.address.clone());
        let there = establish(&calling, keys.0, &endpoint, &Options::default(), &|_| ());
        let here = here.join().expect("no panic");
        ([here.expect("the peer came"), there.expect("it listens")], back)
    })
}

/// A run between these lists.
struct Case<'a> {
    inputs: [&'a Input; 2],
    job: &'a Job,
}

impl Case<'_> {
    fn side(&self, place: usize, way: Connection) -> Result<Done, Error> {
        let learn = if place == 0 { self.job.learn } else { self.job.learn.mirrored() };
        let job = Job { learn, ..self.job.clone() };
        let resources = Resources { threads: 1, observer: &Silent };
        job.offer(way, self.inputs[place])?.run(self.inputs[place], &resources)
    }

    /// Over these ways, of which the first waited for the second.
    fn run(&self, ways: [Connection; 2]) -> [Done; 2] {
        let [here, there] = ways;
        thread::scope(|scope| {
            let other = scope.spawn(|| self.side(0, here));
            let ends = [self.side(1, there), other.join().expect("no panic")];
            let [second, first] = ends.map(|end| end.unwrap_or_else(|why| panic!("{why}")));
            [first, second]
        })
    }

    /// The run with cuts, whose messages are as many and as long as without; how many cuts there were.
    fn cut(&self) -> ([Done; 2], u32) {
        let (left, right) = veilset_channel::memory_pair();
        let whole = self.run([
            Connection::from_transport(Box::new(left), false),
            Connection::from_transport(Box::new(right), true),
        ]);
        let (relay, cuts) = (Arc::new(Relay::start()), Arc::new(AtomicU32::new(0)));
        let ([way, other], back) = pair(&relay);
        let cut = Cut { way, relay, back, last: 0, alike: 0, cuts: Arc::clone(&cuts) };
        let ends = self.run([
            Connection::from_transport(Box::new(cut), false),
            Connection::from_transport(Box::new(other), true),
        ]);
        for (end, whole) in ends.iter().zip(&whole) {
            assert_eq!(traffic(end), traffic(whole), "{}", end.report.protocol);
            let (got, wanted) = (&end.report.outcome, &whole.report.outcome);
            assert!(same(got, wanted), "{}", end.report.protocol);
        }
        (ends, cuts.load(SeqCst))
    }
}

/// Messages sent and received.
fn traffic(done: &Done) -> [u64; 2] {
    let phases = &done.report.phases;
    [
        phases.iter().map(|phase| phase.frames_sent).sum(),
        phases.iter().map(|phase| phase.frames_received).sum(),
    ]
}

/// Whether outcomes are the same, as far as they are the same in every run.
fn same(one: &Outcome, other: &Outcome) -> bool {
    match one {
        Outcome::Shares(_) | Outcome::Identifiers { .. } | Outcome::Lacking { .. } => {
            discriminant(one) == discriminant(other)
        }
        _ => one == other,
    }
}

#[test]
fn a_cut_at_every_message_of_every_protocol_changes_nothing() {
    for protocol in PROTOCOLS {
        let spec = protocol.spec();
        let learn = if spec.reveals.contains(&Reveal::Both) { Learn::Both } else { Learn::Me };
        let [first, second] = lists(spec, Plan { learn, large: true, owns: false, sends: false });
        let job = Job { learn, protocol: Some(spec.id), ..Job::new(spec.operation, ["peer"]) };
        let (_, cuts) = Case { inputs: [&first, &second], job: &job }.cut();
        assert!(cuts >= 3, "{}: {cuts} cuts", spec.id);
    }
}

/// Bytes that a party may take, too few for all at once.
const MEMORY: u64 = 20_500_000;

#[test]
fn a_run_in_parts_is_exact_however_often_it_is_cut() {
    let (first, second) = (list(0, 40_000), list(10_000, 40_000));
    for id in ["rr22", "dh"] {
        let job = Job { protocol: Some(id), max_memory: Some(MEMORY), ..Job::intersect(["peer"]) };
        let ([one, other], cuts) = Case { inputs: [&first, &second], job: &job }.cut();
        let phases = || one.report.phases.iter().map(|phase| phase.name);
        // Each part has each phase of a run.
        let times = |name| phases().filter(|other| *other == name).count();
        let parts = phases().map(times).max().unwrap_or_default();
        assert!(parts > 1 && cuts as usize > 2 * parts, "{id}: {cuts} cuts, {parts} parts");
        let wanted = |rows| Outcome::Matched(Vec::from_iter(rows));
        assert_eq!(one.report.outcome, wanted(10_000..40_000), "{id}");
        assert_eq!(other.report.outcome, wanted(0..30_000), "{id}");
    }
}
