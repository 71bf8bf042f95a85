//! The fault matrix: every fault at every message of every protocol, from the terms to the end, on either side.

use std::thread;
use std::time::{Duration, Instant};

use veilset::data::{KeySpec, Table};
use veilset::registry::{Operation, PROTOCOLS, Reveal, Silent, Spec};
use veilset::{Columns, Connection, Done, Error, Input, Job, Learn, Resources};
use veilset_channel::{Fault, Faulty, MemoryTransport, Recording, Transport, memory_pair};

/// Longer than any of these runs takes.
const HANG: Duration = Duration::from_secs(60);

pub(crate) fn list(first: usize, count: usize) -> Input {
    let rows: String = (first..first + count).map(|id| format!("{id}\n")).collect();
    let table = Table::parse("list".into(), format!("id\n{rows}").into(), b',').expect("a table");
    Input::of(table, &"id".parse::<KeySpec>().expect("a key")).expect("a column")
}

/// How a matrix is run.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// Who learns, as the side whose transport is faulty sees it.
    pub(crate) learn: Learn,
    /// Whether that side has the larger set.
    pub(crate) large: bool,
    /// Whether that side owns the values, where an operation has any.
    pub(crate) owns: bool,
    /// Whether each side sends columns with the matches of the other that learns, where it can.
    pub(crate) sends: bool,
}

/// The faulty side's list and the other's, with 40 keys in common. The two oldest protocols get sets that fill two frames
/// on the one side, all others sets of one frame. Ordered lists, which take a message a round, have 3 in common; so have those of
/// protocols that take a key as long as others take a hundred.
pub(crate) fn lists(spec: &Spec, plan: Plan) -> [Input; 2] {
    let [large, small, common] = match spec.id {
        "dh" | "mqrpmt-dh" => [4100, 60, 40],
        "fnp" | "fnp-binned" => [6, 4, 3],
        _ if spec.operation == Operation::Agree => [6, 4, 3],
        _ => [90, 60, 40],
    };
    let mut lists = [list(0, large), list(large - common, small)];
    if !plan.large {
        lists.reverse();
    }
    let columns = ["id".to_owned()];
    let [faulty, other] = lists;
    let attach = |input: Input, owns: bool, learn: Learn| {
        let values = if owns { &columns[..] } else { &[] };
        let label = (learn != Learn::Me).then_some(columns[0].as_str());
        let send = if plan.sends && learn != Learn::Me { &columns[..] } else { &[] };
        input
            .attach(spec.operation, learn, Columns { values, send, label, ..Columns::default() })
            .expect("numbers")
    };
    [attach(faulty, plan.owns, plan.learn), attach(other, !plan.owns, plan.learn.mirrored())]
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
        ..Job::new(spec.operation, ["peer"])
    };
    let resources = Resources { threads: 1, observer: &Silent };
    job.offer(connection, input)?.run(input, &resources)
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

fn right_or_unknown(done: &Done, input: &Input) -> bool {
    // Key 3, the other list's first, is what both agree on.
    let agreed =
        done.agreed(input).is_none_or(|row| row == Some(if input.rows() == 6 { 3 } else { 0 }));
    let common = if input.rows() <= 6 { 3 } else { 40 };
    agreed && done.report.count().is_none_or(|count| count == common)
}

/// `left` is how many frames the faulty side sends after the one that is struck.
fn strike(spec: &Spec, inputs: &[Input; 2], learn: Learn, fault: Fault, at: u64, left: u64) {
    let ends = run(spec, inputs, learn, |inner| Box::new(Faulty::new(inner, fault, at)));
    let place = format!("{} {learn:?} {fault:?} at frame {at}", spec.id);
    let right = |(end, input): (&Result<Done, Error>, &Input)| {
        end.as_ref().is_err() || end.as_ref().is_ok_and(|done| right_or_unknown(done, input))
    };
    assert!(ends.iter().zip(inputs).all(right), "{place}: a wrong result");
    let survivors: Vec<&Done> = ends.iter().flatten().collect();
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

/// Entries of which a run takes long for its keys: those of a row send the same messages, with other ciphertexts or other transfers
/// before them.
const SLOW: [&[&str]; 4] = [
    &["fnp", "fnp-binned"],
    &["3pr-implicit", "3pr-paillier", "3pr-paillier-uncached"],
    &["rr22-pq"],
    &["rr22-malicious-pq"],
];

/// The faults at a frame: all, but for the slow entries. Each frame of `fnp` is struck by all faults, in either of its entries, and
/// each frame of the others by one fault, in one of them; `rr22` and `rr22-malicious` have all of theirs without ML-KEM.
fn faults(spec: &Spec, at: u64) -> Vec<Fault> {
    let Some(row) = SLOW.iter().find(|row| row.contains(&spec.id)) else {
        return Fault::ALL.to_vec();
    };
    let at = usize::try_from(at).expect("few frames");
    let all = Fault::ALL.iter().enumerate();
    let is_its_turn = |number: usize| row[number % row.len()] == spec.id;
    if row.contains(&"fnp") {
        return all
            .filter(|(number, _)| is_its_turn(number + at))
            .map(|(_, fault)| *fault)
            .collect();
    }
    let one =
        all.filter(|(number, _)| is_its_turn(number + at) && *number == at % Fault::ALL.len());
    one.map(|(_, fault)| *fault).collect()
}

fn matrix(plan: Plan) {
    let reveal = if plan.learn == Learn::Both { Reveal::Both } else { Reveal::Receiver };
    for protocol in PROTOCOLS {
        let spec = protocol.spec();
        let values = spec.operation.spec().has_values();
        let sends = !plan.sends || spec.with_rows.is_some();
        if !spec.reveals.contains(&reveal) || (plan.owns && !values) || !sends {
            continue;
        }
        let inputs = lists(spec, plan);
        let count = frames(spec, &inputs, plan.learn);
        for at in 0..count {
            for fault in faults(spec, at) {
                strike(spec, &inputs, plan.learn, fault, at, count - at - 1);
            }
        }
    }
}

#[test]
fn a_faulty_sender_is_noticed() {
    matrix(Plan { learn: Learn::Peer, large: true, owns: false, sends: false });
}

#[test]
fn a_faulty_receiver_is_noticed() {
    matrix(Plan { learn: Learn::Me, large: false, owns: false, sends: false });
}

#[test]
fn a_faulty_side_is_noticed_when_both_learn() {
    matrix(Plan { learn: Learn::Both, large: false, owns: false, sends: false });
}

#[test]
fn a_faulty_owner_of_values_is_noticed() {
    matrix(Plan { learn: Learn::Both, large: true, owns: true, sends: false });
}

#[test]
fn a_faulty_side_is_noticed_where_rows_go_with_the_matches() {
    matrix(Plan { learn: Learn::Both, large: false, owns: false, sends: true });
    matrix(Plan { learn: Learn::Peer, large: false, owns: false, sends: true });
}
