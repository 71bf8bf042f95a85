//! Intersect: one-sided OT of `x_i` by `e_i`.
//!
//! An element crosses as a value of λ + log₂ n₁ + log₂ n₂ bits, a digest of the element keyed by the session: as wide as
//! the receiver needs to recognise its own, so that it cannot mistake one in a whole run but for 2^-40.

use veilset_structures::match_bits;

use super::transfer::{self, one_sided_cost};
use super::{Order, and, shuffled_client};
use crate::exchange::value;
use crate::mqrpmt::Engine;
use crate::wire::{bits_bytes, put_bits, size, take_bits, value_width};
use crate::{Conclusion, Cost, Outcome, PartyCost, ProtocolError, Reveal, Role, Run, Shape};

pub(super) fn run(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.role {
        Role::Receiver => receiver(engine, run),
        Role::Sender => sender(engine, run),
    }
}

fn receiver(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let width = value_width(match_bits(run.elements.len(), run.peer_count));
    let hits = engine.server(run)?.bits();
    let received = transfer::receive_one_sided(run, Role::Sender, &hits.e, width)?;
    if run.reveal == Reveal::Both {
        run.channel.phase("indication");
        put_bits(run.channel, &hits.e)?;
    }
    let mut own: Vec<(Vec<u8>, u32)> =
        (0..).zip(run.elements).map(|(index, element)| (name(&element.0, width), index)).collect();
    Ok(Box::new(move || {
        hits.fault()?;
        own.sort_unstable();
        let find = |name: &[u8]| {
            let place = own.binary_search_by(|(own, _)| own.as_slice().cmp(name)).ok()?;
            Some(own[place].1)
        };
        let names =
            received.chunks_exact(width).zip(&hits.e).filter_map(|(name, e)| e.then_some(name));
        let mut matched: Vec<u32> = names.filter_map(find).collect();
        matched.sort_unstable();
        matched.dedup();
        Ok(Outcome::Matched(matched))
    }))
}

fn sender(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let width = value_width(match_bits(run.elements.len(), run.peer_count));
    let order = shuffled_client(engine, run)?;
    let names: Vec<u8> =
        order.iter().flat_map(|index| name(&run.elements[*index as usize].0, width)).collect();
    transfer::send_one_sided(run, Role::Sender, &names, width)?;
    if run.reveal == Reveal::Receiver {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    run.channel.phase("indication");
    let e = take_bits(run.channel, run.elements.len())?;
    Ok(Box::new(move || Ok(Outcome::Matched(in_order(&order, &e)))))
}

/// The elements whose bits are set.
fn in_order(order: &Order, e: &[bool]) -> Vec<u32> {
    let mut matched: Vec<u32> =
        order.iter().zip(e).filter_map(|(index, e)| e.then_some(*index)).collect();
    matched.sort_unstable();
    matched
}

/// What of an element crosses.
fn name(element: &[u8], width: usize) -> Vec<u8> {
    value(element, u128::BITS).to_le_bytes()[..width].to_vec()
}

pub(super) fn cost(base: Cost, shape: &Shape) -> Cost {
    let width = value_width(match_bits(size(shape.receiver), size(shape.sender)));
    let (sender, receiver, rounds) = one_sided_cost(shape.sender, width);
    let cost = and(base, sender, receiver, rounds);
    match shape.reveal {
        Reveal::Receiver => cost,
        Reveal::Both => {
            let bits = PartyCost { bytes_sent: bits_bytes(shape.sender), ..PartyCost::default() };
            and(cost, PartyCost::default(), bits, 1)
        }
    }
}
