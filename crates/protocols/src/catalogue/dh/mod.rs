//! Diffie–Hellman private set intersection.
//!
//! Meadows 1986 and Huberman, Franklin, Hogg 1999, as the paper on mqRPMT (eprint 2022/652, section 7.4, DH-PSI★)
//! runs it on Curve25519. With `F` the commutative weak PRF and `H` the map to the curve:
//!
//! 1. Both sides shuffle their sets and send `F_k(H(·))` of each element.
//! 2. Each side raises what it got to its own key. To whoever learns, the other returns the learner's elements under
//!    both keys, in the learner's order, hashed and truncated.
//! 3. The learner looks up its own elements under both keys among the peer's.
//!
//! Where rows go with the matches, the elements under both keys would open all of them, or show matches to whoever is not to learn
//! any. So the receiver alone evaluates [`crate::kit::dh_oprf`], on ristretto255, and [`crate::kit::comparison`] does the rest: as many
//! multiplications where the lists are of one size.
//!
//! **Security.** Semi-honest, under DDH on Curve25519 with `H` a random oracle. The shuffle keeps an index that
//! matches from telling a place in the other's file. Truncation to λ + log₂ n₁ + log₂ n₂ bits fails (a pair of
//! different elements agrees) with at most 2^-40 for a whole run: see `veilset_structures::match_bits`.

#[cfg(test)]
mod tests;

use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{CommutativePrf, Group, permutation, with_prf};
use veilset_structures::match_bits;

use crate::kit::comparison::{self, and_comparison};
use crate::kit::dh_oprf;
use crate::kit::exchange::{Ordered, cross, exchange_blinded, point_bytes};
use crate::kit::membership::{in_order, membership, sort};
use crate::kit::set_encoding::SetTerms;
use crate::kit::wire::{TruncatedValues, ValuesShape, size, value_chunks, values_bytes};
use crate::kit::wording::{MATCHES, SIZE, SIZES};
use crate::{
    Allowed, Conclusion, Cost, Leak, Operation, Outcome, PartyCost, Protocol, ProtocolError,
    Reveal, Role, Run, Security, SetEncoding, Shape, Spec, Taken,
};

/// The registry entry `dh`.
pub(crate) struct Dh;

static SPEC: Spec = Spec {
    id: "dh",
    title: "Diffie–Hellman intersection",
    operation: Operation::Intersect,
    paper: "Meadows 1986; eprint 2022/652, section 7.4 (DH-PSI★)",
    security: Security::SemiHonest,
    assumption: "DDH, random oracle",
    reveals: &[Reveal::Both, Reveal::Receiver],
    receiver: MATCHES,
    sender: MATCHES,
    residue: SIZE,
    leaks: &[
        SIZES,
        Leak::by_cheating(
            "A peer that returns your own blinded keys instead of its own makes all of them match.",
        ),
    ],
    max_elements: 1 << 31,
    choices: Taken {
        group: Allowed::Of(&Group::ALL),
        digest: Allowed::Of(&[SetEncoding::Shuffled]),
        ..Taken::NOTHING
    },
    cut: true,
    auto: true,
    grouped: false,
    by_groups: None,
    on_shares: false,
    blind: false,
    withholds: false,
    with_rows: Some(Taken {
        group: Allowed::Of(&[Group::Ristretto255]),
        digest: Allowed::Of(&[SetEncoding::Sorted]),
        ..Taken::NOTHING
    }),
};

impl Protocol for Dh {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn cost(&self, shape: Shape) -> Cost {
        if shape.attached.width().max(shape.returned.width()) == 0 {
            return cost(&shape);
        }
        let set = SetTerms::of(SetEncoding::Sorted, shape.sender, shape.receiver);
        and_comparison(dh_oprf::cost(&shape), &shape, set)
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        if run.input.attached.shape().width().max(run.input.peer_attached.width()) > 0 {
            return with_rows(&mut run);
        }
        with_prf!(run.input.choices.group(), F => match_on::<F>(run))
    }
}

fn match_on<F: CommutativePrf>(run: Run<'_>) -> Result<Conclusion, ProtocolError> {
    let Run { side, input, mut means } = run;
    let (own, peer) = (input.elements.len(), input.peer_count);
    let bits = (match_bits(own, peer) + input.slack).min(u128::BITS);
    let prf = F::generate(means.rng);
    let order = permutation(own, means.rng);

    // Steps 1 and 2: blind, exchange, raise to the second key.
    let elements = Ordered { elements: &input.elements, order: &order };
    let shape = ValuesShape { count: peer, bits };
    let mut theirs = exchange_blinded(&mut means, &prf, elements, shape)?;
    let to_peer: &[u128] = if side.tells() { &theirs } else { &[] };
    let expected = if side.learns() { own } else { 0 };
    let mine = return_doubled(means.channel, to_peer, expected, bits)?;

    // Step 3, the same steps whatever matches.
    let hits = side.learns().then(|| {
        sort(&mut theirs);
        membership(&mine, &theirs)
    });
    Ok(Box::new(move || {
        let Some(hits) = hits else { return Ok(Outcome::Nothing) };
        hits.fault()?;
        Ok(Outcome::Matched(in_order(&order, &hits.e)))
    }))
}

/// Where rows go with the matches: one side alone evaluates a function, whose outputs open them.
fn with_rows(run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    if let Some(nothing) = run.without_matches() {
        return Ok(nothing);
    }
    let (own, peer, slack) = (run.input.elements.len(), run.input.peer_count, run.input.slack);
    let set = |sender, receiver| SetTerms::new(SetEncoding::Sorted, sender, receiver).longer(slack);
    let elements = std::mem::take(&mut run.input.elements);
    match run.side.role {
        Role::Sender => {
            let outputs = dh_oprf::send(&mut run.means, elements, peer)?;
            comparison::send(run, set(own, peer), outputs)
        }
        Role::Receiver => {
            let outputs = dh_oprf::receive(&mut run.means, elements)?;
            comparison::receive(run, set(peer, own), outputs)
        }
    }
}

/// Sends the peer's elements under both keys back and takes one's own, chunk for chunk.
fn return_doubled(
    channel: &mut dyn Channel,
    to_peer: &[u128],
    expected: usize,
    bits: u32,
) -> Result<Vec<u128>, ProtocolError> {
    let mut mine = Vec::with_capacity(expected);
    channel.phase("elements under both keys");
    cross(
        channel,
        value_chunks(to_peer.len(), bits),
        value_chunks(expected, bits),
        |channel, range| Ok(channel.put(&TruncatedValues { values: to_peer[range].into(), bits })?),
        |channel, range| {
            let shape = ValuesShape { count: range.len(), bits };
            mine.extend_from_slice(&channel.take::<TruncatedValues<'_>>(&shape)?.values);
            Ok(())
        },
    )?;
    Ok(mine)
}

fn cost(shape: &Shape) -> Cost {
    let (sender, receiver) = (shape.sender, shape.receiver);
    let bits = match_bits(size(sender), size(receiver));
    let returned = |to: u64, learns: bool| if learns { values_bytes(to, bits) } else { 0.0 };
    let party = |own: u64, peer: u64, returned: f64| PartyCost {
        multiplications: own as f64 + peer as f64,
        maps: own as f64,
        bytes_sent: point_bytes(own, shape.choices.group().point_len()) + returned,
        memory: 26.0 * own as f64 + 21.0 * peer as f64,
        ..PartyCost::default()
    };
    Cost {
        sender: party(sender, receiver, returned(receiver, true)),
        receiver: party(receiver, sender, returned(sender, shape.reveal == Reveal::Both)),
        rounds: 2,
        waits: 0,
    }
}
