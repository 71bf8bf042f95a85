//! mqRPMT from a commutative weak PRF.
//!
//! eprint 2022/652, Fig. 3:
//!
//! 1. `P₁` sends `F_k1(H(y))`; `P₂` sends `F_k2(H(x_i))`, in order. The figure lets `P₂` wait for `P₁`; the two do
//!    not depend on each other, so they cross.
//! 2. `P₂` sends the set of all `F_k2(F_k1(H(y)))`.
//! 3. `P₁` sets `e_i = 1` iff `F_k1(F_k2(H(x_i)))` is in that set. It sends nothing after that, so it may do so once the
//!    run is over.
//!
//! **Deviation.** The set of step 2 travels in any of the forms of [`SetEncoding`](crate::SetEncoding), by default sorted: a sorted
//! set is a function of the set alone, so it hides the order as a shuffle does, and the simulator sorts the random values
//! that it would have shuffled. Values are digests of points: see [`crate::kit::exchange::value`].
//!
//! **Security.** Semi-honest (Theorem 1), under DDH in the group with `H` a random oracle.

use veilset_crypto::{CommutativePrf, permutation};
use zeroize::Zeroizing;

use super::Indication;
use crate::kit::exchange::{Ordered, exchange_blinded, point_bytes};
use crate::kit::set_encoding::SetTerms;
use crate::kit::wire::ValuesShape;
use crate::{Cost, Means, PartyCost, ProtocolError, Role, RunInput, Shape};

/// `P₁`, whose set `Y` is this side's elements.
pub(super) fn p1<F: CommutativePrf>(
    input: &RunInput<'_>,
    means: &mut Means<'_>,
) -> Result<Indication, ProtocolError> {
    let (n1, n2) = (input.elements.len(), input.peer_count);
    let terms = SetTerms::new(input.choices.digest(), n1, n2).longer(input.slack);
    let k1 = F::generate(means.rng);
    let order = permutation(n1, means.rng);

    // Step 1.
    let y = Ordered { elements: &input.elements, order: &order };
    let x = exchange_blinded(means, &k1, y, ValuesShape { count: n2, bits: terms.bits() })?;

    // Step 2, what `P₂` sends.
    let set = terms.take(means.channel)?;

    // Step 3.
    Ok(Indication::later(move || set.holds(&x)))
}

/// `P₂`, whose vector `X` is this side's elements in the order of `order`.
pub(super) fn p2<F: CommutativePrf>(
    input: &RunInput<'_>,
    means: &mut Means<'_>,
    order: &[u32],
) -> Result<(), ProtocolError> {
    let (n2, n1) = (input.elements.len(), input.peer_count);
    let terms = SetTerms::new(input.choices.digest(), n1, n2).longer(input.slack);
    let k2 = F::generate(means.rng);

    // Step 1.
    let x = Ordered { elements: &input.elements, order };
    let y = exchange_blinded(means, &k2, x, ValuesShape { count: n1, bits: terms.bits() })?;

    // Step 2.
    terms.put(means.channel, y, means.rng)
}

/// Both tests at once: each side is `P₁` of the other's vector, and the elements cross but once.
///
/// Each side has the other's elements under both keys after step 1 and sends their set; each looks what it has up in the
/// set that it gets. A side's view is that of `P₁` of Fig. 3 with, in place of nothing, that of `P₂`, whose messages are
/// the same points: its simulator draws one random point for each element of either side. The elements are wiped once they are sent.
pub(super) fn both<F: CommutativePrf>(
    role: Role,
    input: &mut RunInput<'_>,
    means: &mut Means<'_>,
    order: &[u32],
) -> Result<Indication, ProtocolError> {
    let (own, peer) = (input.elements.len(), input.peer_count);
    let digest = input.choices.digest();
    let mine = SetTerms::new(digest, own, peer).longer(input.slack);
    let theirs = SetTerms::new(digest, peer, own).longer(input.slack);
    let key = F::generate(means.rng);

    // Step 1.
    let elements = Ordered { elements: &input.elements, order };
    let shape = ValuesShape { count: peer, bits: mine.bits() };
    let doubled = exchange_blinded(means, &key, elements, shape)?;
    input.elements = Zeroizing::default();

    // Step 2, the sender's first.
    let set = match role {
        Role::Sender => {
            theirs.put(means.channel, doubled.clone(), means.rng)?;
            mine.take(means.channel)?
        }
        Role::Receiver => {
            let set = mine.take(means.channel)?;
            theirs.put(means.channel, doubled.clone(), means.rng)?;
            set
        }
    };

    // Step 3.
    Ok(Indication::later(move || set.holds(&doubled)))
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
    let (n1, n2) = (shape.receiver, shape.sender);
    let point = shape.choices.group().point_len();
    let set = SetTerms::of(shape.choices.digest(), n1, n2);
    let party = |own: u64, peer: u64, more: f64| PartyCost {
        multiplications: n1 as f64 + n2 as f64,
        maps: own as f64,
        bytes_sent: point_bytes(own, point) + more,
        memory: 24.0 * own as f64 + 33.0 * peer as f64,
        ..PartyCost::default()
    };
    Cost { sender: party(n2, n1, set.bytes()), receiver: party(n1, n2, 0.0), rounds: 2, waits: 0 }
}
