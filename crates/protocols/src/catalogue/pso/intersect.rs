//! Intersect: one-sided OT of `x_i` by `e_i`.
//!
//! An element crosses as a value of λ + log₂ n₁ + log₂ n₂ bits, a digest of the element keyed by the session: as wide as
//! the receiver needs to recognise its own, so that it cannot mistake one in a whole run but for 2^-40.

use rayon::prelude::*;
use veilset_crypto::Element;
use veilset_structures::match_bits;
use zeroize::Zeroizing;

use super::{and, shuffled_p2};
use crate::kit::exchange::value;
use crate::kit::indication::{hear_bits, tell_bits};
use crate::kit::membership::{VALUES_A_TASK, membership, sort};
use crate::kit::mqrpmt::MqRpmt;
use crate::kit::transfer::{self, gathered, one_sided_cost};
use crate::kit::wire::{bits_bytes, size, value_of, value_width};
use crate::{Conclusion, Cost, Outcome, PartyCost, ProtocolError, Reveal, Role, Run, Shape};

pub(super) fn run(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.side.role {
        Role::Receiver => receiver(mqrpmt, run),
        Role::Sender => sender(mqrpmt, run),
    }
}

fn receiver(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let bits = name_bits(run.input.elements.len(), run.input.peer_count);
    let width = value_width(bits);
    let hits = mqrpmt.p1(&run.input, &mut run.means)?.bits();
    let received = transfer::receive_one_sided(&mut run.means, Role::Sender, &hits.e, width)?;
    tell_bits(run.side, &mut run.means, &hits.e)?;
    let own = names(&run.input.elements, bits);
    Ok(Box::new(move || {
        hits.fault()?;
        let matched = received.par_chunks_exact(width).zip(&hits.e).filter(|(_, e)| **e);
        let matched = matched.filter_map(|(name, _)| value_of(name, bits).ok());
        let mut matched = Zeroizing::new(matched.collect::<Vec<u128>>());
        sort(&mut matched);
        let e = membership(&own, &matched).e;
        Ok(Outcome::Matched((0..).zip(e).filter_map(|(index, e)| e.then_some(index)).collect()))
    }))
}

fn sender(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let bits = name_bits(run.input.elements.len(), run.input.peer_count);
    let order = shuffled_p2(mqrpmt, run)?;
    let width = value_width(bits);
    let names = names(&run.input.elements, bits);
    let names = gathered(&order, width, |index| names[index].to_le_bytes());
    transfer::send_one_sided(&mut run.means, Role::Sender, &names, width)?;
    hear_bits(run.side, &mut run.means, order)
}

/// What crosses of each element.
pub(super) fn names(elements: &[Element], bits: u32) -> Zeroizing<Vec<u128>> {
    let elements = elements.par_iter().with_min_len(VALUES_A_TASK);
    Zeroizing::new(elements.map(|element| value(&element.0, bits)).collect())
}

/// Bits of what crosses of an element: as many as whole bytes hold of what is needed.
pub(super) fn name_bits(n1: usize, n2: usize) -> u32 {
    match_bits(n1, n2).next_multiple_of(8)
}

pub(super) fn cost(mqrpmt: MqRpmt, shape: &Shape) -> Cost {
    let width = value_width(match_bits(size(shape.receiver), size(shape.sender)));
    let (sender, receiver, rounds) = one_sided_cost(shape.sender, width);
    let cost = and(mqrpmt.cost(shape), sender, receiver, rounds);
    match shape.reveal {
        Reveal::Receiver => cost,
        Reveal::Both => {
            let bits = PartyCost { bytes_sent: bits_bytes(shape.sender), ..PartyCost::default() };
            and(cost, PartyCost::default(), bits, 1)
        }
    }
}
