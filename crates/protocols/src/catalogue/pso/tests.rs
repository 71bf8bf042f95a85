//! Receivers of operations on an mqRPMT whose bits are not those of the test.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use veilset_channel::ChannelExt;
use veilset_crypto::{CommutativePrf, Curve25519Prf};

use super::intersect::{name_bits, names};
use super::*;
use crate::kit::cheats::{COUNT, FIRST, WIDTH, element, honest, is_common, item, meet, numbers};
use crate::kit::exchange::value;
use crate::kit::mqrpmt::weight;
use crate::kit::set_encoding::SetTerms;
use crate::kit::transfer;
use crate::kit::wire::{Points, Total, value_of, value_width};
use crate::{Attached, Outcome, Reveal, Role, Sharing};

const MQRPMTS: [MqRpmt; 3] = [MqRpmt::CwPrf, MqRpmt::POprf, MqRpmt::Star];

/// The changed line.
fn all_set(bits: &[bool]) -> Vec<bool> {
    vec![true; bits.len()]
}

fn with_group<'a, 'b>(mqrpmt: MqRpmt, run: &'a mut Run<'b>) -> &'a mut Run<'b> {
    run.input.choices = mqrpmt.choices().defaults().or(run.input.choices);
    run
}

/// "A side that gets the union and cheats gets all of the other's rows, common ones too, unnoticed."
#[test]
fn a_receiver_of_a_union_that_sets_all_bits_gets_all_rows() {
    for mqrpmt in MQRPMTS {
        let (sender, (rows, hits)) = meet(
            Reveal::Receiver,
            |run| honest(union::run(mqrpmt, with_group(mqrpmt, run))),
            |run| {
                let run = with_group(mqrpmt, run);
                let hits = mqrpmt.p1(&run.input, &mut run.means).expect("honest").bits();
                let bits = all_set(&hits.e);
                let rows = transfer::receive_one_sided(&mut run.means, Role::Sender, &bits, WIDTH);
                (rows.expect("honest"), hits)
            },
        );
        assert_eq!(sender.ok(), Some(Outcome::Nothing), "the sender notices nothing");
        let (got, _) = rows.as_chunks::<WIDTH>();
        let all: BTreeSet<[u8; WIDTH]> = numbers(Role::Sender).map(item).collect();
        assert_eq!(got.iter().copied().collect::<BTreeSet<_>>(), all);
        let common = got.iter().zip(&hits.e).filter(|(_, e)| **e).map(|(row, _)| *row);
        let expected: BTreeSet<_> =
            numbers(Role::Sender).filter(|n| is_common(*n)).map(item).collect();
        assert_eq!(common.collect::<BTreeSet<_>>(), expected, "and knows which are common");
    }
}

/// "A receiver that cheats can test any number of guesses against all of the sender's keys, unnoticed."
#[test]
fn a_receiver_of_an_intersection_that_sets_all_bits_can_test_guesses() {
    const GUESSES: usize = 10_000;
    let bits = name_bits(COUNT, COUNT);
    for mqrpmt in MQRPMTS {
        let (sender, got) = meet(
            Reveal::Receiver,
            |run| honest(intersect::run(mqrpmt, with_group(mqrpmt, run))),
            |run| {
                let run = with_group(mqrpmt, run);
                let hits = mqrpmt.p1(&run.input, &mut run.means).expect("honest").bits();
                let set = all_set(&hits.e);
                let width = value_width(bits);
                let got = transfer::receive_one_sided(&mut run.means, Role::Sender, &set, width);
                let got = got.expect("honest");
                let names = got.chunks_exact(width).map(|name| value_of(name, bits).expect("fits"));
                names.collect::<BTreeSet<u128>>()
            },
        );
        assert_eq!(sender.ok(), Some(Outcome::Nothing), "the sender notices nothing");
        let guesses: Vec<_> = (0..GUESSES).map(element).collect();
        let guesses = names(&guesses, bits);
        let read = (0..GUESSES).zip(guesses.iter()).filter(|(_, name)| got.contains(*name));
        assert!(read.map(|(number, _)| number).eq(numbers(Role::Sender)));
    }
}

/// "A side that cheats can learn which of its keys match, unnoticed": a receiver does with a key for each of its elements.
#[test]
fn a_receiver_of_a_count_with_many_keys_learns_which_match() {
    let (sender, matched) = meet(
        Reveal::Both,
        |run| honest(count::run(MqRpmt::CwPrf, run)),
        |run| {
            let terms = SetTerms::new(run.input.choices.digest(), COUNT, COUNT);
            let keys: Vec<_> = (0..COUNT).map(|_| Curve25519Prf::generate(run.means.rng)).collect();
            let own = keys.iter().zip(&*run.input.elements);
            let own = own.flat_map(|(key, element)| key.hash_and_evaluate(&[*element])).collect();
            run.means.channel.put(&Points(own)).expect("open");
            let Points(theirs) = run.means.channel.take(&COUNT).expect("honest");
            let set = terms.take(run.means.channel).expect("honest");
            let mut matched = Vec::new();
            for (number, key) in numbers(Role::Receiver).zip(&keys) {
                let queries = values_under(key, &theirs, terms.bits());
                matched.extend((weight(&set.holds(&queries).e) > 0).then_some(number));
            }
            run.means.channel.put(&Total(matched.len() as u64)).expect("open");
            matched
        },
    );
    assert_eq!(sender.ok(), Some(Outcome::Count((COUNT - FIRST) as u64)), "which notices nothing");
    assert!(matched.into_iter().eq(numbers(Role::Receiver).filter(|number| is_common(*number))));
}

fn values_under(key: &Curve25519Prf, points: &[[u8; 32]], bits: u32) -> Vec<u128> {
    let points = key.evaluate(points).expect("honest");
    points.iter().map(|point| value(point, bits)).collect()
}

/// "The owner of the values takes count and sums from the other side on trust": bits that are all set add all of its values up.
/// The receiver sees masked numbers alone.
#[test]
fn a_receiver_of_a_sum_decides_which_values_are_added() {
    static OWNED: LazyLock<Vec<i128>> =
        LazyLock::new(|| (0..COUNT as i128).map(|value| value * value - 7).collect());
    let (sender, words) = meet(
        Reveal::Both,
        |run| {
            run.input.attached =
                Attached::Values { columns: 1, products: 0, words: &OWNED, groups: None };
            honest(sum::run(MqRpmt::CwPrf, run))
        },
        |run| {
            let hits = MqRpmt::CwPrf.p1(&run.input, &mut run.means).expect("honest").bits();
            let bits = all_set(&hits.e);
            let words = transfer::receive_correlated(&mut run.means, &bits, 1, Sharing::Additive);
            let words = words.expect("honest");
            run.means.channel.put(&Total(COUNT as u64)).expect("open");
            run.means.channel.put(&sum::Words(sum::sums(&words, 1))).expect("open");
            words.to_vec()
        },
    );
    let (count, sums) = (COUNT as u64, vec![OWNED.iter().sum()]);
    assert_eq!(sender.ok(), Some(Outcome::Sums { count, sums }));
    assert!(words.iter().all(|word| !OWNED.contains(&(*word as i128))));
}
