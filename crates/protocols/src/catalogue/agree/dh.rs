//! Private matching from Diffie–Hellman on ristretto255.
//!
//! With `F` the commutative weak permutation and `H` the map to the group, each side draws a key k to show with and a key s
//! to mask with. Before the rounds, once, both ways:
//!
//! 1. Send `F_s(H(i, a_i))` for the entry in each place i, and `F_k'` of what the peer sent, with k' one's own key to show.
//! 2. Take the mask off: `F_k(H(i, a_i))` for the peer's k, of one entry a place.
//!
//! In a round the side that shows sends, for each pair (i, j), a digest of `F_k(H(i, b_j))`: its entry b_j under its
//! key, in the *tester's* place i. The tester compares it with what it has for place i.
//!
//! **Why the places.** Twice blinded entries without them could be sent once and compared by anybody who has both,
//! all with all: a tester would see every common entry among those that rounds so far have touched, which is the whole
//! intersection after the last. With places it has one value for each i, and can test one entry against pair (i, j).
//!
//! **Security.** Semi-honest. H(i, x) are values of a random oracle at different points, so F_k of them is pseudorandom
//! under DDH, but for the n values that the tester got; a masked entry is too. So all that is shown of unequal
//! pairs can be drawn uniformly. A key that both masked and showed would send `F_k(H(i, b_i))` in advance, which tells
//! whether (i, i) is equal.

use std::ops::Range;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{CommutativePrf, CommutativePrp, Element, RistrettoPrp};
use veilset_structures::match_bits;
use zeroize::Zeroizing;

use super::matching::{Matching, Token};
use super::scheme::Pair;
use crate::kit::exchange::{Ordered, cross, exchange, not_an_element, value};
use crate::kit::wire::{Points, point_chunks, put_values, take_values};
use crate::{ProtocolError, Role, Run};

type Point = <RistrettoPrp as CommutativePrf>::Point;

/// One side of the comparator, after step 2.
pub(super) struct DiffieHellman {
    role: Role,
    own: Zeroizing<Vec<Element>>,
    key: RistrettoPrp,
    /// Of the own entries in their places, under the peer's key.
    known: Vec<Shown>,
    /// Bits of a value on the wire.
    bits: u32,
}

/// What stands for an entry under a key: the first half of a digest crosses, the second proves that one has the entry.
#[derive(Clone, Copy)]
struct Shown {
    value: u128,
    token: Token,
}

impl Shown {
    fn of(point: &Point, bits: u32) -> Self {
        let digest = blake3::hash(point);
        let token = std::array::from_fn(|index| digest.as_bytes()[size_of::<u128>() + index]);
        Self { value: value(point, bits), token }
    }
}

impl DiffieHellman {
    /// Steps 1 and 2.
    pub(super) fn new(run: &mut Run<'_>) -> Result<Self, ProtocolError> {
        let Run { side, input, means } = run;
        let (own, peer) = (input.elements.clone(), input.peer_count);
        let (mask, key) = (RistrettoPrp::generate(means.rng), RistrettoPrp::generate(means.rng));
        let placed: Zeroizing<Vec<Element>> =
            Zeroizing::new((0..).zip(&*own).map(|(place, entry)| placed(place, entry)).collect());
        let order: Vec<u32> = (0..).take(own.len()).collect();
        let mut theirs = Vec::with_capacity(peer);
        let entries = Ordered { elements: &placed, order: &order };
        exchange(means, &mask, entries, peer, |points| {
            theirs.extend(key.evaluate(&points).map_err(not_an_element)?);
            Ok(())
        })?;
        let bits = (match_bits(own.len(), peer) + input.slack).min(u128::BITS);
        let known = unmasked(means.channel, &mask, &theirs, own.len())?;
        let known = known.iter().map(|point| Shown::of(point, bits)).collect();
        Ok(Self { role: side.role, own, key, known, bits })
    }
}

#[cfg(test)]
impl DiffieHellman {
    /// Bits of a value.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// What the values that the peer shows are compared with, by place.
    pub(super) fn known_values(&self) -> Vec<u128> {
        self.known.iter().map(|known| known.value).collect()
    }
}

/// Returns the peer's entries under one's own key, and takes one's own under the peer's, without the mask.
fn unmasked(
    channel: &mut dyn Channel,
    mask: &RistrettoPrp,
    theirs: &[Point],
    own: usize,
) -> Result<Vec<Point>, ProtocolError> {
    let chunks = |count| point_chunks::<RistrettoPrp>(count);
    let mut known = Vec::with_capacity(own);
    channel.phase("elements under both keys");
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        Ok(channel.put(&Points(theirs[range].to_vec()))?)
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let Points(points) = channel.take::<Points<Point>>(&range.len())?;
        known.extend(mask.invert(&points).map_err(not_an_element)?);
        Ok(())
    };
    cross(channel, chunks(theirs.len()), chunks(own), put, take)?;
    Ok(known)
}

/// The element for an entry in the tester's place.
fn placed(place: u32, entry: &Element) -> Element {
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 entry in a place");
    hasher.update(&entry.0).update(&place.to_le_bytes());
    Element(*hasher.finalize().as_bytes())
}

/// The values of a round's pairs, and others in their stead.
pub(super) struct Prepared {
    shown: Vec<Shown>,
    decoys: Vec<u128>,
}

impl Matching for DiffieHellman {
    type Prepared = Prepared;

    fn prepare(
        &mut self,
        pairs: &[Pair],
        rng: &mut dyn CryptoRng,
    ) -> Result<Prepared, ProtocolError> {
        let tester = self.role.other();
        let entry =
            |pair: &Pair| placed(pair.place(tester), &self.own[pair.place(self.role) as usize]);
        let entries = Zeroizing::new(pairs.par_iter().map(entry).collect::<Vec<_>>());
        let points = self.key.hash_and_evaluate(&entries);
        let shown = points.iter().map(|point| Shown::of(point, self.bits)).collect();
        let mut random = vec![[0; 16]; pairs.len()];
        rng.fill_bytes(random.as_flattened_mut());
        let most = u128::MAX >> (u128::BITS - self.bits);
        let decoys = random.into_iter().map(|bytes| u128::from_le_bytes(bytes) & most).collect();
        Ok(Prepared { shown, decoys })
    }

    fn show(
        &mut self,
        channel: &mut dyn Channel,
        prepared: Prepared,
        genuine: bool,
    ) -> Result<Vec<Token>, ProtocolError> {
        let values: Vec<u128> = prepared.shown.iter().map(|shown| shown.value).collect();
        put_values(channel, if genuine { &values } else { &prepared.decoys }, self.bits)?;
        Ok(prepared.shown.iter().map(|shown| shown.token).collect())
    }

    fn test(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
    ) -> Result<Vec<Option<Token>>, ProtocolError> {
        let values = take_values(channel, pairs.len(), self.bits)?;
        let known = |pair: &Pair| self.known[pair.place(self.role) as usize];
        let tested = pairs.iter().map(known).zip(values);
        Ok(tested.map(|(known, value)| (known.value == value).then_some(known.token)).collect())
    }
}
