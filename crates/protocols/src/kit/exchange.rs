//! The moves that every Diffie–Hellman protocol is made of: elements under one's own key go out, and the second key goes
//! on what arrives.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt, Chunks, Malformed, Message, PeerFault};
use veilset_crypto::{CommutativePrf, Element, Evaluating, NotAnElement, Underway};
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
    let mut blinded = Blinded::new(prf, own);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(blinded.next(range.clone())))?;
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

/// Elements under one's own key, made in batches of which several chunks may be sent.
struct Blinded<'a, F: CommutativePrf> {
    prf: &'a F,
    own: Ordered<'a>,
    /// Places whose points were begun.
    begun: usize,
    /// Batches that a device makes meanwhile, the next first.
    underway: VecDeque<Underway<'a, Vec<F::Point>>>,
    /// The last batch that was made.
    made: Vec<F::Point>,
    /// Points of it that were sent.
    sent: usize,
}

impl<'a, F: CommutativePrf> Blinded<'a, F> {
    fn new(prf: &'a F, own: Ordered<'a>) -> Self {
        Self { prf, own, begun: 0, underway: VecDeque::new(), made: Vec::new(), sent: 0 }
    }

    /// The points in these places, which follow those before.
    fn next(&mut self, places: Range<usize>) -> Vec<F::Point> {
        if self.sent == self.made.len() {
            self.begin(places.len());
            self.made = self.underway.pop_front().map(Underway::finish).unwrap_or_default();
            self.sent = 0;
        }
        if places.len() == self.made.len() {
            return mem::take(&mut self.made);
        }
        let first = self.sent;
        self.sent = self.made.len().min(first + places.len());
        self.made[first..self.sent].to_vec()
    }

    /// Begins the next batch, and those that go on while it is sent.
    fn begin(&mut self, chunk: usize) {
        let (count, batch) = (self.own.order.len(), F::batch().next_multiple_of(chunk));
        while self.underway.len() <= F::ahead() && self.begun < count {
            let end = (self.begun + batch).min(count);
            let elements = self.own.chosen(self.begun..end);
            self.underway.push_back(self.prf.start_hashing(elements));
            self.begun = end;
        }
    }
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
    let mut doubled = Doubled::new(prf, theirs);
    exchange(means, prf, own, doubled.shape.count, |points| doubled.add(points))?;
    Ok(doubled.values)
}

/// The [`value`]s of the peer's elements under both keys, evaluated in batches.
struct Doubled<'a, F: CommutativePrf> {
    prf: &'a F,
    shape: ValuesShape,
    /// Points that do not fill a batch yet.
    waiting: Vec<F::Point>,
    /// Points that arrived.
    arrived: usize,
    /// Batches that a device evaluates meanwhile, the next first.
    underway: VecDeque<Evaluating<'a, F::Point>>,
    values: Vec<u128>,
}

impl<'a, F: CommutativePrf> Doubled<'a, F> {
    fn new(prf: &'a F, shape: ValuesShape) -> Self {
        let values = Vec::with_capacity(shape.count);
        Self { prf, shape, waiting: Vec::new(), arrived: 0, underway: VecDeque::new(), values }
    }

    /// Takes a chunk of the peer's points; with the last one all values are there.
    fn add(&mut self, mut points: Vec<F::Point>) -> Result<(), PeerFault> {
        self.arrived += points.len();
        if self.waiting.is_empty() {
            self.waiting = points;
        } else {
            self.waiting.append(&mut points);
        }
        let last = self.arrived == self.shape.count;
        if self.waiting.len() >= F::batch() || last {
            self.underway.push_back(self.prf.start_evaluating(mem::take(&mut self.waiting)));
        }
        let ahead = if last { 0 } else { F::ahead() };
        while self.underway.len() > ahead {
            let Some(next) = self.underway.pop_front() else { break };
            let points = next.finish().map_err(not_an_element)?;
            self.values.par_extend(values(&points, self.shape.bits));
        }
        Ok(())
    }
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

    /// A function whose batches are larger than chunks, and of which two go on while another is sent.
    struct InTens;

    impl CommutativePrf for InTens {
        type Point = [u8; 32];

        const LEN: usize = 32;

        fn generate(_: &mut dyn rand_core::CryptoRng) -> Self {
            Self
        }

        fn batch() -> usize {
            10
        }

        fn ahead() -> usize {
            2
        }

        fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<[u8; 32]> {
            // Three chunks of four, but at the end.
            assert!([12, 59 - 4 * 12].contains(&elements.len()));
            elements.iter().map(|element| element.0).collect()
        }

        fn evaluate(&self, points: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, NotAnElement> {
            match points.iter().position(|point| *point == [99; 32]) {
                Some(index) => Err(NotAnElement { index }),
                None => Ok(points.to_vec()),
            }
        }
    }

    #[test]
    fn batches_larger_than_chunks_go_out_in_order() {
        let elements: Vec<_> = (0..59).map(|index| Element([index; 32])).collect();
        let order: Vec<u32> = (0..59).rev().collect();
        let own = Ordered { elements: &elements, order: &order };
        let mut blinded = Blinded::new(&InTens, own);
        let chunks = Chunks::new(59, 4).ranges().map(|places| blinded.next(places));
        let sent: Vec<u8> = chunks.flatten().map(|point| point[0]).collect();
        assert_eq!(sent, (0..59).rev().collect::<Vec<u8>>());
    }

    #[test]
    fn batches_are_evaluated_in_order_and_one_that_is_refused_ends_the_run() {
        let points: Vec<_> = (0..59).map(|index| [index; 32]).collect();
        let mut doubled = Doubled::new(&InTens, ValuesShape { count: 59, bits: 64 });
        points.chunks(4).for_each(|chunk| doubled.add(chunk.to_vec()).expect("points"));
        let expected: Vec<u128> = points.iter().map(|point| value(point, 64)).collect();
        assert_eq!(doubled.values, expected);

        // The fourth batch has it, and two go on meanwhile.
        let mut doubled = Doubled::new(&InTens, ValuesShape { count: 59, bits: 64 });
        let mut answers = points.chunks(4).map(|chunk| {
            let wrong = if chunk[0] == [36; 32] { [99; 32] } else { chunk[0] };
            doubled.add([&[wrong], &chunk[1..]].concat())
        });
        assert!(answers.by_ref().take(14).all(|answer| answer == Ok(())));
        assert_eq!(answers.next(), Some(Err(not_an_element(NotAnElement { index: 0 }))));
    }

    #[test]
    fn a_value_is_the_front_of_the_digest() {
        // BLAKE3 of no input, from its published vectors: af1349b9 f5f9a1a6 a0404dea 36dcc949 …
        let whole = 0x49c9_dc36_ea4d_40a0_a6a1_f9f5_b949_13af;
        assert_eq!([value(&[], 128), value(&[], 8), value(&[], 9)], [whole, 0xaf, 0x1af]);
    }
}
