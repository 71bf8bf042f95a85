//! mqRPMT* from Sigma-mqPMT.
//!
//! A membership test is of the Sigma kind (eprint 2022/652, section 1.2 and the full version's appendix) if it runs in three
//! moves: the server sends a commitment to its set, the client sends a query for each element, and the server answers each
//! query so that commitment and answer alone tell the client whether that element is in the set. To turn the test round, the
//! server permutes its answers: the client then learns *how many* of its elements are in the set, not which, and tells the
//! server the bits in the permuted order, which only the server can undo. Here the moves are
//!
//! 1. `P₁` sends the set of all `F_k1(H(y))`; `P₂` sends `F_k2(H(x_i))`, in order;
//! 2. `P₁` returns `F_k1(F_k2(H(x_ρ(i))))` in the order of a random permutation `ρ`;
//! 3. `P₂` unmasks with `F_k2^-1`, looks each up in the set, and sends the bits; `P₁` sets `e_ρ(i)` to the i-th.
//!
//! **Security.** Semi-honest for mqRPMT*, under DDH in the group with `H` a random oracle: `P₂` sees pseudorandom values of
//! which as many occur in the set as elements are common, in a random order; `P₁` sees random points and its own `e`.

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{CommutativePrp, permutation};

use super::Indication;
use crate::digest::SetTerms;
use crate::exchange::{chosen, not_an_element, point_bytes, values};
use crate::wire::{Points, bits_bytes, point_chunks, put_bits, take_bits};
use crate::{Cost, PartyCost, ProtocolError, Run, Shape};

/// `P₁`.
pub(super) fn server<F: CommutativePrp>(run: &mut Run<'_>) -> Result<Indication, ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let terms = SetTerms::new(run.choices.digest(), own, peer);
    let prp = F::generate(run.rng);

    // Step 1.
    run.channel.phase("blinded elements");
    run.observer.begin("blinded elements", (own + peer) as u64);
    let mut doubled = Vec::new();
    for range in point_chunks::<F>(peer).ranges() {
        let Points(points) = run.channel.take::<Points<F::Point>>(&range.len())?;
        doubled.extend(prp.evaluate(&points).map_err(not_an_element)?);
        run.observer.advance(range.len() as u64);
    }
    let mut set = Vec::with_capacity(own);
    for range in point_chunks::<F>(own).ranges() {
        let points = prp.hash_and_evaluate(&run.elements[range.clone()]);
        set.par_extend(values(&points, terms.bits()));
        run.observer.advance(range.len() as u64);
    }
    terms.put(run.channel, set, run.rng)?;

    // Step 2.
    let rho = permutation(peer, run.rng);
    run.channel.phase("permuted answers");
    for range in point_chunks::<F>(peer).ranges() {
        let permuted = rho[range].par_iter().map(|index| doubled[*index as usize]).collect();
        run.channel.put(&Points::<F::Point>(permuted))?;
    }

    // Step 3.
    run.channel.phase("bits");
    let permuted = take_bits(run.channel, peer)?;
    let mut e = vec![false; peer];
    rho.iter().zip(permuted).for_each(|(index, bit)| e[*index as usize] = bit);
    Ok(Indication::Bits(e))
}

/// `P₂`.
pub(super) fn client<F: CommutativePrp>(
    run: &mut Run<'_>,
    order: &[u32],
) -> Result<(), ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let terms = SetTerms::new(run.choices.digest(), peer, own);
    let prp = F::generate(run.rng);
    let points = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(prp.hash_and_evaluate(&chosen(&run.elements, &order[range]))))
    };

    // Step 1.
    run.channel.phase("blinded elements");
    run.observer.begin("blinded elements", 2 * own as u64);
    for range in point_chunks::<F>(own).ranges() {
        points(run.channel, range.clone())?;
        run.observer.advance(range.len() as u64);
    }
    let set = terms.take(run.channel)?;

    // Steps 2 and 3.
    run.channel.phase("permuted answers");
    let mut answers = Vec::with_capacity(own);
    for range in point_chunks::<F>(own).ranges() {
        let Points(points) = run.channel.take::<Points<F::Point>>(&range.len())?;
        let unmasked = prp.invert(&points).map_err(not_an_element)?;
        answers.par_extend(values(&unmasked, terms.bits()));
        run.observer.advance(range.len() as u64);
    }
    let hits = set.holds(&answers);
    run.channel.phase("bits");
    put_bits(run.channel, &hits.e)?;
    Ok(hits.fault()?)
}

pub(super) fn cost(shape: &Shape) -> Cost {
    let (client, server) = (shape.sender, shape.receiver);
    let points = point_bytes(client, shape.choices.group().point_len());
    let set = SetTerms::of(shape.choices.digest(), server, client);
    Cost {
        sender: PartyCost {
            multiplications: 2.0 * client as f64,
            maps: client as f64,
            bytes_sent: points + bits_bytes(client),
            memory: 21.0 * client as f64 + 17.0 * server as f64,
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: server as f64 + client as f64,
            maps: server as f64,
            bytes_sent: points + set.bytes(),
            memory: 37.0 * client as f64 + 16.0 * server as f64,
            ..PartyCost::default()
        },
        rounds: 4,
        waits: 0,
    }
}
