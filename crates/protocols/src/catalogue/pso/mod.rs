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
//!
//! **Rows of several elements.** But for intersections, each row of a side can be `k` elements, as
//! [`RunInput::per_row`](crate::RunInput::per_row) has it. The sender shuffles rows, and elements keep their places within; a row's bit
//! is the OR of its elements' bits, and what follows takes rows and their bits. The receiver sees in addition which of a row's
//! places match, of rows in a random order: the view of Fig. 7 on the elements, but for the permutation, which keeps rows. Its
//! simulator is given those patterns. A side's elements are distinct, so each belongs to one row; what rows lack is filled up
//! with random elements. If both learn a count, the test runs both ways and each side tells the other how many of its rows match:
//! the smaller number does not depend on who connects.

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

use crate::kit::membership::Hits;
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
        let mut cost = (self.cost)(self.mqrpmt, &shape);
        if shape.per_row > 1 {
            // The order of the elements beside that of the rows.
            cost.sender.memory += 4.0 * shape.sender as f64;
            cost.receiver.memory += 4.0 * shape.receiver as f64;
        }
        cost
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        (self.run)(self.mqrpmt, &mut run)
    }
}

/// `P₁` of the mqRPMT: which of the peer's rows match.
fn p1(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Hits, ProtocolError> {
    Ok(mqrpmt.p1(&run.input, &mut run.means)?.bits().of_rows(run.input.per_row))
}

/// `P₂` of the mqRPMT, its rows in a fresh random order, which it returns.
fn shuffled_p2(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Order, ProtocolError> {
    let order = shuffled(run);
    let elements = elements_of(&order, run.input.per_row);
    mqrpmt.p2(&run.input, &mut run.means, elements.as_ref().unwrap_or(&order))?;
    Ok(order)
}

/// Each side `P₁` of the peer's rows and `P₂` of its own, in a fresh random order: which rows of the peer match, and that order.
/// Nothing where the two tests cost as much as one after the other.
fn both(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Option<Result<(Hits, Order), ProtocolError>> {
    let (order, per_row) = (shuffled(run), run.input.per_row);
    let elements = elements_of(&order, per_row);
    let elements = elements.as_ref().unwrap_or(&order);
    let indication = mqrpmt.both(run.side.role, &mut run.input, &mut run.means, elements)?;
    Some(indication.map(|indication| (indication.bits().of_rows(per_row), order)))
}

/// A fresh random order of this side's rows.
fn shuffled(run: &mut Run<'_>) -> Order {
    permutation(run.input.elements.len() / run.input.per_row, run.means.rng)
}

/// The elements of rows in this order, where they are not the rows.
fn elements_of(order: &Order, per_row: usize) -> Option<Order> {
    // No more than elements, of which there are fewer than 2^32.
    let of_row = |row: &u32| {
        let first = row * per_row as u32;
        (0..per_row as u32).map(move |place| first + place)
    };
    (per_row > 1).then(|| Order::new(order.iter().flat_map(of_row).collect()))
}

/// The index of the row in each place.
type Order = zeroize::Zeroizing<Vec<u32>>;

/// Adds to a cost.
fn and(mut cost: Cost, sender: PartyCost, receiver: PartyCost, rounds: u64) -> Cost {
    cost.sender = cost.sender.and(sender);
    cost.receiver = cost.receiver.and(receiver);
    cost.rounds += rounds;
    cost
}
