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
//! is a digest of the point: see [`crate::kit::exchange::value`].

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{CommutativePrp, permutation};
use veilset_structures::match_bits;

use super::Indication;
use crate::kit::exchange::{Ordered, cross, not_an_element, point_bytes, values};
use crate::kit::membership::{membership, sort};
use crate::kit::wire::{
    Points, TruncatedValues, ValuesShape, point_chunks, size, value_chunks, values_bytes,
};
use crate::{Cost, Means, PartyCost, ProtocolError, RunInput, Shape};

/// `P₁`, whose set `Y` is this side's elements; in the permuted OPRF it evaluates.
pub(super) fn p1<F: CommutativePrp>(
    input: &RunInput<'_>,
    means: &mut Means<'_>,
) -> Result<Indication, ProtocolError> {
    let (n1, n2) = (input.elements.len(), input.peer_count);
    let bits = match_bits(n1, n2);
    let s = F::generate(means.rng);
    let mut x = Vec::new();

    // Step 1.
    means.step("masked elements", 2 * n1);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(s.hash_and_evaluate(&input.elements[range.clone()])))?;
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let shape = ValuesShape { count: range.len(), bits };
        x.extend_from_slice(&channel.take::<TruncatedValues<'_>>(&shape)?.values);
        Ok(())
    };
    cross(means.channel, point_chunks::<F>(n1), value_chunks(n2, bits), put, take)?;

    // Step 2, what `P₂` sends, and the mask off it.
    means.channel.phase("permuted elements");
    let mut y = Vec::new();
    for range in point_chunks::<F>(n1).ranges() {
        let Points(points) = means.channel.take::<Points<F::Point>>(&range.len())?;
        let unmasked = s.invert(&points).map_err(not_an_element)?;
        y.par_extend(values(&unmasked, bits));
        means.observer.advance(range.len() as u64);
    }
    sort(&mut y);

    // Step 3.
    Ok(Indication::later(move || membership(&x, &y)))
}

/// `P₂`, whose vector `X` is this side's elements in the order of `order`; in the permuted OPRF it has the key.
pub(super) fn p2<F: CommutativePrp>(
    input: &RunInput<'_>,
    means: &mut Means<'_>,
    order: &[u32],
) -> Result<(), ProtocolError> {
    let (n2, n1) = (input.elements.len(), input.peer_count);
    let x = Ordered { elements: &input.elements, order };
    let bits = match_bits(n1, n2);
    let k = F::generate(means.rng);
    let mut doubled = Vec::new();

    // Step 1.
    means.step("masked elements", n1 + n2);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        let points = k.hash_and_evaluate(&x.chosen(range));
        let values: Vec<u128> = values(&points, bits).collect();
        channel.put(&TruncatedValues { values: values.as_slice().into(), bits })?;
        means.observer.advance(values.len() as u64);
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let Points(points) = channel.take::<Points<F::Point>>(&range.len())?;
        doubled.extend(k.evaluate(&points).map_err(not_an_element)?);
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    cross(means.channel, value_chunks(n2, bits), point_chunks::<F>(n1), put, take)?;

    // Step 2.
    let pi = permutation(n1, means.rng);
    means.channel.phase("permuted elements");
    for range in point_chunks::<F>(n1).ranges() {
        let permuted = pi[range].par_iter().map(|index| doubled[*index as usize]).collect();
        means.channel.put(&Points::<F::Point>(permuted))?;
    }
    Ok(())
}

pub(super) fn cost(shape: &Shape) -> Cost {
    let (n1, n2) = (shape.receiver, shape.sender);
    let points = point_bytes(n1, shape.choices.group().point_len());
    let bits = match_bits(size(n1), size(n2));
    Cost {
        sender: PartyCost {
            multiplications: n1 as f64 + n2 as f64,
            maps: n2 as f64,
            bytes_sent: values_bytes(n2, bits) + points,
            memory: 36.0 * n1 as f64 + 4.0 * n2 as f64,
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: 2.0 * n1 as f64,
            maps: n1 as f64,
            bytes_sent: points,
            memory: 17.0 * (n1 as f64 + n2 as f64),
            ..PartyCost::default()
        },
        rounds: 2,
        waits: 0,
    }
}
