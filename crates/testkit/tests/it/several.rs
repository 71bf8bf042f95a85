//! Every registry entry of several parties: against plain sets, and with every fault at every message of one of them.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use veilset::registry::{MULTIPARTY, MultipartySpec, Operation, Silent};
use veilset::{Connection, Done, Error, Input, Job, Resources};
use veilset_channel::{Fault, Faulty, MemoryTransport, Recording, Transport, memory_pair};
use veilset_party::PublicKey;
use veilset_protocols::{Outcome, Overlaps};
use veilset_testkit::{Meeting, run_all};

use crate::faults::list;

/// Everybody's sizes, and how many elements all have. A frame has 8192 words of a store.
const SIZES: [(&[usize], usize); 9] = [
    (&[0, 0, 0], 0),
    (&[3, 0, 2], 0),
    (&[1, 1, 1], 0),
    (&[1, 1, 1], 1),
    (&[2, 5, 1], 1),
    (&[30, 12, 20, 25], 4),
    (&[7, 7, 7, 7, 7, 7], 7),
    (&[300, 300, 300], 0),
    (&[9000, 3, 4100], 2),
];

fn expected(meeting: &Meeting) -> Vec<Outcome> {
    let sets: Vec<HashSet<_>> =
        meeting.sets.iter().map(|set| set.iter().map(|element| element.0).collect()).collect();
    let common = |sets: &[&HashSet<_>]| {
        sets[0].iter().filter(|element| sets.iter().all(|set| set.contains(*element))).count()
            as u64
    };
    if meeting.protocol.spec().operation == Operation::Overlaps {
        let places = 0..sets.len();
        let pairs = places.flat_map(|low| (low + 1..sets.len()).map(move |high| [low, high]));
        let pairs = pairs.map(|[low, high]| ([low, high], common(&[&sets[low], &sets[high]])));
        let overlaps =
            Overlaps { pairs: pairs.collect(), common: common(&sets.iter().collect::<Vec<_>>()) };
        return vec![Outcome::Overlaps(overlaps); sets.len()];
    }
    let learned = |(set, learns): (&Vec<_>, &bool)| {
        let common =
            |element: &veilset::cluster::Element| sets.iter().all(|set| set.contains(&element.0));
        let places = (0..).zip(set).filter(|(_, element)| common(element)).map(|(place, _)| place);
        let places: Vec<u32> = places.collect();
        match (learns, meeting.protocol.spec().operation) {
            (false, _) => Outcome::Nothing,
            (true, Operation::Count) => Outcome::Count(places.len() as u64),
            (true, _) => Outcome::Matched(places),
        }
    };
    meeting.sets.iter().zip(&meeting.learners).map(learned).collect()
}

#[test]
fn parties_learn_what_plain_sets_tell() {
    for protocol in MULTIPARTY {
        for (number, (sizes, common)) in SIZES.into_iter().enumerate() {
            let mut meeting = Meeting::new(protocol, sizes, common);
            let cost = protocol.cost(&meeting.parties(sizes));
            if cost.parties.iter().map(|party| party.multiplications).sum::<f64>() > 2.3e5 {
                continue;
            }
            let parties = sizes.len();
            meeting.leader = number % parties;
            meeting.pivot = (number + 1 + number / parties) % parties;
            if meeting.pivot == meeting.leader {
                meeting.pivot = (meeting.pivot + 1) % parties;
            }
            if protocol.spec().some_learn {
                let learners = meeting.learners.iter_mut().enumerate();
                learners.for_each(|(place, learns)| *learns = (place + number) % 3 > 0);
                meeting.learners[meeting.leader] = true;
            }
            let ended = run_all(&meeting, number as u8);
            let found: Vec<_> =
                ended.into_iter().map(|(outcome, _)| outcome.expect("honest")).collect();
            assert_eq!(found, expected(&meeting), "{} {sizes:?}", protocol.spec().id);
        }
    }
}

/// Longer than any of these runs takes.
const HANG: Duration = Duration::from_secs(30);

const NAMES: [&str; 3] = ["ann", "bob", "eve"];

fn key(place: usize) -> PublicKey {
    PublicKey::from_bytes([place as u8 + 1; 32])
}

/// The lists have 4 keys in common.
fn inputs() -> [Input; 3] {
    [list(0, 12), list(8, 9), list(5, 7)]
}

/// One party, with a way to each other one.
fn party(
    spec: &MultipartySpec,
    place: usize,
    input: &Input,
    ways: Vec<(usize, Box<dyn Transport>)>,
) -> Result<Done, Error> {
    let peers = ways
        .into_iter()
        .map(|(other, transport)| (NAMES[other].into(), key(other), transport, place < other));
    let connection = Connection::from_transports(key(place), peers);
    let protocol = veilset::registry::find_multiparty(spec.id).map(|known| known.spec().id);
    let job = Job { protocol, ..Job::new(spec.operation, NAMES) };
    job.offer(connection, input)?.run(input, &Resources { threads: 1, observer: &Silent })
}

/// Runs all three; the first one's way to the party `to` is wrapped.
fn run(
    spec: &MultipartySpec,
    inputs: &[Input; 3],
    to: usize,
    wrap: impl FnOnce(MemoryTransport) -> Box<dyn Transport>,
) -> Vec<Result<Done, Error>> {
    let mut ways: [Vec<(usize, Box<dyn Transport>)>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    let mut wrap = Some(wrap);
    for (low, high) in [(0, 1), (0, 2), (1, 2)] {
        let (left, right) = memory_pair();
        let left: Box<dyn Transport> = match wrap.take_if(|_| (low, high) == (0, to)) {
            Some(wrap) => wrap(left),
            None => Box::new(left),
        };
        ways[low].push((high, left));
        ways[high].push((low, Box::new(right)));
    }
    let started = Instant::now();
    let ends = thread::scope(|scope| {
        let parties = ways.into_iter().zip(inputs).enumerate();
        let parties = parties
            .map(|(place, (ways, input))| scope.spawn(move || party(spec, place, input, ways)));
        let parties: Vec<_> = parties.collect();
        parties.into_iter().map(|party| party.join().expect("no panic")).collect()
    });
    assert!(started.elapsed() < HANG, "{}: hangs", spec.id);
    ends
}

/// How many frames the first party sends the party `to` in an honest run.
fn frames(spec: &MultipartySpec, inputs: &[Input; 3], to: usize) -> u64 {
    let mut transcript = None;
    let ends = run(spec, inputs, to, |inner| {
        let (recording, frames) = Recording::new(inner);
        transcript = Some(frames);
        Box::new(recording)
    });
    for end in &ends {
        let done = end.as_ref().unwrap_or_else(|why| panic!("{}: {why}", spec.id));
        assert_eq!(done.report.count(), Some(4), "{}", spec.id);
    }
    transcript.expect("recorded").frames().len() as u64
}

/// `left` is how many frames the first party sends after the one that is struck, on the same way.
fn strike(
    spec: &MultipartySpec,
    inputs: &[Input; 3],
    to: usize,
    (fault, at, left): (Fault, u64, u64),
) {
    let ends = run(spec, inputs, to, |inner| Box::new(Faulty::new(inner, fault, at)));
    let place = format!("{} to {to}, {fault:?} at frame {at}", spec.id);
    let counts = ends.iter().flatten().map(|done| done.report.count());
    assert!(counts.clone().all(|count| count == Some(4)), "{place}: a wrong result");
    match fault {
        Fault::Delay(_) => assert_eq!(counts.count(), 3, "{place}: a slow party is not a fault"),
        // What is said last, and whether it arrived, nobody knows.
        _ if left <= 1 => {}
        _ => assert!(ends[to].is_err(), "{place}: the party that it went to did not notice"),
    }
    for (at, end) in ends.into_iter().enumerate() {
        let Err(error) = end else { continue };
        assert!([3, 4, 5].contains(&error.exit_code()), "{place}: {error}");
        // Whoever is not at either end of the faulty way hears from one of these who it was.
        let text = error.to_string();
        let named = NAMES.iter().any(|name| text.starts_with(&format!("{name}: ")));
        assert!(named, "{place}: {at} names nobody: {text}");
    }
}

#[test]
fn whoever_sends_what_is_wrong_is_noticed_and_named() {
    let inputs = inputs();
    for protocol in MULTIPARTY {
        let spec = protocol.spec();
        for to in [1, 2] {
            let count = frames(spec, &inputs, to);
            for at in 0..count {
                // Each frame by one fault, and each fault at many frames. A frame that waits for the next one can wait for
                // ever here, as no connection lets it.
                let fault = Fault::ALL[(at as usize + to) % Fault::ALL.len()];
                if fault != Fault::Reorder {
                    strike(spec, &inputs, to, (fault, at, count - at - 1));
                }
            }
        }
    }
}

/// The second party hears garbage from the first, and the third gets the first one's name from the second.
#[test]
fn those_who_saw_nothing_hear_who_it_was() {
    let inputs = inputs();
    for protocol in MULTIPARTY {
        let spec = protocol.spec();
        let frames = frames(spec, &inputs, 1);
        let ends = run(spec, &inputs, 1, |inner| {
            Box::new(Faulty::new(inner, Fault::Truncate, frames / 2))
        });
        for (place, end) in ends.iter().enumerate().skip(1) {
            let text = end.as_ref().err().expect("it ends").to_string();
            assert!(text.starts_with("ann: "), "{} {place}: {text}", spec.id);
        }
    }
}
