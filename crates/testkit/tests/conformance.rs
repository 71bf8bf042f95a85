//! Every registry entry against plain sets: sizes, both roles, both ways to reveal.

use std::collections::HashSet;

use veilset_crypto::Element;
use veilset_protocols::{Operation, Outcome, PROTOCOLS, Reveal, Role, Spec};
use veilset_testkit::{Sets, run_both};

/// Sender's size, receiver's size, common elements. 4096 elements fill a frame.
const SIZES: [(usize, usize, usize); 12] = [
    (0, 0, 0),
    (0, 1, 0),
    (1, 0, 0),
    (1, 1, 0),
    (1, 1, 1),
    (2, 2, 1),
    (1000, 1000, 500),
    (1000, 1000, 0),
    (1000, 1000, 1000),
    (4097, 3, 2),
    (3, 4097, 3),
    (9000, 4096, 17),
];

fn expected(spec: &Spec, sets: &Sets, role: Role, reveal: Reveal) -> Outcome {
    if !reveal.reaches(role) {
        return Outcome::Nothing;
    }
    let theirs: HashSet<Element> = sets.of(role.other()).iter().copied().collect();
    let hits: Vec<u32> =
        (0u32..).zip(sets.of(role)).filter(|(_, e)| theirs.contains(e)).map(|(i, _)| i).collect();
    match spec.operation {
        Operation::Intersect => Outcome::Matched(hits),
        Operation::Count => Outcome::Count(hits.len() as u64),
    }
}

#[test]
fn every_protocol_computes_what_plain_sets_say() {
    for protocol in PROTOCOLS {
        let spec = protocol.spec();
        for (sender, receiver, common) in SIZES {
            let sets = Sets::new(sender, receiver, common);
            for reveal in [Reveal::Receiver, Reveal::Both] {
                let (sent, received) = run_both(*protocol, &sets, reveal, 1);
                for (role, (outcome, _)) in [(Role::Sender, sent), (Role::Receiver, received)] {
                    let outcome = outcome.expect("an honest run ends well");
                    let expected = expected(spec, &sets, role, reveal);
                    let name = spec.id;
                    assert!(outcome == expected, "{name} {sender}×{receiver} {reveal:?} {role:?}");
                }
            }
        }
    }
}

#[test]
fn the_result_does_not_depend_on_randomness() {
    let sets = Sets::new(300, 200, 50);
    for protocol in PROTOCOLS {
        let outcomes = [1, 2].map(|seed| {
            let (_, (outcome, _)) = run_both(*protocol, &sets, Reveal::Receiver, seed);
            outcome.expect("an honest run ends well")
        });
        assert_eq!(outcomes[0], outcomes[1], "{}", protocol.spec().id);
    }
}
