//! Multi-query reverse private membership test from a commutative weak PRF, and the count of the intersection.
//!
//! Paper: eprint 2022/652, Fig. 3 (mqRPMT from cwPRF) and Fig. 7 (PSI-card). The server `P₁` holds a set `Y` of `n₁`
//! elements, the client `P₂` a vector `X` of `n₂`:
//!
//! 1. `P₁` sends `F_k1(H(y))`; `P₂` sends `F_k2(H(x_i))`, in order. The figure lets `P₂` wait for `P₁`; the two do
//!    not depend on each other, so they cross.
//! 2. `P₂` sends the set of all `F_k2(F_k1(H(y)))`.
//! 3. `P₁` sets `e_i = 1` iff `F_k1(F_k2(H(x_i)))` is in that set.
//!
//! For the count, `P₂` shuffles `X` first and `P₁` learns the weight of `e`: the receiver is `P₁`.
//!
//! **Deviation.** The figure shuffles the set of step 2 or puts it into a Bloom filter. Here it is sorted, truncated
//! and Golomb–Rice coded: a sorted set is a function of the set alone, so it hides the order as a shuffle does, and
//! the simulator sorts the random values that it would have shuffled. It is smaller than a Bloom filter of the same
//! failure probability for the whole run; `docs/protocols.md` has the sizes.
//!
//! **Security.** Semi-honest (Theorem 1), under DDH on Curve25519 with `H` a random oracle.

#[cfg(test)]
mod tests;

use veilset_channel::{Channel, ChannelExt, Malformed, Message, PeerFault};
use veilset_crypto::{Curve25519Prf, permutation};
use veilset_structures::{Decoder, Encoder, SetShape, match_bits};

use crate::exchange::{exchange_blinded, party_cost};
use crate::matching::membership;
use crate::wire::{SetBlock, Total, frames, size};
use crate::{
    Conclusion, Cost, Knowledge, Operation, Outcome, Protocol, ProtocolError, Reveal, Role, Run,
    Security, Shape, Spec,
};

/// The registry entry `mqrpmt-dh`.
pub(crate) struct MqRpmtDh;

static SPEC: Spec = Spec {
    id: "mqrpmt-dh",
    title: "Count from mqRPMT with a commutative weak PRF on Curve25519",
    operation: Operation::Count,
    paper: "eprint 2022/652, Fig. 3 and Fig. 7",
    security: Security::SemiHonest,
    assumption: "DDH on Curve25519, random oracle",
    result: Knowledge {
        of_you: "how many distinct keys match, not which",
        of_peer: "how many distinct keys match, not which",
    },
    residue: Knowledge {
        of_you: "nothing but the peer's number of distinct keys",
        of_peer: "nothing but your number of distinct keys",
    },
    leaks: &[
        "Each side learns how many distinct keys the other has.",
        "Counts of repeated runs over slightly different lists reveal members.",
        "If both learn, the sender takes the count from the receiver on trust.",
    ],
    max_elements: 1 << 31,
    cost,
};

impl Protocol for MqRpmtDh {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        match run.role {
            Role::Receiver => receiver(&mut run),
            Role::Sender => sender(&mut run),
        }
    }
}

fn receiver(run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let (queries, set) = server(run)?;
    let count = move || Ok(weight(&membership(&queries, &set)?));
    if run.reveal == Reveal::Receiver {
        return Ok(Box::new(move || count().map(Outcome::Count)));
    }
    run.channel.phase("count");
    let count = count()?;
    run.channel.put(&Total(count))?;
    Ok(Box::new(move || Ok(Outcome::Count(count))))
}

fn sender(run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let order = permutation(run.elements.len(), run.rng);
    client(run, &order)?;
    if run.reveal == Reveal::Receiver {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    run.channel.phase("count");
    let most = run.elements.len().min(run.peer_count) as u64;
    let Total(count) = run.channel.take(&most)?;
    Ok(Box::new(move || Ok(Outcome::Count(count))))
}

/// `P₁`: returns the client's vector and the (sorted) set of step 2; membership in it is step 3.
fn server(run: &mut Run<'_>) -> Result<(Vec<u128>, Vec<u128>), ProtocolError> {
    let bits = match_bits(run.elements.len(), run.peer_count);
    let prf = Curve25519Prf::generate(run.rng);
    let order = permutation(run.elements.len(), run.rng);

    // Step 1.
    let own = (run.elements, order.as_slice());
    let queries = exchange_blinded(run.channel, &prf, own, (run.peer_count, bits), run.observer)?;

    // Step 2: the client's answer, a set of n₁ values.
    let set = take_set(run.channel, SetShape { count: run.elements.len(), bits })?;
    Ok((queries, set))
}

/// `P₂`, whose vector is its elements in the order of `order`.
fn client(run: &mut Run<'_>, order: &[u32]) -> Result<(), ProtocolError> {
    let bits = match_bits(run.elements.len(), run.peer_count);
    let prf = Curve25519Prf::generate(run.rng);

    // Step 1.
    let own = (run.elements, order);
    let mut doubled =
        exchange_blinded(run.channel, &prf, own, (run.peer_count, bits), run.observer)?;

    // Step 2: sorted, so that the order says nothing.
    doubled.sort_unstable();
    run.channel.phase("set under both keys");
    for block in Encoder::new(SetShape { count: doubled.len(), bits }, &doubled) {
        run.channel.put(&SetBlock(block))?;
    }
    Ok(())
}

/// The Hamming weight of the indication bits: how many elements both have.
fn weight(e: &[bool]) -> u64 {
    e.iter().filter(|bit| **bit).count() as u64
}

fn take_set(channel: &mut dyn Channel, shape: SetShape) -> Result<Vec<u128>, ProtocolError> {
    let fault = |_| PeerFault::Malformed { what: SetBlock::TAG.name, why: Malformed::OutOfRange };
    let mut decoder = Decoder::new(shape);
    channel.phase("set under both keys");
    for block in 0..shape.blocks() {
        let SetBlock(bytes) = channel.take(&shape.max_block_len(block))?;
        decoder.block(&bytes).map_err(fault)?;
    }
    Ok(decoder.finish().map_err(fault)?)
}

fn cost(shape: Shape) -> Cost {
    let Shape { sender, receiver, reveal } = shape;
    let set = SetShape { count: size(receiver), bits: match_bits(size(sender), size(receiver)) };
    let (count_bytes, count_rounds) =
        if reveal == Reveal::Both { (8.0 + frames(1), 1) } else { (0.0, 0) };
    Cost {
        sender: party_cost(sender, receiver, set.expected_len() as f64 + frames(set.blocks())),
        receiver: party_cost(receiver, sender, count_bytes),
        rounds: 2 + count_rounds,
    }
}
