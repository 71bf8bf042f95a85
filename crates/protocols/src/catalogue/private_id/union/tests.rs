//! Sides that put other identifiers into the union, or take others, than the protocol says.

use std::collections::BTreeSet;

use super::*;
use crate::catalogue::private_id::{exchange_evaluated, exchange_masked, play};
use crate::kit::cheats::{COUNT, FIRST, honest, is_common, meet, numbers};
use crate::{Identifier, Reveal};

/// What a side has after steps 1 and 2, its elements in their own order.
struct Begun {
    keys: DistributedPrf,
    evaluated: Vec<Point>,
    points: Vec<Point>,
    own: Identifiers,
}

fn begin(run: &mut Run<'_>) -> Begun {
    let keys = DistributedPrf::generate(run.means.rng);
    let order: Vec<u32> = (0..).take(COUNT).collect();
    let evaluated = exchange_masked(run, &keys, &order).expect("honest").to_vec();
    let points = exchange_evaluated(run, &keys, &evaluated).expect("honest").to_vec();
    let own = Identifiers::new(&points, 2 * COUNT);
    Begun { keys, evaluated, points, own }
}

fn identifiers(outcome: Result<Outcome, ProtocolError>) -> (Vec<Identifier>, Vec<Identifier>) {
    match outcome {
        Ok(Outcome::Identifiers { own, others }) => (own, others),
        other => panic!("{other:?}"),
    }
}

/// What a sender transfers that puts `items` in the place of its identifiers, and the union that it gets.
fn sender_with(
    run: &mut Run<'_>,
    items: impl Fn(&[u128], u32) -> Vec<u128>,
) -> (Vec<u128>, Vec<u128>) {
    let Begun { evaluated, points, own, .. } = begin(run);
    let rho = send_queries(run, &points, &evaluated).expect("honest");
    let items = items(&own.short, own.bits);
    let width = value_width(own.bits);
    let all = gathered(&rho, width, |index| items[index].to_le_bytes());
    transfer::send_one_sided(&mut run.means, Role::Sender, &all, width).expect("honest");
    let union = take_union(run, own.bits).expect("the receiver sends it, whatever it took");
    (items, union)
}

/// "A side that cheats can learn which of its keys match, unnoticed."
#[test]
fn a_sender_with_other_identifiers_learns_which_of_its_elements_match() {
    let ((planted, union), receiver) = meet(
        Reveal::Both,
        |run| sender_with(run, |own, _| own.iter().map(|short| short ^ 1).collect()),
        |run| honest(play(run)),
    );
    let (own, others) = identifiers(receiver);
    assert_eq!((own.len(), others.len()), (COUNT, FIRST), "the receiver notices nothing");
    let union: BTreeSet<u128> = union.into_iter().collect();
    let common = (0..COUNT).filter(|number| !union.contains(&planted[*number]));
    assert!(common.eq(numbers(Role::Sender).filter(|number| is_common(*number))));
}

/// The same of a receiver, which takes all and compares.
#[test]
fn a_receiver_that_takes_all_identifiers_learns_which_of_its_elements_match() {
    let (sender, matched) = meet(
        Reveal::Both,
        |run| honest(play(run)),
        |run| {
            let Begun { keys, own, .. } = begin(run);
            let terms = set_terms(run, COUNT, COUNT);
            let set = terms.take(run.means.channel).expect("honest");
            let Points(points) = run.means.channel.take::<Points<Point>>(&COUNT).expect("honest");
            let queries = keys.remask(&points).expect("honest");
            let hits = set.holds(&values(&queries, terms.bits()).collect::<Vec<_>>());
            let width = value_width(own.bits);
            let all =
                transfer::receive_one_sided(&mut run.means, Role::Sender, &[true; COUNT], width);
            let all = all.expect("honest");
            let all: Vec<u128> =
                all.chunks(width).map(|item| low_bits_of(item, own.bits)).collect();
            let lacking = all.iter().zip(&hits.e).filter(|(_, e)| !**e).map(|(short, _)| *short);
            put_union(run, &own, &lacking.collect::<Vec<_>>()).expect("open");
            let matched = numbers(Role::Receiver).zip(&own.short);
            let matched = matched.filter(|(_, short)| all.contains(short));
            matched.map(|(number, _)| number).collect::<Vec<_>>()
        },
    );
    let (own, others) = identifiers(sender);
    assert_eq!((own.len(), others.len()), (COUNT, FIRST), "the sender notices nothing");
    assert!(matched.into_iter().eq(numbers(Role::Receiver).filter(|number| is_common(*number))));
}

/// A spare bit of an identifier is nothing that a receiver stops at, whether it took that identifier or not.
#[test]
fn a_spare_bit_does_not_tell_whether_it_was_taken() {
    for target in [0, COUNT - 1] {
        let spare = |own: &[u128], bits: u32| {
            assert!(!bits.is_multiple_of(8), "identifiers of {bits} bits have no spare one");
            let mut items = own.to_vec();
            items[target] |= 1 << bits;
            items
        };
        let ((_, union), receiver) =
            meet(Reveal::Both, |run| sender_with(run, spare), |run| honest(play(run)));
        let (_, others) = identifiers(receiver);
        assert_eq!((union.len(), others.len()), (COUNT + FIRST, FIRST), "element {target}");
    }
}

/// A union without an identifier that both have is nothing that a sender stops at before the run is over: whether it has it is
/// what the receiver would learn.
#[test]
fn a_union_that_lacks_an_element_is_an_error_of_the_conclusion() {
    for dropped in [0, COUNT - 1] {
        let (sender, ()) = meet(Reveal::Both, play, |run| {
            let Begun { keys, mut own, .. } = begin(run);
            own.short.remove(dropped);
            let others = receive_union(run, &keys, &own);
            assert!(others.is_ok());
        });
        let conclude = sender.expect("it ends like any other run");
        assert_eq!(conclude().is_err(), is_common(FIRST + dropped), "element {dropped}");
    }
}
