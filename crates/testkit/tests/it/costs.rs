//! Exact costs are golden files: bytes, frames and rounds of every protocol, by phase; and the models of the costs tell the
//! truth about the same runs.
//!
//! After a change that is meant to change them: `VEILSET_BLESS=1 cargo test -p veilset-testkit costs`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::{env, fs, path::PathBuf};

use veilset_channel::{Costs, PhaseCost};
use veilset_crypto::Element;
use veilset_protocols::{MULTIPARTY, MultipartyProtocol, Operation, PROTOCOLS, Protocol};
use veilset_testkit::{Meeting, Sets, Setting, run_all, run_both, shape};

/// Of sets. The last two fill frames on one side, the very last three of them.
const SIZES: [(usize, usize); 5] = [(0, 0), (1, 1), (256, 256), (4096, 100), (100, 9000)];

/// Of ordered lists, which are compared pair by pair.
const ORDERED: [(usize, usize); 4] = [(0, 0), (1, 1), (40, 25), (5, 300)];

/// Of these under Paillier's encryption, and with a message a pair.
const FEW: [(usize, usize); 4] = [(0, 0), (1, 1), (12, 7), (3, 40)];

/// The phase of each of their rounds, and of each layer that puts rows in order; these stand in one line.
const ROUNDS: [&str; 2] = ["comparisons", "order of rows"];

/// The sizes at which a protocol is looked at: all for those on which the others are built.
fn sizes(protocol: &dyn Protocol) -> &'static [(usize, usize)] {
    if protocol.spec().operation == Operation::Agree {
        let takes_few = protocol.spec().max_elements <= 1 << 10;
        return if takes_few { &FEW } else { &ORDERED };
    }
    let basic = ["dh", "mqrpmt-dh", "private-id"].contains(&protocol.spec().id);
    if basic { &SIZES } else { &SIZES[..4] }
}

/// Whether what a run sends depends on what both have. Models describe runs without anything in common.
fn counts_matches(protocol: &dyn Protocol) -> bool {
    matches!(protocol.spec().operation, Operation::Agree | Operation::Align | Operation::Union)
}

/// The lines of a protocol's golden file. Each of its runs is also compared with the model; where it is no run that the model
/// describes, there is one more.
fn measured(protocol: &'static dyn Protocol) -> String {
    let mut text =
        String::from("# sender×receiver reveal: side [phase] sent/frames received/frames\n");
    for &(sender, receiver) in sizes(protocol) {
        let common = sender.min(receiver) / 2;
        let sets = Sets::new(sender, receiver, common);
        let of_rows = Sets::new(2 * sender, 2 * receiver, 2 * common);
        for reveal in protocol.spec().reveals {
            let plain = Setting::new(protocol, *reveal);
            let by_groups = plain.and_groups();
            let least = by_groups.and_then(|by_groups| by_groups.and_least(2));
            let withheld = [plain.and_least(2), least];
            let products = plain.and_products();
            let settings =
                [Some(plain), plain.and_rows(), by_groups, plain.and_noise(64), products];
            let settings = settings.into_iter().chain(withheld).chain([plain.and_both_share()]);
            let lent = products.and_then(Setting::and_lent_groups);
            let blind = if protocol.spec().blind { plain.and_grouped() } else { None };
            let withheld = blind.and_then(|blind| blind.and_least(2));
            let settings =
                settings.chain([lent, lent.and_then(Setting::and_groups), blind, withheld]);
            for setting in settings.flatten() {
                let sets = if setting.per_row > 1 { &of_rows } else { &sets };
                if setting.is_quick(sets) {
                    measure(&mut text, setting, sets);
                }
            }
        }
    }
    text
}

/// Adds the lines of a run.
fn measure(text: &mut String, setting: Setting, sets: &Sets) {
    let rows = |elements: &[Element]| elements.len() / setting.per_row;
    let (sender, receiver) = (rows(&sets.sender), rows(&sets.receiver));
    let ((_, sent), (_, received)) = run_both(setting, sets, 7);
    if sender.min(receiver) / 2 > 0 && counts_matches(setting.protocol) {
        let sets = Sets::new(sender, receiver, 0);
        let ((_, sent), (_, received)) = run_both(setting, &sets, 3);
        compare_with_model(setting, &sets, [&sent, &received]);
    } else if setting.least.is_none_or(|least| sender.min(receiver) as u64 / 2 >= least) {
        compare_with_model(setting, sets, [&sent, &received]);
    }
    let mut with = setting.least.map_or_else(String::new, |least| format!(" least {least}"));
    let with_noise = setting.coins > 0;
    for (is, what) in [
        (setting.with_rows, " with rows"),
        (setting.by_groups, " by groups"),
        (with_noise, " with noise"),
        (setting.products, " with products"),
        (setting.lends_groups, " by lent groups"),
        (setting.per_row > 1, " of rows of two"),
        (setting.both_share, " of both sides' values"),
    ] {
        with.push_str(if is { what } else { "" });
    }
    for (side, costs) in [("sender", &sent), ("receiver", &received)] {
        let name = format!("{sender}×{receiver} {:?}{with}: {side}", setting.reveal);
        write_costs(text, &name, costs);
    }
}

/// Everybody's sizes in runs of several parties.
const SEVERAL: [&[usize]; 4] = [&[0, 5, 3], &[1, 1, 1], &[40, 60, 30, 50], &[300, 4100, 5000]];

/// The lines of a golden file of several parties; each run is also compared with the model. The last party learns, or nobody
/// but the leader, the second, does.
fn measured_among(protocol: &'static dyn MultipartyProtocol) -> String {
    let mut text =
        String::from("# sizes who learns: party with party [phase] sent/frames received/frames\n");
    for sizes in SEVERAL {
        let common = sizes.iter().min().map_or(0, |least| least / 2);
        let all = Meeting::new(protocol, sizes, common);
        let mut one = Meeting { leader: 1, pivot: 0, ..all.clone() };
        one.learners.fill(false);
        one.learners[1] = true;
        let some = protocol.spec().some_learn.then_some((one, "one"));
        for (meeting, who) in [(all, "all")].into_iter().chain(some) {
            let model = protocol.cost(&meeting.parties(sizes));
            if model.parties.iter().map(|party| party.multiplications).sum::<f64>() < 2.3e5 {
                measure_among(&mut text, &meeting, who);
            }
        }
    }
    text
}

fn measure_among(text: &mut String, meeting: &Meeting, who: &str) {
    let sizes = meeting.sizes();
    let model = meeting.protocol.cost(&meeting.parties(&sizes));
    let listed: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    let name = format!("{} {who}", listed.join(","));
    let mut rounds = 0;
    for (place, (outcome, costs)) in run_all(meeting, 7).into_iter().enumerate() {
        assert!(outcome.is_ok(), "{name}: an honest run ends well");
        let others = (0..sizes.len()).filter(|other| *other != place);
        for (other, costs) in others.zip(&costs) {
            write_costs(text, &format!("{name}: {} with {}", place + 1, other + 1), costs);
            rounds = rounds.max(costs.rounds());
        }
        let sum = |of: fn(&Costs) -> u64| costs.iter().map(of).sum::<u64>() as f64;
        let real = [sum(Costs::bytes_sent), sum(Costs::bytes_received)];
        for (real, model) in
            real.into_iter().zip([model.parties[place].bytes_sent, model.received[place]])
        {
            assert!((real - model).abs() <= 8.0 + 0.01 * real, "{name} {place}: {real} {model}");
        }
    }
    assert_eq!(rounds, model.rounds, "{name}");
}

fn write_costs(text: &mut String, name: &str, costs: &Costs) {
    let moved = costs.phases.iter().filter(|phase| phase.frames_sent + phase.frames_received > 0);
    let moved: Vec<&PhaseCost> = moved.collect();
    for same in moved.chunk_by(|one, next| one.name == next.name && ROUNDS.contains(&one.name)) {
        let sum = |of: fn(&PhaseCost) -> u64| same.iter().map(|phase| of(phase)).sum::<u64>();
        let (sent, received) = (sum(|phase| phase.bytes_sent), sum(|phase| phase.bytes_received));
        let (out, back) = (sum(|phase| phase.frames_sent), sum(|phase| phase.frames_received));
        writeln!(text, "{name} [{}] {sent}/{out} {received}/{back}", same[0].name)
            .expect("to memory");
    }
    writeln!(text, "{name} rounds {}", costs.rounds()).expect("to memory");
}

fn compare_with_model(setting: Setting, sets: &Sets, [sent, received]: [&Costs; 2]) {
    let protocol = setting.protocol;
    let model = protocol.cost(shape(setting, sets));
    let (sender, receiver) = (sets.sender.len(), sets.receiver.len());
    let name = format!("{} {sender}×{receiver}", protocol.spec().id);
    for (costs, model) in [(sent, model.sender), (received, model.receiver)] {
        let (real, modelled) = (costs.bytes_sent() as f64, model.bytes_sent);
        assert!((real - modelled).abs() <= 8.0 + 0.01 * real, "{name}: {real} {modelled}");
    }
    if sender > 0 && receiver > 0 {
        assert_eq!(received.rounds(), model.rounds, "{name}");
    }
}

#[test]
fn costs_are_exactly_the_golden_ones_and_models_tell_the_truth() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/costs");
    let mut files = BTreeSet::new();
    let of_two = PROTOCOLS.iter().map(|protocol| (protocol.spec().id, measured(*protocol)));
    let among = MULTIPARTY.iter().map(|protocol| (protocol.spec().id, measured_among(*protocol)));
    for (id, measured) in of_two.chain(among) {
        let name = format!("{id}.txt");
        let file = folder.join(&name);
        if env::var_os("VEILSET_BLESS").is_some() {
            fs::write(&file, &measured).expect("a golden file can be written");
        }
        let golden = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{name}: {why}"));
        for (line, (now, then)) in (1..).zip(measured.lines().zip(golden.lines())) {
            assert_eq!(now, then, "line {line} of {name}");
        }
        assert_eq!(measured.lines().count(), golden.lines().count(), "{name}");
        files.insert(name);
    }
    let names =
        fs::read_dir(&folder).expect("there").map(|file| file.expect("readable").file_name());
    let there: BTreeSet<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert_eq!(there, files, "a file for each protocol and no other");
}
