//! What matching by several keys costs on the wire, to the byte, and how it ends where a party dies.
//!
//! After a change that is meant to change costs: `VEILSET_BLESS=1 cargo test -p veilset --test it tiers`.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{env, fs, thread};

use veilset::data::{KeySpec, Table};
use veilset::registry::{Choices, Operation, SetEncoding, Silent};
use veilset::{Columns, Connection, Done, Error, Input, Job, Learn, Resources, exit_code};
use veilset_channel::{ChannelError, NetworkFault, Transport, memory_pair};

/// The sides' lists for `job`: by each key match some, and some rows match by none.
fn lists(job: &Job) -> [Input; 2] {
    let list = |first: usize| {
        let row = |n: usize| {
            let mail = if n.is_multiple_of(3) {
                format!("{first}@b.example")
            } else {
                format!("{n}@b.example")
            };
            let phone = if n.is_multiple_of(5) { String::new() } else { format!("{n}") };
            format!(
                "{mail},{phone},name {},1980-01-0{}\n",
                (b'a' + (n % 20) as u8) as char,
                1 + n % 9
            )
        };
        let text: String = (first..first + 60).map(row).collect();
        let text = format!("mail,phone,name,born\n{text}");
        let table = Table::parse("list".into(), text.into(), b',').expect("a table");
        let last = match job.operation {
            Operation::Intersect => "name:name~deletion,born:date~year",
            _ => "name:name,born:date",
        };
        let keys = ["mail:email", "phone", last];
        let keys: Vec<KeySpec> = keys.iter().map(|key| key.parse().expect("a key")).collect();
        let matching = job.matching_of(&keys).expect("it takes several");
        let input = Input::linked(table, &keys, matching).expect("the columns are there");
        input.attach(job.operation, job.learn, Columns::default()).expect("it takes the rows")
    };
    [list(100), list(130)]
}

/// A party that sends so many frames, and is gone.
struct Mortal<T> {
    way: Option<T>,
    frames: usize,
    sent: Arc<AtomicUsize>,
}

impl<T: Transport> Mortal<T> {
    fn way(&mut self) -> Result<&mut T, ChannelError> {
        self.way.as_mut().ok_or(NetworkFault::Closed.into())
    }

    fn sends(&mut self) {
        if self.sent.fetch_add(1, Relaxed) == self.frames {
            self.way = None;
        }
    }
}

impl<T: Transport> Transport for Mortal<T> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        self.sends();
        self.way()?.send(frame)
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.sends();
        self.way.as_mut().is_some_and(|way| way.try_send(frame))
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.way()?.recv()
    }

    fn try_recv(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        self.way()?.try_recv()
    }

    fn close(&mut self) {
        if let Some(way) = &mut self.way {
            way.close();
        }
    }
}

/// Both ends of a run, of which the second side dies after so many frames; and how many it sent.
fn run(job: &Job, learns: [Learn; 2], frames: usize) -> ([Result<Done, Error>; 2], usize) {
    let lists = lists(job);
    let (left, right) = memory_pair();
    let sent = Arc::new(AtomicUsize::new(0));
    let mortal = Mortal { way: Some(right), frames, sent: Arc::clone(&sent) };
    let side = |input: &Input, transport: Box<dyn Transport>, connecting, learn| {
        let job = Job { learn, ..job.clone() };
        let ready = job.offer(Connection::from_transport(transport, connecting), input)?;
        ready.run(input, &Resources { threads: 1, observer: &Silent })
    };
    let ends = thread::scope(|scope| {
        let other = scope.spawn(|| side(&lists[0], Box::new(left), false, learns[0]));
        let here = side(&lists[1], Box::new(mortal), true, learns[1]);
        [other.join().expect("no panic"), here]
    });
    (ends, sent.load(Relaxed))
}

/// A way to match: what is computed, by a protocol whose bytes depend on sizes alone (those of `rr22` depend on what it draws,
/// by some for each coded set), and who learns.
type Way = (&'static str, Operation, &'static str, [Learn; 2]);

const WAYS: [Way; 5] = [
    ("tiers", Operation::Intersect, "dh", [Learn::Both; 2]),
    ("one-sided", Operation::Intersect, "dh", [Learn::Me, Learn::Peer]),
    ("grouped count", Operation::Count, "mqrpmt-dh", [Learn::Both; 2]),
    ("grouped count of one", Operation::Count, "mqrpmt-poprf", [Learn::Me, Learn::Peer]),
    ("grouped union", Operation::Union, "mqrpmt-dh-union", [Learn::Both; 2]),
];

fn job((_, operation, protocol, learns): Way) -> Job {
    let [learn, _] = learns;
    // A sorted set is as long as its values have it.
    let digest = (operation != Operation::Intersect).then_some(SetEncoding::Shuffled);
    let choices = Choices { digest, ..Choices::default() };
    Job { protocol: Some(protocol), learn, choices, ..Job::new(operation, ["peer"]) }
}

#[test]
fn whoever_is_left_alone_learns_so_wherever_the_other_died() {
    for (way, learns, job) in WAYS.map(|way| (way.0, way.3, job(way))) {
        let (ends, all) = run(&job, learns, usize::MAX);
        assert!(ends.iter().all(Result::is_ok), "{way}");
        let mut had_all = 0;
        for frames in 0..all {
            let ([left, died], _) = run(&job, learns, frames);
            // Whoever sent everything but the goodbye has its result, and so has the other.
            if died.is_ok() {
                had_all += 1;
                continue;
            }
            match left {
                Ok(_) => had_all += 1,
                Err(error) => {
                    assert_eq!(error.exit_code(), exit_code::NETWORK, "{way} {frames}: {error}")
                }
            }
        }
        assert!(all > 5 && had_all <= 2, "{way}: {had_all} of {all}");
    }
}

#[test]
fn matching_by_several_keys_costs_what_the_file_says() {
    let mut text = String::from("# way: side [phase] sent/frames received/frames\n");
    for (way, learns, job) in WAYS.map(|way| (way.0, way.3, job(way))) {
        let (ends, _) = run(&job, learns, usize::MAX);
        for (side, end) in ["listens", "connects"].iter().zip(ends) {
            let report = end.expect("it runs").report;
            let phases = report.phases.iter();
            for phase in phases.filter(|phase| phase.frames_sent + phase.frames_received > 0) {
                let (sent, received) = (phase.bytes_sent, phase.bytes_received);
                let (out, back) = (phase.frames_sent, phase.frames_received);
                writeln!(text, "{way}: {side} [{}] {sent}/{out} {received}/{back}", phase.name)
                    .expect("to memory");
            }
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tiers.txt");
    if env::var_os("VEILSET_BLESS").is_some() {
        fs::write(path, &text).expect("writable");
    }
    let golden = fs::read_to_string(path).expect("it is there");
    assert_eq!(text, golden, "VEILSET_BLESS=1 writes it anew");
}
