//! The fault matrix: every fault at every message of every protocol, from the terms to the end, on either side.

use std::thread;
use std::time::{Duration, Instant};

use veilset::data::{KeySpec, Table};
use veilset::registry::{PROTOCOLS, Silent, Spec};
use veilset::{Connection, Done, Error, Input, Job, Learn, Means};
use veilset_channel::{Fault, Faulty, MemoryTransport, Recording, Transport, memory_pair};

/// Longer than any of these runs takes.
const HANG: Duration = Duration::from_secs(60);

fn list(first: usize, count: usize) -> Input {
    let rows: String = (first..first + count).map(|id| format!("{id}\n")).collect();
    let table = Table::parse("list".into(), format!("id\n{rows}").into(), b',').expect("a table");
    Input::of(table, &"id".parse::<KeySpec>().expect("a key")).expect("a column")
}

/// Two frames of blinded elements on the one side, one on the other; 40 keys in common.
fn lists() -> [Input; 2] {
    [list(0, 4100), list(4060, 60)]
}

fn side(
    spec: &Spec,
    input: &Input,
    transport: Box<dyn Transport>,
    connecting: bool,
    learn: Learn,
) -> Result<Done, Error> {
    let connection = Connection::from_transport(transport, connecting);
    let job = Job {
        learn,
        protocol: veilset::registry::find(spec.id).map(|p| p.spec().id),
        ..Job::new(spec.operation, "peer".into())
    };
    let means = Means { threads: 1, observer: &Silent };
    job.offer(connection, input)?.run(input, &means)
}

/// Runs both sides, the listening one's transport wrapped; returns its end first.
fn run(
    spec: &Spec,
    inputs: &[Input; 2],
    learn: Learn,
    wrap: impl FnOnce(MemoryTransport) -> Box<dyn Transport>,
) -> [Result<Done, Error>; 2] {
    let (left, right) = memory_pair();
    let left = wrap(left);
    let started = Instant::now();
    let ends = thread::scope(|scope| {
        let other = scope.spawn(|| side(spec, &inputs[0], left, false, learn));
        let here = side(spec, &inputs[1], Box::new(right), true, learn.mirrored());
        [other.join().expect("no panic"), here]
    });
    assert!(started.elapsed() < HANG, "{}: hangs", spec.id);
    ends
}

/// How many frames the wrapped side sends in an honest run.
fn frames(spec: &Spec, inputs: &[Input; 2], learn: Learn) -> u64 {
    let mut transcript = None;
    let ends = run(spec, inputs, learn, |inner| {
        let (recording, frames) = Recording::new(inner);
        transcript = Some(frames);
        Box::new(recording)
    });
    assert!(ends.iter().all(Result::is_ok), "{}: an honest run ends well", spec.id);
    transcript.expect("recorded").frames().len() as u64
}

fn right_or_unknown(done: &Done) -> bool {
    done.report.count().is_none_or(|count| count == 40)
}

/// `left` is how many frames the faulty side sends after the one that is struck.
fn strike(spec: &Spec, inputs: &[Input; 2], learn: Learn, fault: Fault, at: u64, left: u64) {
    let ends = run(spec, inputs, learn, |inner| Box::new(Faulty::new(inner, fault, at)));
    let place = format!("{} {learn:?} {fault:?} at frame {at}", spec.id);
    let survivors: Vec<&Done> = ends.iter().flatten().collect();
    assert!(survivors.iter().all(|done| right_or_unknown(done)), "{place}: a wrong result");
    match fault {
        Fault::Delay(_) => assert_eq!(survivors.len(), 2, "{place}: a slow peer is not a fault"),
        Fault::Reorder => assert_ne!(survivors.len(), 1, "{place}: one side did not notice"),
        // No protocol can know that its last word arrived, which is the end of the run here; what is sent twice
        // just before is noticed in its place.
        _ if left == 0 => {}
        _ if left == 1 => assert!(ends[1].is_err(), "{place}: the other side did not notice"),
        _ => assert!(survivors.is_empty(), "{place}: a side did not notice"),
    }
    for error in ends.into_iter().filter_map(Result::err) {
        assert!([3, 4, 5].contains(&error.exit_code()), "{place}: {error}");
    }
}

fn matrix(learn: Learn, swap: bool) {
    let mut inputs = lists();
    if swap {
        inputs.reverse();
    }
    for protocol in PROTOCOLS {
        let spec = protocol.spec();
        let count = frames(spec, &inputs, learn);
        for at in 0..count {
            for fault in Fault::ALL {
                strike(spec, &inputs, learn, fault, at, count - at - 1);
            }
        }
    }
}

#[test]
fn a_faulty_sender_is_noticed() {
    matrix(Learn::Peer, false);
}

#[test]
fn a_faulty_receiver_is_noticed() {
    matrix(Learn::Me, true);
}

#[test]
fn a_faulty_side_is_noticed_when_both_learn() {
    matrix(Learn::Both, true);
}
