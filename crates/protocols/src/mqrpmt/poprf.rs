//! mqRPMT from a permuted oblivious PRF.
//!
//! eprint 2022/652, Fig. 5 (permuted OPRF from a commutative weak pseudorandom permutation) and Fig. 6 (mqRPMT on it):
//!
//! 1. `P₁` masks its set: `F_s(H(y_i))`. `P₂` sends the PRF values `F_k(H(x_i))` of its vector; it needs nothing from
//!    `P₁` for that, so the two cross.
//! 2. `P₂` returns `F_k(F_s(H(y_π(i))))` in the order of a random permutation `π`.
//! 3. `P₁` unmasks with `F_s^-1`, which commutes with `F_k`: it has `F_k(H(y))` for its set, in an order that it does not
//!    know, and sets `e_i = 1` iff the i-th value of `P₂` is among them.
//!
//! **Security.** Semi-honest (Theorems 2 and 3), under DDH in the group with `H` a random oracle. The PRF value of an element
//! is a digest of the point: see [`crate::exchange::value`].

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{CommutativePrp, permutation};
use veilset_structures::match_bits;

use super::Indication;
use crate::digest::Members;
use crate::exchange::{chosen, cross, not_an_element, point_bytes, values};
use crate::matching::sort;
use crate::wire::{Points, Values, ValuesShape, point_chunks, size, value_chunks, values_bytes};
use crate::{Cost, PartyCost, ProtocolError, Run, Shape};

/// `P₁`, the client of the permuted OPRF.
pub(super) fn server<F: CommutativePrp>(run: &mut Run<'_>) -> Result<Indication, ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let (elements, observer) = (&run.elements, run.observer);
    let bits = match_bits(own, peer);
    let prp = F::generate(run.rng);
    let mut queries = Vec::new();

    // Step 1.
    run.channel.phase("masked elements");
    observer.begin("masked elements", 2 * own as u64);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(prp.hash_and_evaluate(&elements[range.clone()])))?;
        observer.advance(range.len() as u64);
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let shape = ValuesShape { count: range.len(), bits };
        queries.extend_from_slice(&channel.take::<Values<'_>>(&shape)?.values);
        Ok(())
    };
    cross(run.channel, (point_chunks::<F>(own), value_chunks(peer, bits)), put, take)?;

    // Steps 2 and 3.
    run.channel.phase("permuted elements");
    let mut set = Vec::new();
    for range in point_chunks::<F>(own).ranges() {
        let Points(points) = run.channel.take::<Points<F::Point>>(&range.len())?;
        let unmasked = prp.invert(&points).map_err(not_an_element)?;
        set.par_extend(values(&unmasked, bits));
        observer.advance(range.len() as u64);
    }
    sort(&mut set);
    Ok(Indication::LookUp { queries, set: Members::Sorted(set) })
}

/// `P₂`, the server of the permuted OPRF.
pub(super) fn client<F: CommutativePrp>(
    run: &mut Run<'_>,
    order: &[u32],
) -> Result<(), ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let (elements, observer) = (&run.elements, run.observer);
    let bits = match_bits(own, peer);
    let prp = F::generate(run.rng);
    let mut doubled = Vec::new();

    // Step 1.
    run.channel.phase("masked elements");
    observer.begin("masked elements", (own + peer) as u64);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        let points = prp.hash_and_evaluate(&chosen(elements, &order[range]));
        let values: Vec<u128> = values(&points, bits).collect();
        channel.put(&Values { values: values.as_slice().into(), bits })?;
        observer.advance(values.len() as u64);
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let Points(points) = channel.take::<Points<F::Point>>(&range.len())?;
        doubled.extend(prp.evaluate(&points).map_err(not_an_element)?);
        observer.advance(range.len() as u64);
        Ok(())
    };
    cross(run.channel, (value_chunks(own, bits), point_chunks::<F>(peer)), put, take)?;

    // Step 2.
    let pi = permutation(peer, run.rng);
    run.channel.phase("permuted elements");
    for range in point_chunks::<F>(peer).ranges() {
        let permuted = pi[range].par_iter().map(|index| doubled[*index as usize]).collect();
        run.channel.put(&Points::<F::Point>(permuted))?;
    }
    Ok(())
}

pub(super) fn cost(shape: &Shape) -> Cost {
    let (client, server) = (shape.sender, shape.receiver);
    let points = point_bytes(server, shape.choices.group().point_len());
    let bits = match_bits(size(server), size(client));
    Cost {
        sender: PartyCost {
            multiplications: server as f64 + client as f64,
            maps: client as f64,
            bytes_sent: values_bytes(client, bits) + points,
            memory: 4.0 * client as f64 + 36.0 * server as f64,
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: 2.0 * server as f64,
            maps: server as f64,
            bytes_sent: points,
            memory: 17.0 * (client as f64 + server as f64),
            ..PartyCost::default()
        },
        rounds: 2,
        waits: 0,
    }
}
