//! mqRPMT from a commutative weak PRF.
//!
//! eprint 2022/652, Fig. 3:
//!
//! 1. `P₁` sends `F_k1(H(y))`; `P₂` sends `F_k2(H(x_i))`, in order. The figure lets `P₂` wait for `P₁`; the two do
//!    not depend on each other, so they cross.
//! 2. `P₂` sends the set of all `F_k2(F_k1(H(y)))`.
//! 3. `P₁` sets `e_i = 1` iff `F_k1(F_k2(H(x_i)))` is in that set.
//!
//! **Deviation.** The set of step 2 travels in any of the forms of [`Digest`](crate::Digest), by default sorted: a sorted
//! set is a function of the set alone, so it hides the order as a shuffle does, and the simulator sorts the random values
//! that it would have shuffled. Values are digests of points: see [`crate::exchange::value`].
//!
//! **Security.** Semi-honest (Theorem 1), under DDH in the group with `H` a random oracle.

use veilset_crypto::{CommutativePrf, permutation};

use super::Indication;
use crate::digest::SetTerms;
use crate::exchange::{exchange_blinded, point_bytes};
use crate::{Cost, PartyCost, ProtocolError, Role, Run, Shape};

/// `P₁`.
pub(super) fn server<F: CommutativePrf>(run: &mut Run<'_>) -> Result<Indication, ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let terms = SetTerms::new(run.choices.digest(), own, peer);
    let prf = F::generate(run.rng);
    let order = permutation(own, run.rng);

    // Step 1.
    let vectors = (&run.elements[..], order.as_slice());
    let queries = exchange_blinded(run.channel, &prf, vectors, (peer, terms.bits()), run.observer)?;

    // Step 2, the client's answer; step 3 is to look the queries up in it.
    let set = terms.take(run.channel)?;
    Ok(Indication::LookUp { queries, set })
}

/// `P₂`.
pub(super) fn client<F: CommutativePrf>(
    run: &mut Run<'_>,
    order: &[u32],
) -> Result<(), ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let terms = SetTerms::new(run.choices.digest(), peer, own);
    let prf = F::generate(run.rng);

    // Step 1.
    let vectors = (&run.elements[..], order);
    let doubled = exchange_blinded(run.channel, &prf, vectors, (peer, terms.bits()), run.observer)?;

    // Step 2.
    terms.put(run.channel, doubled, run.rng)
}

/// Both tests at once: each side is the server of the other's vector, and the elements cross but once.
///
/// Each side has the other's elements under both keys after step 1 and sends their set; each looks what it has up in the
/// set that it gets. A side's view is the server's of Fig. 3 with, in place of nothing, the client's, whose messages are
/// the same points: its simulator draws one random point for each element of either side.
pub(super) fn both<F: CommutativePrf>(
    run: &mut Run<'_>,
    order: &[u32],
) -> Result<Indication, ProtocolError> {
    let (own, peer) = (run.elements.len(), run.peer_count);
    let digest = run.choices.digest();
    let mine = SetTerms::new(digest, own, peer);
    let theirs = SetTerms::new(digest, peer, own);
    let prf = F::generate(run.rng);
    let vectors = (&run.elements[..], order);
    let doubled = exchange_blinded(run.channel, &prf, vectors, (peer, mine.bits()), run.observer)?;
    let set = match run.role {
        Role::Sender => {
            theirs.put(run.channel, doubled.clone(), run.rng)?;
            mine.take(run.channel)?
        }
        Role::Receiver => {
            let set = mine.take(run.channel)?;
            theirs.put(run.channel, doubled.clone(), run.rng)?;
            set
        }
    };
    Ok(Indication::LookUp { queries: doubled, set })
}

/// What [`both`] costs.
pub(super) fn cost_of_both(shape: &Shape) -> Cost {
    let mut cost = cost(shape);
    let back = SetTerms::of(shape.choices.digest(), shape.sender, shape.receiver);
    cost.receiver.bytes_sent += back.bytes();
    cost.sender.memory += 16.0 * shape.sender as f64;
    cost.rounds += 1;
    cost
}

pub(super) fn cost(shape: &Shape) -> Cost {
    let (client, server) = (shape.sender, shape.receiver);
    let point = shape.choices.group().point_len();
    let set = SetTerms::of(shape.choices.digest(), server, client);
    let party = |own: u64, peer: u64, more: f64| PartyCost {
        multiplications: server as f64 + client as f64,
        maps: own as f64,
        bytes_sent: point_bytes(own, point) + more,
        memory: 24.0 * own as f64 + 33.0 * peer as f64,
        ..PartyCost::default()
    };
    Cost {
        sender: party(client, server, set.bytes()),
        receiver: party(server, client, 0.0),
        rounds: 2,
        waits: 0,
    }
}
