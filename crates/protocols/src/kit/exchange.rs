//! The moves that every Diffie–Hellman protocol is made of: elements under one's own key go out, and the second key goes
//! on what arrives.

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt, Chunks, Malformed, Message, PeerFault};
use veilset_crypto::{CommutativePrf, Element, NotAnElement};
use zeroize::Zeroizing;

use crate::kit::membership::VALUES_A_TASK;
use crate::kit::wire::{Points, ValuesShape, frames, point_chunks, size};
use crate::{Means, ProtocolError};

/// Elements in the order in which they travel.
#[derive(Clone, Copy)]
pub(crate) struct Ordered<'a> {
    pub(crate) elements: &'a [Element],
    /// The index of the element in each place.
    pub(crate) order: &'a [u32],
}

impl Ordered<'_> {
    /// The elements in these places; wiped.
    pub(crate) fn chosen(&self, places: Range<usize>) -> Zeroizing<Vec<Element>> {
        chosen(self.elements, &self.order[places])
    }
}

/// Sends `own` under the key of `prf`, and takes the peer's `peer_count` points; `each` gets every chunk of these.
///
/// In turn, so that each side computes while the other's bytes fly and neither runs ahead of the bounded queues.
pub(crate) fn exchange<F: CommutativePrf>(
    means: &mut Means<'_>,
    prf: &F,
    own: Ordered<'_>,
    peer_count: usize,
    mut each: impl FnMut(Vec<F::Point>) -> Result<(), PeerFault>,
) -> Result<(), ProtocolError> {
    let count = own.order.len();
    means.step("blinded elements", count + peer_count);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(prf.hash_and_evaluate(&own.chosen(range.clone()))))?;
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        each(channel.take::<Points<F::Point>>(&range.len())?.0)?;
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    cross(means.channel, point_chunks::<F>(count), point_chunks::<F>(peer_count), put, take)
}

/// Sends the chunks of one vector and takes those of another in turn, one chunk ahead: while it flies, the next is made.
pub(crate) fn cross(
    channel: &mut dyn Channel,
    outgoing: Chunks,
    incoming: Chunks,
    mut put: impl FnMut(&mut dyn Channel, Range<usize>) -> Result<(), ProtocolError>,
    mut take: impl FnMut(&mut dyn Channel, Range<usize>) -> Result<(), ProtocolError>,
) -> Result<(), ProtocolError> {
    if let Some(range) = outgoing.range(0) {
        put(channel, range)?;
    }
    for chunk in 0..outgoing.count().max(incoming.count()) {
        if let Some(range) = outgoing.range(chunk + 1) {
            put(channel, range)?;
        }
        if let Some(range) = incoming.range(chunk) {
            take(channel, range)?;
        }
    }
    Ok(())
}

/// The elements with these indices; wiped.
pub(crate) fn chosen(elements: &[Element], order: &[u32]) -> Zeroizing<Vec<Element>> {
    let chosen = order.par_iter().with_min_len(VALUES_A_TASK);
    Zeroizing::new(chosen.map(|index| elements[*index as usize]).collect())
}

/// As [`exchange`]; returns the [`value`]s of the peer's elements under both keys, in the peer's order. They have the
/// shape `theirs`.
pub(crate) fn exchange_blinded<F: CommutativePrf>(
    means: &mut Means<'_>,
    prf: &F,
    own: Ordered<'_>,
    theirs: ValuesShape,
) -> Result<Vec<u128>, ProtocolError> {
    let mut doubled = Vec::with_capacity(theirs.count);
    exchange(means, prf, own, theirs.count, |points| {
        let points = prf.evaluate(&points).map_err(not_an_element)?;
        doubled.par_extend(values(&points, theirs.bits));
        Ok(())
    })?;
    Ok(doubled)
}

/// What a peer is blamed for whose points are none.
pub(crate) fn not_an_element(_: NotAnElement) -> PeerFault {
    PeerFault::Malformed { what: Points::<[u8; 32]>::TAG.name(), why: Malformed::NotAnElement }
}

/// The value by which a point is compared and sent back: `bits` bits of its BLAKE3 digest.
///
/// An encoded point is far from a uniform string (one coordinate of a curve over a field of special form), and what its
/// low bits collide with depends on the group. A random oracle's output does not: values of different points are
/// independent and uniform, which is what `veilset_structures::match_bits` counts on and a simulator samples.
pub(crate) fn value(point: &[u8], bits: u32) -> u128 {
    let digest = blake3::hash(point);
    let low: [u8; 16] = std::array::from_fn(|index| digest.as_bytes()[index]);
    u128::from_le_bytes(low) & (u128::MAX >> (u128::BITS - bits))
}

/// The [`value`]s of points, in their order.
pub(crate) fn values<P: AsRef<[u8]> + Sync>(
    points: &[P],
    bits: u32,
) -> impl IndexedParallelIterator<Item = u128> {
    points.par_iter().with_min_len(VALUES_A_TASK).map(move |point| value(point.as_ref(), bits))
}

/// The bytes of `count` points of `len` bytes on the wire.
pub(crate) fn point_bytes(count: u64, len: usize) -> f64 {
    len as f64 * count as f64 + frames(crate::kit::wire::chunks_of(size(count), len).count())
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
