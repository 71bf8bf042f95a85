//! mqRPMT* from Sigma-mqPMT.
//!
//! A membership test is of the Sigma kind (eprint 2022/652, section 1.2 and the full version's appendix) if it runs in three
//! moves: the server `P₁` sends a commitment to its set, the client `P₂` sends a query for each element, and `P₁` answers each
//! query so that commitment and answer alone tell `P₂` whether that element is in the set. To turn the test round, `P₁`
//! permutes its answers: `P₂` then learns *how many* of its elements are in the set, not which, and tells `P₁` the bits in
//! the permuted order, which only `P₁` can undo. Here the moves are
//!
//! 1. `P₁` sends the set of all `F_k1(H(y))`; `P₂` sends `F_k2(H(x_i))`, in order;
//! 2. `P₁` returns `F_k1(F_k2(H(x_ρ(i))))` in the order of a random permutation `ρ`;
//! 3. `P₂` unmasks with `F_k2^-1`, looks each up in the set, and sends the bits; `P₁` sets `e_ρ(i)` to the i-th.
//!
//! **Security.** Semi-honest for mqRPMT*, under DDH in the group with `H` a random oracle: `P₂` sees pseudorandom values of
//! which as many occur in the set as elements are common, in a random order; `P₁` sees random points and its own `e`.

use rayon::prelude::*;
use veilset_channel::ChannelExt;
use veilset_crypto::{CommutativePrp, permutation};

use super::Indication;
use crate::kit::exchange::{Ordered, not_an_element, point_bytes, values};
use crate::kit::membership::Hits;
use crate::kit::set_encoding::SetTerms;
use crate::kit::wire::{Points, bits_bytes, point_chunks, put_bits, take_bits};
use crate::{Cost, Means, PartyCost, ProtocolError, RunInput, Shape};

/// `P₁`, whose set is this side's elements.
pub(super) fn p1<F: CommutativePrp>(
    input: &RunInput<'_>,
    means: &mut Means<'_>,
) -> Result<Indication, ProtocolError> {
    let (n1, n2) = (input.elements.len(), input.peer_count);
    let terms = SetTerms::new(input.choices.digest(), n1, n2);
    let k1 = F::generate(means.rng);

    // Step 1.
    means.step("blinded elements", n1 + n2);
    let mut doubled = Vec::new();
    for range in point_chunks::<F>(n2).ranges() {
        let Points(points) = means.channel.take::<Points<F::Point>>(&range.len())?;
        doubled.extend(k1.evaluate(&points).map_err(not_an_element)?);
        means.observer.advance(range.len() as u64);
    }
    let mut set = Vec::with_capacity(n1);
    for range in point_chunks::<F>(n1).ranges() {
        let points = k1.hash_and_evaluate(&input.elements[range.clone()]);
        set.par_extend(values(&points, terms.bits()));
        means.observer.advance(range.len() as u64);
    }
    terms.put(means.channel, set, means.rng)?;

    // Step 2.
    let rho = permutation(n2, means.rng);
    means.channel.phase("permuted answers");
    for range in point_chunks::<F>(n2).ranges() {
        let permuted = rho[range].par_iter().map(|index| doubled[*index as usize]).collect();
        means.channel.put(&Points::<F::Point>(permuted))?;
    }

    // Step 3.
    means.channel.phase("bits");
    let permuted = take_bits(means.channel, n2)?;
    let mut e = vec![false; n2];
    rho.iter().zip(permuted).for_each(|(index, bit)| e[*index as usize] = bit);
    Ok(Indication::later(|| Hits::new(e)))
}

/// `P₂`, whose vector is this side's elements in the order of `order`.
pub(super) fn p2<F: CommutativePrp>(
    input: &RunInput<'_>,
    means: &mut Means<'_>,
    order: &[u32],
) -> Result<(), ProtocolError> {
    let (n2, n1) = (input.elements.len(), input.peer_count);
    let x = Ordered { elements: &input.elements, order };
    let terms = SetTerms::new(input.choices.digest(), n1, n2);
    let k2 = F::generate(means.rng);

    // Step 1.
    means.step("blinded elements", 2 * n2);
    for range in point_chunks::<F>(n2).ranges() {
        let points = Points(k2.hash_and_evaluate(&x.chosen(range.clone())));
        means.channel.put(&points)?;
        means.observer.advance(range.len() as u64);
    }
    let set = terms.take(means.channel)?;

    // Steps 2 and 3.
    means.channel.phase("permuted answers");
    let mut answers = Vec::with_capacity(n2);
    for range in point_chunks::<F>(n2).ranges() {
        let Points(points) = means.channel.take::<Points<F::Point>>(&range.len())?;
        let unmasked = k2.invert(&points).map_err(not_an_element)?;
        answers.par_extend(values(&unmasked, terms.bits()));
        means.observer.advance(range.len() as u64);
    }
    let hits = set.holds(&answers);
    means.channel.phase("bits");
    put_bits(means.channel, &hits.e)?;
    Ok(hits.fault()?)
}

pub(super) fn cost(shape: &Shape) -> Cost {
    let (n1, n2) = (shape.receiver, shape.sender);
    let points = point_bytes(n2, shape.choices.group().point_len());
    let set = SetTerms::of(shape.choices.digest(), n1, n2);
    Cost {
        sender: PartyCost {
            multiplications: 2.0 * n2 as f64,
            maps: n2 as f64,
            bytes_sent: points + bits_bytes(n2),
            memory: 17.0 * n1 as f64 + 21.0 * n2 as f64,
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: n1 as f64 + n2 as f64,
            maps: n1 as f64,
            bytes_sent: points + set.bytes(),
            memory: 16.0 * n1 as f64 + 37.0 * n2 as f64,
            ..PartyCost::default()
        },
        rounds: 4,
        waits: 0,
    }
}
