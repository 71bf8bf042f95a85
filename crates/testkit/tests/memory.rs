//! What a run of many columns holds, against what its protocol's price says of it.

#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::Command;
use std::{env, fs, io, thread};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, MemoryTransport, memory_pair};
use veilset_protocols::{
    Attached, AttachedShape, Means, Protocol, Reveal, Role, Run, RunInput, Shape, Side, Silent,
    find,
};
use veilset_testkit::{Sets, element};

/// A run, of which a process of its own tells the peak.
#[derive(Debug, Clone, Copy)]
struct Case {
    protocol: &'static str,
    /// Elements of either side.
    elements: usize,
    /// Value columns of the sender, and of the receiver.
    columns: [usize; 2],
}

const CASES: [Case; 5] = [
    Case { protocol: "circuit-share", elements: 1 << 15, columns: [1, 0] },
    Case { protocol: "circuit-share", elements: 1 << 15, columns: [64, 0] },
    Case { protocol: "circuit-share", elements: 1 << 15, columns: [0, 64] },
    Case { protocol: "circuit-share", elements: 1 << 15, columns: [32, 32] },
    Case { protocol: "circuit-sum", elements: 1 << 15, columns: [64, 0] },
];

/// In which case a process is.
const CASE: &str = "VEILSET_MEMORY_CASE";

/// What a process says before the bytes of its peak.
const PEAK: &str = "peak ";

fn shape_of(columns: usize) -> AttachedShape {
    match columns {
        0 => AttachedShape::Nothing,
        columns => AttachedShape::Values { columns, products: 0, groups: None },
    }
}

impl Case {
    fn protocol(&self) -> &'static dyn Protocol {
        find(self.protocol).expect("an entry")
    }

    /// The bytes that both sides take by their prices.
    fn priced(&self) -> f64 {
        let [attached, returned] = self.columns.map(shape_of);
        let size = self.elements as u64;
        let cost = self.protocol().cost(Shape {
            attached,
            returned,
            ..Shape::of_sets(size, size, Reveal::Both, self.protocol().spec().defaults())
        });
        cost.sender.memory + cost.receiver.memory
    }

    fn side(&self, role: Role, sets: &Sets, words: &[i128], end: MemoryTransport) {
        let [own, peer] = match role {
            Role::Sender => self.columns,
            Role::Receiver => [self.columns[1], self.columns[0]],
        };
        let attached = match own {
            0 => Attached::Nothing,
            columns => Attached::Values { columns, products: 0, words, groups: None },
        };
        let input = RunInput {
            elements: sets.of(role).to_vec().into(),
            peer_count: self.elements,
            attached,
            peer_attached: shape_of(peer),
            per_row: 1,
            slack: 0,
            least: None,
            coins: 0,
            choices: self.protocol().spec().defaults(),
        };
        let means = Means {
            session: &[7; 32],
            channel: &mut Framed::new(end),
            rng: &mut ChaCha20Rng::from_seed([role as u8; 32]),
            observer: &Silent,
        };
        let side = Side { role, reveal: Reveal::Both };
        let outcome = self.protocol().run(Run { side, input, means }).and_then(|end| end());
        outcome.expect("it runs");
    }

    /// The bytes that both sides take, beside their elements and values, at the fullest moment.
    fn taken(&self) -> u64 {
        let elements: Vec<_> = (0..self.elements).map(element).collect();
        let sets = Sets { sender: elements.clone(), receiver: elements };
        let [one, other] = self.columns.map(|columns| vec![-5; columns * self.elements]);
        let before = status("VmRSS:");
        let (left, right) = memory_pair();
        thread::scope(|scope| {
            scope.spawn(|| self.side(Role::Sender, &sets, &one, left));
            self.side(Role::Receiver, &sets, &other, right);
        });
        status("VmHWM:").saturating_sub(before)
    }
}

/// Bytes that the system tells of this process under a name.
fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the system tells");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line of it");
    let kilobytes = line.trim().strip_suffix("kB").expect("in kilobytes").trim();
    1024 * kilobytes.parse::<u64>().expect("a number")
}

/// Each run in a process of its own, so that none has what another one left, and on two threads, wherever that is: the allocator
/// keeps up to 2 MB for each thread of each side besides.
#[test]
fn columns_take_what_they_are_priced_at() {
    if let Ok(case) = env::var(CASE) {
        let case = CASES[case.parse::<usize>().expect("a number")];
        return writeln!(io::stdout(), "\n{PEAK}{}", case.taken()).expect("somebody hears");
    }
    for (number, case) in CASES.iter().enumerate() {
        let mut process = Command::new(env::current_exe().expect("this program"));
        process.args(["--exact", "columns_take_what_they_are_priced_at", "--nocapture"]);
        process.env(CASE, number.to_string()).env("RAYON_NUM_THREADS", "2");
        let said = process.output().expect("it starts").stdout;
        let said = String::from_utf8(said).expect("text");
        let taken = said.lines().find_map(|line| line.strip_prefix(PEAK)).expect("a peak");
        let (taken, priced) = (taken.parse::<f64>().expect("a number"), case.priced());
        let told = format!("{case:?}: {:.1} MB of {:.1} MB", taken / 1e6, priced / 1e6);
        // Both sides are not at their fullest at one moment, and the allocator keeps what it was given.
        assert!(taken < 1.1 * priced && priced < 1.8 * taken, "{told}");
    }
}
