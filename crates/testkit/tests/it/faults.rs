//! The fault matrix: every fault at every message of every protocol, from the terms to the end, on either side.

use std::thread;
use std::time::{Duration, Instant};

use veilset::data::{KeySpec, Table};
use veilset::registry::{Operation, Outcome, PROTOCOLS, Reveal, Silent, Spec, find};
use veilset::{
    Columns, Connection, Done, Error, Input, Job, Learn, Matching, Noise, Release, Resources,
};
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

/// A run that is struck: the faulty side's job and the other's, and their lists.
struct Struck {
    jobs: [Job; 2],
    inputs: [Input; 2],
    /// Whether a result of either side is a wrong one.
    is_wrong: fn(&Done, &Input) -> bool,
}

fn side(
    job: Job,
    input: &Input,
    transport: Box<dyn Transport>,
    connecting: bool,
) -> Result<Done, Error> {
    let connection = Connection::from_transport(transport, connecting);
    let resources = Resources { threads: 1, observer: &Silent };
    job.offer(connection, input)?.run(input, &resources)
}

impl Struck {
    /// Runs both sides, the listening one's transport wrapped; returns its end first.
    fn run(
        &self,
        wrap: impl FnOnce(MemoryTransport) -> Box<dyn Transport>,
    ) -> [Result<Done, Error>; 2] {
        let (left, right) = memory_pair();
        let left = wrap(left);
        let [faulty, other] = self.jobs.clone();
        let started = Instant::now();
        let ends = thread::scope(|scope| {
            let faulty = scope.spawn(|| side(faulty, &self.inputs[0], left, false));
            let here = side(other, &self.inputs[1], Box::new(right), true);
            [faulty.join().expect("no panic"), here]
        });
        assert!(started.elapsed() < HANG, "{}: hangs", self.name());
        ends
    }

    fn name(&self) -> &'static str {
        self.jobs[0].protocol.unwrap_or_default()
    }

    /// How many frames the wrapped side sends in an honest run.
    fn frames(&self) -> u64 {
        let mut transcript = None;
        let ends = self.run(|inner| {
            let (recording, frames) = Recording::new(inner);
            transcript = Some(frames);
            Box::new(recording)
        });
        let are_right = ends
            .iter()
            .zip(&self.inputs)
            .all(|(end, input)| end.as_ref().is_ok_and(|done| !(self.is_wrong)(done, input)));
        assert!(are_right, "{}: an honest run ends well", self.name());
        transcript.expect("recorded").frames().len() as u64
    }
}

fn is_wrong(done: &Done, input: &Input) -> bool {
    !right_or_unknown(done, input)
}

fn right_or_unknown(done: &Done, input: &Input) -> bool {
    // Key 3, the other list's first, is what both agree on.
    let agreed =
        done.agreed(input).is_none_or(|row| row == Some(if input.rows() == 6 { 3 } else { 0 }));
    let common = if input.rows() <= 6 { 3 } else { 40 };
    agreed && done.report.count().is_none_or(|count| count == common)
}

/// `left` is how many frames the faulty side sends after the one that is struck.
fn strike(struck: &Struck, fault: Fault, at: u64, left: u64) {
    let ends = struck.run(|inner| Box::new(Faulty::new(inner, fault, at)));
    let place = format!("{} {:?} {fault:?} at frame {at}", struck.name(), struck.jobs[0].learn);
    let is_wrong = |(end, input): (&Result<Done, Error>, &Input)| {
        end.as_ref().is_ok_and(|done| (struck.is_wrong)(done, input))
    };
    assert!(!ends.iter().zip(&struck.inputs).any(is_wrong), "{place}: a wrong result");
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

/// Entries that send the same messages with other ciphertexts or in other shapes, and of which a run takes long: each frame is struck
/// by all faults, in one of a row's entries each.
const IN_TURN: [&[&str]; 2] = [&["fnp", "fnp-binned"], &["ks", "ks-binned"]];

/// Such entries whose keys take so long that each frame is struck by one fault; `rr22` and `rr22-malicious` have all of theirs
/// without ML-KEM.
const SLOW: [&[&str]; 3] = [
    &["3pr-implicit", "3pr-paillier", "3pr-paillier-uncached", "3pr-paillier-pairwise"],
    &["rr22-pq"],
    &["rr22-malicious-pq"],
];

/// The faults at a frame.
fn faults(spec: &Spec, at: u64) -> Vec<Fault> {
    let at = usize::try_from(at).expect("few frames");
    let row_among =
        |rows: &[&'static [&'static str]]| rows.iter().copied().find(|row| row.contains(&spec.id));
    let slow = row_among(&SLOW);
    let row = slow.or_else(|| row_among(&IN_TURN));
    let mut all = Vec::new();
    for (number, fault) in Fault::ALL.into_iter().enumerate() {
        let is_its_turn = row.is_none_or(|row| row[(number + at) % row.len()] == spec.id);
        if is_its_turn && (slow.is_none() || number == at % Fault::ALL.len()) {
            all.push(fault);
        }
    }
    all
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
        let job = |learn| Job {
            learn,
            protocol: find(spec.id).map(|found| found.spec().id),
            ..Job::new(spec.operation, ["peer"])
        };
        let jobs = [plan.learn, plan.learn.mirrored()].map(job);
        let struck = Struck { jobs, inputs: lists(spec, plan), is_wrong };
        let count = struck.frames();
        for at in 0..count {
            for fault in faults(spec, at) {
                strike(&struck, fault, at, count - at - 1);
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

/// Rows 0 to 8 of one list and 6 to 11 of the other, each with two keys of its own, a group and twice its number.
const LISTS: [std::ops::Range<u32>; 2] = [0..9, 6..12];

fn numbers(side: usize, keys: &[&str], matching: Option<Matching>) -> Input {
    let line = |id: u32| format!("{id},k{id},{},{}\n", ["a", "b"][id as usize % 2], 2 * id);
    let rows: String = LISTS[side].clone().map(line).collect();
    let text = format!("id,other,group,number\n{rows}");
    let table = Table::parse("list".into(), text.into(), b',').expect("a table");
    let keys: Vec<KeySpec> = keys.iter().map(|key| key.parse().expect("a key")).collect();
    Input::linked(table, &keys, matching).expect("the columns are there")
}

/// What is computed on shares with all that can be asked of it, on the side with values and on the other one.
fn on_shares() -> Vec<[Struck; 2]> {
    let job = |id: &str| {
        let spec = find(id).expect("an entry").spec();
        Job { protocol: Some(spec.id), ..Job::new(spec.operation, ["peer"]) }
    };
    let withheld = |least| Release { least: Some(least), ..Release::default() };
    let noise = Noise::new(8.0, 1e-2).ok();
    let [products, values, groups] =
        [&["number*number".to_owned()], &["number".to_owned()], &["group".to_owned()]];
    let one = |side| numbers(side, &["id"], None);
    let rows = |side| numbers(side, &["id", "other"], Some(Matching::Blind));
    let sums = Columns { values, ..Columns::default() };
    let products = Columns { values: products, by: groups, ..Columns::default() };
    let lent = Columns { factor: Some("number"), by: groups, ..Columns::default() };
    let nothing = Columns::default();

    let by_both = Job { groups: Some(4), release: withheld(1), ..job("circuit-sum") };
    // Without a least result, which noise would sometimes fall below, and then fewer frames go out.
    let noisy = |id| Job { release: Release { noise, ..Release::default() }, ..job(id) };
    let blind = |id| Job { matching: Some(Matching::Blind), release: withheld(2), ..job(id) };
    let wrong_groups = |done: &Done, input: &Input| {
        // Of 6 and 8, and of 7, the squares of twice these: 144 and 256, and 196.
        let sums = done.groups(input).map(|groups| {
            let known = groups.filter_map(|group| group.known);
            known.map(|(count, sums)| (count, sums[0].sum.clone())).collect::<Vec<_>>()
        });
        sums.is_some_and(|sums| sums != [(2, "400".to_owned()), (1, "196".to_owned())])
    };
    let wrong_count = |done: &Done, _: &Input| done.report.count() != Some(3);
    let wrong_sum = |done: &Done, input: &Input| {
        let sums = done.sums(input);
        sums.is_some_and(|sums| sums[0].sum != "42") || done.report.count() != Some(3)
    };
    let wrong_shares = |done: &Done, _: &Input| match &done.report.outcome {
        Outcome::Shares(shares) => shares.columns != 3,
        _ => true,
    };
    vec![
        both(&by_both, one, [products, lent], wrong_groups),
        both(&noisy("circuit-sum"), one, [sums, nothing], |_, _| false),
        both(&noisy("circuit-count"), one, [nothing; 2], |_, _| false),
        both(&blind("circuit-count"), rows, [nothing; 2], wrong_count),
        both(&blind("circuit-sum"), rows, [sums, nothing], wrong_sum),
        both(&job("circuit-share"), one, [sums; 2], wrong_shares),
    ]
}

/// The runs in which the first list's side is the faulty one, and the other one.
fn both(
    job: &Job,
    list: fn(usize) -> Input,
    columns: [Columns<'_>; 2],
    is_wrong: fn(&Done, &Input) -> bool,
) -> [Struck; 2] {
    let attached = |side: usize| {
        let input = list(side).attach(job.operation, Learn::Both, columns[side]);
        input.expect("the columns are there")
    };
    [[0, 1], [1, 0]].map(|sides| Struck {
        jobs: [job.clone(), job.clone()],
        inputs: sides.map(attached),
        is_wrong,
    })
}

/// Each frame is struck by one fault, and each kind of frame by all, since the runs send the same kinds.
#[test]
fn a_faulty_side_is_noticed_in_all_that_is_computed_on_shares() {
    for (number, struck) in on_shares().iter().flatten().enumerate() {
        let count = struck.frames();
        for at in 0..count {
            let fault = Fault::ALL[(at as usize + number) % Fault::ALL.len()];
            strike(struck, fault, at, count - at - 1);
        }
    }
}
