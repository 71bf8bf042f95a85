//! Exact costs are golden files: bytes, frames and rounds of every protocol, by phase.
//!
//! After a change that is meant to change them: `VEILSET_BLESS=1 cargo test --release -p veilset-testkit --test costs`.

use std::fmt::Write;
use std::{env, fs, path::PathBuf};

use veilset_channel::{Costs, PhaseCost};
use veilset_protocols::{Operation, PROTOCOLS, Protocol};
use veilset_testkit::{Sets, Setting, run_both, shape};

/// Of sets. The last two fill frames on one side, the very last three of them.
const SIZES: [(usize, usize); 5] = [(0, 0), (1, 1), (256, 256), (4096, 100), (100, 9000)];

/// Of ordered lists, which are compared pair by pair.
const ORDERED: [(usize, usize); 4] = [(0, 0), (1, 1), (40, 25), (5, 300)];

/// Of these under Paillier's encryption.
const ENCRYPTED: [(usize, usize); 4] = [(0, 0), (1, 1), (12, 7), (3, 40)];

/// The phase of each of their rounds; these stand in one line.
const ROUNDS: &str = "comparisons";

/// The sizes at which a protocol is looked at: all for those on which the others are built.
fn sizes(protocol: &dyn Protocol) -> &'static [(usize, usize)] {
    if protocol.spec().operation == Operation::Agree {
        let encrypted = protocol.spec().max_elements <= 1 << 10;
        return if encrypted { &ENCRYPTED } else { &ORDERED };
    }
    let basic = ["dh", "mqrpmt-dh", "private-id"].contains(&protocol.spec().id);
    if basic { &SIZES } else { &SIZES[..4] }
}

fn measured() -> String {
    let mut text =
        String::from("# protocol sender×receiver reveal: side phase sent/frames received/frames\n");
    for protocol in PROTOCOLS {
        for &(sender, receiver) in sizes(protocol) {
            let sets = Sets::new(sender, receiver, sender.min(receiver) / 2);
            for reveal in protocol.spec().reveals {
                let setting = Setting::new(protocol, *reveal);
                if !setting.is_quick(&sets) {
                    continue;
                }
                let ((_, sent), (_, received)) = run_both(setting, &sets, 7);
                let name = format!("{} {sender}×{receiver} {reveal:?}", protocol.spec().id);
                for (side, costs) in [("sender", &sent), ("receiver", &received)] {
                    write_costs(&mut text, &format!("{name}: {side}"), costs);
                }
            }
        }
    }
    text
}

fn write_costs(text: &mut String, name: &str, costs: &Costs) {
    let moved = costs.phases.iter().filter(|phase| phase.frames_sent + phase.frames_received > 0);
    let moved: Vec<&PhaseCost> = moved.collect();
    for same in moved.chunk_by(|one, next| [one.name, next.name] == [ROUNDS; 2]) {
        let sum = |of: fn(&PhaseCost) -> u64| same.iter().map(|phase| of(phase)).sum::<u64>();
        let (sent, received) = (sum(|phase| phase.bytes_sent), sum(|phase| phase.bytes_received));
        let (out, back) = (sum(|phase| phase.frames_sent), sum(|phase| phase.frames_received));
        writeln!(text, "{name} [{}] {sent}/{out} {received}/{back}", same[0].name)
            .expect("to memory");
    }
    writeln!(text, "{name} rounds {}", costs.rounds()).expect("to memory");
}

#[test]
fn costs_are_exactly_the_golden_ones() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/costs.txt");
    let measured = measured();
    if env::var_os("VEILSET_BLESS").is_some() {
        fs::write(&file, &measured).expect("the golden file can be written");
    }
    let golden = fs::read_to_string(&file).expect("the golden file is there");
    for (line, (now, then)) in measured.lines().zip(golden.lines()).enumerate() {
        assert_eq!(now, then, "line {} of the golden file", line + 1);
    }
    assert_eq!(measured.lines().count(), golden.lines().count());
}

#[test]
fn cost_models_tell_the_truth() {
    for protocol in PROTOCOLS {
        for &(sender, receiver) in sizes(protocol) {
            let sets = Sets::new(sender, receiver, 0);
            for reveal in protocol.spec().reveals {
                let setting = Setting::new(protocol, *reveal);
                let model = protocol.cost(shape(protocol, &sets, *reveal, setting.choices));
                let ((_, sent), (_, received)) = run_both(setting, &sets, 3);
                let name = protocol.spec().id;
                for (costs, model) in [(&sent, model.sender), (&received, model.receiver)] {
                    let (real, modelled) = (costs.bytes_sent() as f64, model.bytes_sent);
                    let off = (real - modelled).abs();
                    assert!(
                        off <= 8.0 + 0.01 * real,
                        "{name} {sender}×{receiver}: {real} {modelled}"
                    );
                }
                if sender > 0 && receiver > 0 {
                    assert_eq!(received.rounds(), model.rounds, "{name} {sender}×{receiver}");
                }
            }
        }
    }
}
