//! Steps 3 to 5: the union of the identifiers.

use rayon::prelude::*;
use veilset_channel::{ChannelExt, Malformed, PeerFault};
use veilset_crypto::{CommutativePrf, Curve25519Prf, DistributedPrf, Point, permutation};
use veilset_structures::{SetShape, match_bits};
use zeroize::Zeroizing;

use super::chunks;
use crate::kit::exchange::{not_an_element, point_bytes, values};
use crate::kit::membership::{Hits, sort};
use crate::kit::set_encoding::{SetTerms, put_sorted, take_sorted};
use crate::kit::transfer::{self, gathered, one_sided_cost};
use crate::kit::wire::{Points, Total, frames, low_bits_of, size, value_width};
use crate::{Identifier, Outcome, ProtocolError, Role, Run, Shape};

/// A side's short identifiers, in the order in which its elements were sent.
///
/// On the wire an identifier is as short as different ones in the union need to stay different but for 2^-40 in a whole
/// run: λ + 2·log₂ N bits for N elements, by the union bound over all pairs.
pub(super) struct Identifiers {
    bits: u32,
    short: Vec<u128>,
}

impl Identifiers {
    /// Of `points`, in a union of at most `most`.
    pub(super) fn new<P: AsRef<[u8]> + Sync>(points: &[P], most: usize) -> Self {
        let bits = match_bits(most, most);
        Self { bits, short: values(points, bits).collect() }
    }

    /// What both sides end with: `order[i]` is the element that was sent as number `i`.
    pub(super) fn outcome(&self, order: &[u32], others: &[u128]) -> Outcome {
        let mut own = vec![Identifier::default(); order.len()];
        let identifiers = self.short.par_iter().map(|short| identifier(*short));
        for (index, identifier) in order.iter().zip(identifiers.collect::<Vec<_>>()) {
            own[*index as usize] = identifier;
        }
        let mut others: Vec<Identifier> =
            others.par_iter().map(|short| identifier(*short)).collect();
        sort(&mut others);
        Outcome::Identifiers { own, others }
    }
}

/// 128 bits for a short identifier: as long in every run.
fn identifier(short: u128) -> Identifier {
    let digest = blake3::derive_key("veilset v1 identifier", &short.to_le_bytes());
    std::array::from_fn(|index| digest[index])
}

/// The short identifiers that the peer alone has, or what it is to be blamed for: known to this side alone until the run is
/// over on both, since a run that ends before would tell the peer about elements.
pub(super) type Others = Result<Vec<u128>, PeerFault>;

/// `P₁`: what `P₂` alone has.
pub(super) fn send_union(
    run: &mut Run<'_>,
    points: &[Point],
    evaluated: &[Point],
    own: &Identifiers,
) -> Result<Others, ProtocolError> {
    let rho = send_queries(run, points, evaluated)?;
    send_lacking(run, own, &rho)
}

/// Step 3 of `P₁`; the order in which its identifiers went.
fn send_queries(
    run: &mut Run<'_>,
    points: &[Point],
    evaluated: &[Point],
) -> Result<Zeroizing<Vec<u32>>, ProtocolError> {
    let terms = set_terms(run, evaluated.len(), points.len());
    let key = Curve25519Prf::generate(run.means.rng);
    run.means.observer.begin("union", (points.len() + evaluated.len()) as u64);
    let mut set = Vec::with_capacity(evaluated.len());
    for range in chunks(evaluated.len()).ranges() {
        let again = key.evaluate(&evaluated[range.clone()]).map_err(not_an_element)?;
        set.par_extend(values(&again, terms.bits()));
        run.means.observer.advance(range.len() as u64);
    }
    terms.put(run.means.channel, set, run.means.rng)?;
    let rho = permutation(points.len(), run.means.rng);
    run.means.channel.phase("identifiers under a fresh key");
    for range in chunks(points.len()).ranges() {
        let chosen: Vec<Point> =
            rho[range.clone()].par_iter().map(|index| points[*index as usize]).collect();
        run.means.channel.put(&Points(key.evaluate(&chosen).map_err(not_an_element)?))?;
        run.means.observer.advance(range.len() as u64);
    }
    Ok(rho)
}

/// Steps 4 and 5 of `P₁`, whose identifiers were looked up in the order of `rho`.
pub(super) fn send_lacking(
    run: &mut Run<'_>,
    own: &Identifiers,
    rho: &[u32],
) -> Result<Others, ProtocolError> {
    // Step 4.
    let width = value_width(own.bits);
    let items = gathered(rho, width, |index| own.short[index].to_le_bytes());
    transfer::send_one_sided(&mut run.means, Role::Sender, &items, width)?;

    // Step 5.
    let union = take_union(run, own.bits)?;
    let others = without(&union, own, run.input.peer_count);
    Ok(others.ok_or(PeerFault::Malformed { what: "union", why: Malformed::OutOfRange }))
}

/// What the union holds beside this side's own identifiers; `None` if it is no union of these and at most `most` others.
fn without(union: &[u128], own: &Identifiers, most: usize) -> Option<Vec<u128>> {
    let mut mine = own.short.clone();
    sort(&mut mine);
    let lacking = union.par_iter().filter(|short| mine.binary_search(short).is_err());
    let others: Vec<u128> = lacking.copied().collect();
    let rises = union.is_sorted_by(|one, next| one < next);
    let whole = union.len() == mine.len() + others.len();
    (rises && whole && others.len() <= most).then_some(others)
}

/// `P₂`: what `P₁` alone has.
pub(super) fn receive_union(
    run: &mut Run<'_>,
    keys: &DistributedPrf,
    own: &Identifiers,
) -> Result<Others, ProtocolError> {
    // Step 3.
    let terms = set_terms(run, run.input.elements.len(), run.input.peer_count);
    let set = terms.take(run.means.channel)?;
    run.means.channel.phase("identifiers under a fresh key");
    run.means.observer.begin("union", run.input.peer_count as u64);
    let mut queries = Vec::new();
    for range in chunks(run.input.peer_count).ranges() {
        let Points(points) = run.means.channel.take::<Points<Point>>(&range.len())?;
        let again = keys.remask(&points).map_err(not_an_element)?;
        queries.par_extend(values(&again, terms.bits()));
        run.means.observer.advance(range.len() as u64);
    }
    take_lacking(run, own, &set.holds(&queries))
}

/// Steps 4 and 5 of `P₂`, who knows which of `P₁`'s identifiers it has.
pub(super) fn take_lacking(
    run: &mut Run<'_>,
    own: &Identifiers,
    hits: &Hits,
) -> Result<Others, ProtocolError> {
    let lacking: Vec<bool> = hits.e.iter().map(|e| !e).collect();

    // Step 4.
    let width = value_width(own.bits);
    let items = transfer::receive_one_sided(&mut run.means, Role::Sender, &lacking, width)?;
    let items = items.chunks_exact(width).zip(&lacking).filter(|(_, lacking)| **lacking);
    // Spare bits are not looked at: to refuse those of what was taken would tell that it was.
    let others: Vec<u128> = items.map(|(item, _)| low_bits_of(item, own.bits)).collect();

    // Step 5.
    put_union(run, own, &others)?;
    Ok(hits.fault().map(|()| others))
}

fn set_terms(run: &Run<'_>, count: usize, queries: usize) -> SetTerms {
    SetTerms::new(run.input.choices.digest(), count, queries)
}

fn put_union(run: &mut Run<'_>, own: &Identifiers, others: &[u128]) -> Result<(), ProtocolError> {
    run.means.channel.phase("union");
    let mut union = [own.short.as_slice(), others].concat();
    sort(&mut union);
    run.means.channel.put(&Total(union.len() as u64))?;
    put_sorted(run.means.channel, SetShape { count: union.len(), bits: own.bits }, &union)
}

fn take_union(run: &mut Run<'_>, bits: u32) -> Result<Vec<u128>, ProtocolError> {
    run.means.channel.phase("union");
    let most = (run.input.elements.len() + run.input.peer_count) as u64;
    let Total(count) = run.means.channel.take(&most)?;
    take_sorted(run.means.channel, SetShape { count: size(count), bits })
}

/// Bytes that the sender and the receiver send in these steps; the union is priced as if nothing matched.
pub(super) fn union_cost(shape: &Shape) -> (f64, f64) {
    let set = SetTerms::of(shape.choices.digest(), shape.receiver, shape.sender).bytes();
    let queries = point_bytes(shape.sender, size_of::<Point>());
    let (sender, receiver) = lacking_cost(shape);
    (set + queries + sender, receiver)
}

/// The same for steps 4 and 5 alone.
pub(super) fn lacking_cost(shape: &Shape) -> (f64, f64) {
    let most = size(shape.sender.saturating_add(shape.receiver));
    let bits = match_bits(most, most);
    let (sender, receiver, _) = one_sided_cost(shape.sender, value_width(bits));
    let union = SetShape { count: most, bits };
    let back = union.expected_len() as f64 + 8.0 + frames(1 + union.blocks());
    (sender.bytes_sent, receiver.bytes_sent + back)
}

#[cfg(test)]
mod tests;
