//! Private set operations from mqRPMT: eprint 2022/652, Fig. 7.
//!
//! The receiver is `P₁` of an mqRPMT, the sender its `P₂` with its set in a random order `x_1, …, x_n`; the receiver ends
//! with the indication bits `e`. Then
//!
//! | operation | what follows | the receiver has |
//! |---|---|---|
//! | count | nothing | the weight of `e` |
//! | intersect | one-sided OT of `x_i` by `e_i` | `X ∩ Y` |
//! | union | one-sided OT of `x_i` by `1 − e_i` | `X \ Y` |
//! | sum | OT of `(r_i, r_i + v_i)` by `e_i`; the sum of what it got goes back | the weight of `e`; the sender the sum |
//! | share | the same, and nothing goes back | its shares of `e_i · v_i`; the sender has `−r_i` |
//!
//! **Security.** Semi-honest (Theorem 4), given the mqRPMT and the OT. Both sides learn sizes. In every operation the
//! receiver sees `e`, and with it how many elements are common; in mqRPMT* the sender learns that too.

mod count;
mod intersect;
pub mod pieces;
mod share;
mod spec;
mod sum;
#[cfg(test)]
mod tests;
mod union;

use veilset_crypto::permutation;

use crate::kit::mqrpmt::MqRpmt;
use crate::{Conclusion, Cost, PartyCost, Protocol, ProtocolError, Run, Shape, Spec};

/// An operation on an mqRPMT.
pub(crate) struct Pso {
    mqrpmt: MqRpmt,
    spec: Spec,
    run: fn(MqRpmt, &mut Run<'_>) -> Result<Conclusion, ProtocolError>,
    cost: fn(MqRpmt, &Shape) -> Cost,
}

/// `mqrpmt-dh`: from a commutative weak PRF.
pub(crate) static CW_PRF: [Pso; 5] = all(MqRpmt::CwPrf);
/// `mqrpmt-poprf`: from a permuted OPRF.
pub(crate) static P_OPRF: [Pso; 5] = all(MqRpmt::POprf);
/// `mqrpmt-star`: mqRPMT* from Sigma-mqPMT.
pub(crate) static STAR: [Pso; 5] = all(MqRpmt::Star);

const fn all(mqrpmt: MqRpmt) -> [Pso; 5] {
    [
        Pso { mqrpmt, spec: spec::count(mqrpmt), run: count::run, cost: count::cost },
        Pso { mqrpmt, spec: spec::intersect(mqrpmt), run: intersect::run, cost: intersect::cost },
        Pso { mqrpmt, spec: spec::sum(mqrpmt), run: sum::run, cost: sum::cost },
        Pso { mqrpmt, spec: spec::union(mqrpmt), run: union::run, cost: union::cost },
        Pso { mqrpmt, spec: spec::share(mqrpmt), run: share::run, cost: share::cost },
    ]
}

impl Protocol for Pso {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        (self.cost)(self.mqrpmt, &shape)
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        (self.run)(self.mqrpmt, &mut run)
    }
}

/// `P₂` of the mqRPMT, its set in a fresh random order, which it returns.
fn shuffled_p2(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Order, ProtocolError> {
    let order = permutation(run.input.elements.len(), run.means.rng);
    mqrpmt.p2(&run.input, &mut run.means, &order)?;
    Ok(order)
}

/// The index of the element in each place.
type Order = zeroize::Zeroizing<Vec<u32>>;

/// Adds to a cost.
fn and(mut cost: Cost, sender: PartyCost, receiver: PartyCost, rounds: u64) -> Cost {
    cost.sender = cost.sender.and(sender);
    cost.receiver = cost.receiver.and(receiver);
    cost.rounds += rounds;
    cost
}
