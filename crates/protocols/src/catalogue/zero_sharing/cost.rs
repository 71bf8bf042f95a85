//! What runs cost.

use std::collections::BTreeSet;

use veilset_crypto::{Element, Group};
use veilset_structures::okvs::OkvsShape;

use super::leader_pivot::{KEY, KIND_OF_PAIRS};
use super::{all_but_one as all, announcement, choices, leader_pivot as two, overlaps};
use crate::kit::mqrpmt::MqRpmt;
use crate::kit::store::{DECODED, ENCODED, KIND, Width, bytes, over, store_bytes};
use crate::kit::vole_intersection;
use crate::kit::vole_oprf;
use crate::kit::wire::frames;
use crate::{Cost, MultipartyCost, Parties, PartyCost, Reveal, Shape};

/// Passes of a keyed hash.
const HASHED: f64 = 0.4;

/// Bytes of an element.
const ELEMENT: f64 = Element::LEN as f64;

fn sent(bytes: f64) -> PartyCost {
    PartyCost { bytes_sent: bytes, in_turn: bytes, ..PartyCost::default() }
}

fn computed(passes: f64) -> PartyCost {
    PartyCost { passes, ..PartyCost::default() }
}

/// What the leader sends to those who learn.
fn announced(cost: &mut MultipartyCost, parties: &Parties<'_>, bytes: impl Fn(usize) -> f64) {
    let leader = parties.leader;
    let told = parties.places().filter(|to| *to != leader && parties.learners[*to]);
    for to in told {
        cost.add_to(to, leader, sent(bytes(to)));
        cost.parties[to].memory += TOLD * parties.sizes[leader] as f64;
    }
}

/// Bytes that a value of the leader takes at a party that is told: the value, who asks for it, and its place in an index.
const TOLD: f64 = 16.0 + 4.0 + 4.0;

/// Adds what the leader holds of the stores of these parties: a sum for each of their sizes.
fn and_stores(
    cost: &mut MultipartyCost,
    parties: &Parties<'_>,
    width: Width,
    from: impl Iterator<Item = usize>,
) {
    let sizes: BTreeSet<usize> = from.map(|other| parties.sizes[other]).collect();
    let lens = sizes.iter().map(|size| OkvsShape::new(KIND, *size).len() as f64);
    cost.parties[parties.leader].memory += width_bytes(width) * lens.sum::<f64>();
}

/// What stays beside a protocol of two in the meantime: so many bytes for each of a party's elements.
fn and_memory(cost: &mut MultipartyCost, parties: &Parties<'_>, kept: f64) {
    for (party, size) in cost.parties.iter_mut().zip(parties.sizes) {
        party.memory += kept * *size as f64;
    }
}

/// Bytes of a field's element.
fn width_bytes(width: Width) -> f64 {
    over!(width, B => bytes::<B>() as f64)
}

pub(super) fn all_but_one(parties: &Parties<'_>) -> MultipartyCost {
    let Parties { sizes, leader, .. } = *parties;
    let mut cost = MultipartyCost::nothing(sizes.len());
    let width = all::width(parties);
    let evaluated = all::evaluated(parties) as u64;
    for holder in parties.places().filter(|holder| *holder != leader) {
        for asker in parties.places().filter(|asker| *asker != holder) {
            let (points, own) = (sizes[asker] as u64, sizes[holder] as u64);
            let (sender, receiver) = vole_oprf::cost_among(points, own, evaluated);
            cost.add_to(asker, holder, sender);
            cost.add_to(holder, asker, receiver);
        }
        let store = sent(over!(width, B => store_bytes::<B>(sizes[holder])));
        cost.add_to(leader, holder, store.and(computed(ENCODED * sizes[holder] as f64)));
    }
    cost.add(leader, computed(DECODED * sizes[leader] as f64));
    // Between two of whom neither is the leader.
    cost.rounds = 2 * vole_oprf::ROUNDS;
    announced(&mut cost, parties, |to| announcement::set(parties, to).bytes());
    and_stores(&mut cost, parties, width, parties.places().filter(|other| *other != leader));
    // The elements, the sums, and the encoded question with its rows' keys; a store, too, in the end.
    and_memory(&mut cost, parties, ELEMENT + 16.0 + 3.0 * width_bytes(width));
    cost
}

pub(super) fn leader_pivot(parties: &Parties<'_>) -> MultipartyCost {
    let compared = |shape: &Shape| {
        longer(
            vole_intersection::cost(KIND_OF_PAIRS, shape),
            shape.sender,
            two::SLACK + parties.slack,
        )
    };
    let mut cost = shared(parties, Group::Ristretto255, compared);
    announced(&mut cost, parties, |to| announcement::set(parties, to).bytes());
    cost
}

pub(super) fn leader_pivot_count(parties: &Parties<'_>) -> MultipartyCost {
    let mut cost =
        shared(parties, Group::Curve25519, |shape| tested(shape, two::SLACK + parties.slack));
    announced(&mut cost, parties, |_| 8.0 + frames(1));
    cost
}

pub(super) fn overlaps(parties: &Parties<'_>) -> MultipartyCost {
    let Parties { sizes, leader, pivot, .. } = *parties;
    let slack = overlaps::more(parties) + parties.slack;
    let mut cost = match parties.has_an_empty_set() {
        true => MultipartyCost::nothing(sizes.len()),
        false => shared(parties, Group::Curve25519, |shape| tested(shape, slack)),
    };
    // Nobody is told by the leader alone.
    let of_all = cost.rounds.saturating_sub(u64::from(parties.learners[pivot]));
    let mut of_two = 0;
    for low in parties.places() {
        for high in low + 1..sizes.len() {
            if sizes[low] == 0 || sizes[high] == 0 {
                continue;
            }
            let between = tested(&shape_between(sizes[high], sizes[low]), slack);
            let all_meet = of_all > 0 && [low, high] == [leader.min(pivot), leader.max(pivot)];
            of_two = of_two.max(between.rounds + if all_meet { of_all } else { 0 });
            cost.add_to(low, high, between.sender);
            cost.add_to(high, low, between.receiver);
        }
        let own = overlaps::told(parties, low) * overlaps::NUMBER;
        let told = own as f64 + frames(usize::from(own > 0)) + 32.0 + frames(1);
        for other in parties.places().filter(|other| *other != low) {
            cost.add_to(other, low, sent(told));
        }
    }
    cost.rounds = of_two + 1;
    cost
}

/// A test by mqRPMT whose values are so many bits longer.
fn tested(shape: &Shape, slack: u32) -> Cost {
    longer(MqRpmt::CwPrf.cost(shape), shape.receiver, slack)
}

/// A run of two in which the sender's set of so many values has so many bits more of each.
fn longer(run: Cost, values: u64, bits: u32) -> Cost {
    let more = values as f64 * f64::from(bits) / 8.0;
    Cost { sender: run.sender.and(sent(more)), ..run }
}

/// A run of two, and how many elements each has.
fn shape_between(sender: usize, receiver: usize) -> Shape {
    Shape::of_sets(sender as u64, receiver as u64, Reveal::Receiver, choices(Group::Curve25519))
}

/// Stores, keys and the comparison of leader and pivot.
fn shared(
    parties: &Parties<'_>,
    group: Group,
    compared: impl Fn(&Shape) -> Cost,
) -> MultipartyCost {
    let Parties { sizes, leader, pivot, .. } = *parties;
    let mut cost = MultipartyCost::nothing(sizes.len());
    let width = two::width(parties);
    for other in parties.places().filter(|other| *other != leader && *other != pivot) {
        let passes = computed((ENCODED + HASHED) * sizes[other] as f64);
        cost.add_to(
            leader,
            other,
            sent(over!(width, B => store_bytes::<B>(sizes[other]))).and(passes),
        );
        cost.add_to(pivot, other, sent(KEY as f64 + frames(1)));
        cost.add(pivot, computed(HASHED * sizes[pivot] as f64));
    }
    cost.add(leader, computed((DECODED + HASHED) * sizes[leader] as f64));
    let shape = shape_between(sizes[pivot], sizes[leader]);
    let between = compared(&Shape { choices: choices(group), ..shape });
    cost.add_to(leader, pivot, between.sender);
    cost.add_to(pivot, leader, between.receiver);
    cost.rounds = between.rounds + u64::from(parties.learners[pivot]);
    let others = parties.places().filter(|other| *other != leader && *other != pivot);
    and_stores(&mut cost, parties, width, others);
    // The elements, and the values of a store with it.
    and_memory(&mut cost, parties, ELEMENT + 16.0 + 3.0 * width_bytes(width));
    cost
}
