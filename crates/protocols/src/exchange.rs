//! The round that every Diffie–Hellman protocol begins with: both sides send `F_k(H(·))` of their sets and put the
//! second key on what arrives.

use veilset_channel::{Channel, ChannelExt, Malformed, Message, PeerFault};
use veilset_crypto::{CommutativePrf, Element, Point};

use crate::wire::{Blinded, POINTS_A_FRAME, frames, point_chunks, size};
use crate::{Observer, PartyCost, ProtocolError};

/// Sends `own` blinded, in the order of `order`; returns the [`value`]s of the peer's elements under both keys, in the
/// peer's order.
///
/// Chunk for chunk, so that each side computes while the other's bytes fly and neither runs ahead of the bounded
/// queues.
pub(crate) fn exchange_blinded(
    channel: &mut dyn Channel,
    prf: &dyn CommutativePrf,
    own: (&[Element], &[u32]),
    peer: (usize, u32),
    observer: &dyn Observer,
) -> Result<Vec<u128>, ProtocolError> {
    let ((elements, order), (peer_count, bits)) = (own, peer);
    let (outgoing, incoming) = (point_chunks(elements.len()), point_chunks(peer_count));
    let mut doubled = Vec::with_capacity(peer_count.min(POINTS_A_FRAME));
    channel.phase("blinded elements");
    observer.begin("blinded elements", (elements.len() + peer_count) as u64);
    for chunk in 0..outgoing.count().max(incoming.count()) {
        if let Some(range) = outgoing.range(chunk) {
            let chosen: Vec<Element> =
                order[range].iter().map(|index| elements[*index as usize]).collect();
            channel.put(&Blinded(prf.hash_and_evaluate(&chosen)))?;
            observer.advance(chosen.len() as u64);
        }
        if let Some(range) = incoming.range(chunk) {
            let Blinded(points) = channel.take(&range.len())?;
            doubled.extend(second_key(prf, &points)?.iter().map(|point| value(point, bits)));
            observer.advance(points.len() as u64);
        }
    }
    Ok(doubled)
}

fn second_key(prf: &dyn CommutativePrf, points: &[Point]) -> Result<Vec<Point>, PeerFault> {
    prf.evaluate(points)
        .map_err(|_| PeerFault::Malformed { what: Blinded::TAG.name, why: Malformed::NotAnElement })
}

/// The value by which a point is compared and sent back: `bits` bits of its BLAKE3 digest.
///
/// An encoded point is far from a uniform string (one coordinate of a curve over a field of special form), and what its
/// low bits collide with depends on the group. A random oracle's output does not: values of different points are
/// independent and uniform, which is what `veilset_structures::match_bits` counts on and a simulator samples.
fn value(point: &[u8], bits: u32) -> u128 {
    let digest = blake3::hash(point);
    let low: [u8; 16] = std::array::from_fn(|index| digest.as_bytes()[index]);
    u128::from_le_bytes(low) & (u128::MAX >> (u128::BITS - bits))
}

/// What the exchange costs a side that has `own` elements and sends `more` bytes in the rounds that follow.
pub(crate) fn party_cost(own: u64, peer: u64, more: f64) -> PartyCost {
    let blinded = 32.0 * own as f64 + frames(point_chunks(size(own)).count());
    PartyCost {
        multiplications: own as f64 + peer as f64,
        maps: own as f64,
        bytes_sent: blinded + more,
        memory: 20.0 * own as f64 + 16.0 * peer as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_front_of_the_digest() {
        // BLAKE3 of no input, from its published vectors: af1349b9 f5f9a1a6 a0404dea 36dcc949 …
        let whole = 0x49c9_dc36_ea4d_40a0_a6a1_f9f5_b949_13af;
        assert_eq!([value(&[], 128), value(&[], 8), value(&[], 9)], [whole, 0xaf, 0x1af]);
    }
}
