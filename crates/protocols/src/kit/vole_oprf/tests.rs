use std::collections::HashSet;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{ChannelExt, Framed, MemoryTransport, memory_pair};
use veilset_crypto::Element;
use veilset_ot::vole::{self, Nonet};
use veilset_structures::okvs::OkvsError;
use zeroize::Zeroizing;

use super::coin::commitment;
use super::messages::Coin;
use super::*;
use crate::kit::comparison::Outputs;
use crate::{Means, ProtocolError, Silent};

const BOTH: [Security; 2] = [Security::SemiHonest, Security::Malicious];

fn element(number: usize) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

fn terms(count: usize, security: Security) -> OprfTerms<'static> {
    let (keyed, field) = (Role::Sender, Field::of(count + 10, security));
    let (base, keyed_rows) = (Base::Ristretto, false);
    OprfTerms { session: &[5; 32], keyed, count, field, security, base, keyed_rows }
}

/// The values and the keys of elements, in their order.
fn in_order(outputs: Outputs) -> [Vec<u128>; 2] {
    let Outputs { values, keys, places } = outputs;
    let of_keys = Outputs { values: keys, keys: Zeroizing::default(), places: places.clone() };
    let of_values = Outputs { values, keys: Zeroizing::default(), places };
    [of_values, of_keys].map(|outputs| outputs.values_in_order().to_vec())
}

/// F of the receiver's elements as it evaluates them, and as the sender does with the same and other elements.
fn evaluations(count: usize, security: Security, seed: u8) -> [Vec<u128>; 2] {
    evaluations_of(|count| terms(count, security), count, seed)
        .map(|outputs| outputs.values_in_order().to_vec())
}

fn evaluations_of(
    terms: impl Fn(usize) -> OprfTerms<'static> + Sync,
    count: usize,
    seed: u8,
) -> [Outputs; 2] {
    let elements: Vec<Element> = (0..count + 10).map(element).collect();
    let (left, right) = memory_pair();
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let all = elements.clone().into();
            let sent = with_means(left, seed, |means| send(means, &terms(count), all));
            sent.expect("the receiver is honest")
        });
        let own = elements[..count].to_vec().into();
        let received = with_means(right, seed ^ 0x80, |means| receive(means, &terms(count), own));
        [received.expect("the sender is honest"), sender.join().expect("no panic")]
    })
}

fn with_means<T>(end: MemoryTransport, seed: u8, work: impl FnOnce(&mut Means<'_>) -> T) -> T {
    work(&mut Means {
        session: &[5; 32],
        channel: &mut Framed::new(end),
        rng: &mut ChaCha20Rng::from_seed([seed; 32]),
        observer: &Silent,
    })
}

#[test]
fn both_sides_evaluate_the_same_function_and_every_key_gives_another() {
    for security in BOTH {
        for count in [1, 2, 700] {
            let [received, sent] = evaluations(count, security, 1);
            assert_eq!(received, sent[..count], "{security} {count}");
            let [again, _] = evaluations(count, security, 2);
            let all: HashSet<u128> = sent.iter().chain(&again).copied().collect();
            assert_eq!(all.len(), sent.len() + again.len(), "{security} {count}");
        }
    }
}

#[test]
fn keys_are_the_same_on_both_sides_and_others_than_values() {
    for security in BOTH {
        let keyed = |count| OprfTerms { keyed_rows: true, ..terms(count, security) };
        let [received, sent] = evaluations_of(keyed, 700, 1).map(in_order);
        assert_eq!(received, sent.each_ref().map(|of_all| of_all[..700].to_vec()), "{security}");
        let [_, values] = evaluations(700, security, 1);
        assert_eq!(sent[0], values, "keys change no value");
        let all: HashSet<u128> = sent.concat().into_iter().collect();
        assert_eq!(all.len(), 2 * values.len(), "{security}");
    }
}

#[test]
fn a_field_is_for_as_many_points_as_may_fail() {
    for (evaluated, field) in [
        (0, Field::Narrow),
        (1 << 23, Field::Narrow),
        ((1 << 23) + 1, Field::Middle),
        (1 << 31, Field::Middle),
        ((1 << 31) + 1, Field::Wide),
    ] {
        assert_eq!(Field::of(evaluated, Security::SemiHonest), field);
        assert_eq!(Field::of(evaluated, Security::Malicious), Field::Wide);
        assert_ne!(among(evaluated), Field::Middle, "several parties share stores");
    }
    // One function over each, for one and the same evaluation.
    for field in [Field::Narrow, Field::Middle, Field::Wide] {
        let terms = |count| OprfTerms { field, ..terms(count, Security::SemiHonest) };
        let [received, sent] =
            evaluations_of(terms, 700, 3).map(|outputs| in_order(outputs)[0].clone());
        assert_eq!(received, sent[..700], "{field:?}");
        let all: HashSet<u128> = sent.into_iter().collect();
        assert_eq!(all.len(), 710, "{field:?}");
    }
}

#[test]
fn a_function_of_many_points_is_made_in_stretches() {
    // Some three batches, and clusters that lie in two of them.
    const COUNT: usize = (1 << 20) + 12_345;
    let terms = |count| OprfTerms { field: Field::Middle, ..terms(count, Security::SemiHonest) };
    let len = terms(COUNT).shape().len();
    let stretches = vole::stretches::<Nonet>(Security::SemiHonest.into(), len).count();
    assert_eq!(stretches, len.div_ceil(Nonet::AT_ONCE));
    assert!(stretches > 2 && terms(COUNT).shape().columns() < Nonet::AT_ONCE);
    let [received, sent] =
        evaluations_of(terms, COUNT, 3).map(|outputs| in_order(outputs)[0].clone());
    assert!(received[..] == sent[..COUNT]);
    let all: HashSet<u128> = sent.into_iter().collect();
    assert_eq!(all.len(), COUNT + 10);
}

#[test]
fn an_element_that_is_there_twice_is_named() {
    let mut elements: Vec<Element> = (0..300_000).map(element).collect();
    elements[250_000] = elements[7];
    let (left, right) = memory_pair();
    let terms = terms(elements.len(), Security::SemiHonest);
    let error = std::thread::scope(|scope| {
        scope
            .spawn(|| with_means(left, 1, |means| send(means, &terms, Zeroizing::default()).err()));
        with_means(right, 2, |means| receive(means, &terms, elements.into()).err())
    });
    let repeated = OkvsError::Repeated { first: 7, second: 250_000 };
    assert!(matches!(error, Some(ProtocolError::Encoding(found)) if found == repeated));
}

#[test]
fn a_coin_that_was_not_committed_to_is_refused() {
    let key = terms(1, Security::Malicious).toss().key.expect("coins are tossed");
    let opened_to = |committed: [u8; 32]| {
        let (left, right) = memory_pair();
        let mut left = Framed::new(left);
        left.put(&Coin(commitment(&key, &committed))).expect("open");
        left.put(&Coin([2; 32])).expect("open");
        with_means(right, 1, |means| {
            let toss = CoinToss { key: Some(key) }.take(means.channel)?;
            toss.tell(means)?.opened(means.channel)
        })
    };
    let coins = opened_to([2; 32]).expect("the one that was committed to").expect("two coins");
    assert_eq!(coins[0], [2; 32]);
    assert!(matches!(opened_to([3; 32]), Err(ProtocolError::Channel(_))));
    let session = [1; 32];
    assert_ne!(commitment(&session, &[2; 32]), commitment(&session, &[3; 32]));
    assert_ne!(commitment(&session, &[2; 32]), commitment(&[9; 32], &[2; 32]));
    let coins = Some([[2; 32], [3; 32]]);
    let finished = |coins| {
        let mut keys = [1];
        Output::new(&session, coins).finish(Zeroizing::new(vec![7]), &mut keys, &[9_u128], &mut []);
        keys
    };
    assert_ne!(finished(coins), finished(None));
    assert_ne!(finished(coins), finished(Some([[2; 32], [4; 32]])));
}

/// The least n' for which some n' of 2^`questions` points fit one encoding of `count`, under any of 2^128 seeds, with probability
/// at most 2^-40.
fn extractable(count: usize, questions: f64) -> f64 {
    let m = OkvsShape::new(KIND, count).len() as f64;
    // log2 C(q, n') ≤ n'·log2(e·q/n').
    let chance = |points: f64| {
        points * (questions - points.log2() + std::f64::consts::E.log2())
            - 128.0 * (points - m - 1.0)
    };
    let mut steps = std::iter::successors(Some(m), |points| Some(points * 1.001));
    steps.find(|points| chance(*points) <= -40.0).expect("it falls")
}

#[test]
fn a_receiver_that_cheats_learns_the_function_at_few_more_points() {
    let sizes = std::iter::successors(Some(1_usize), |size| Some(size + size / 16 + 1));
    for count in sizes.take_while(|size| *size <= 1 << 28) {
        let (declared, points) = (count as f64, extractable(count, 64.0));
        assert!(points <= 2.0 * declared + 400.0, "{count}: {points}");
    }
}

/// The table of `docs/notes/protocols.md`: n' a declared element, to three digits.
#[test]
fn more_questions_find_more_points() {
    const SIZES: [usize; 6] = [1, 1 << 10, 1 << 14, 1 << 16, 1 << 20, 1 << 24];
    const TABLE: [(f64, [f64; 6]); 4] = [
        (64.0, [356.0, 2.23, 1.84, 1.79, 1.74, 1.67]),
        (80.0, [456.0, 2.83, 2.31, 2.23, 2.14, 2.03]),
        (100.0, [702.0, 4.25, 3.37, 3.21, 3.00, 2.80]),
        (128.0, [2560.0, 13.4, 9.06, 8.07, 6.78, 5.80]),
    ];
    let rounded = |number: f64| {
        let digit = 10_f64.powi(number.log10() as i32 - 2);
        (number / digit).round() * digit
    };
    for (questions, row) in TABLE {
        let found = SIZES.map(|count| rounded(extractable(count, questions) / count as f64));
        let near = found.iter().zip(row).all(|(found, said)| (found / said - 1.0).abs() < 0.006);
        assert!(near, "2^{questions}: {found:?}");
    }
    // What a receiver that declared one element fits without any work.
    assert_eq!(OkvsShape::new(KIND, 1).len(), 196);
}
