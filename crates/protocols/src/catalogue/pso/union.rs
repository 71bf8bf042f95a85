//! Union: one-sided OT of what belongs to `x_i`, by `1 − e_i`.
//!
//! The receiver gets what the sender attached to each element that it lacks, in the sender's random order. If both learn,
//! each is a receiver; the tests of both directions share their points where the mqRPMT allows it, and follow one another
//! where it does not.

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{and, p1, shuffled_p2};
use crate::kit::membership::{Hits, VALUES_A_TASK};
use crate::kit::mqrpmt::MqRpmt;
use crate::kit::transfer::{self, gathered, one_sided_cost};
use crate::{Conclusion, Cost, Outcome, ProtocolError, Reveal, Role, Run, Shape};

pub(super) fn run(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let received = match (run.side.reveal, run.side.role) {
        (Reveal::Both, _) => Some(both(mqrpmt, run)?),
        (Reveal::Receiver, Role::Receiver) => Some(receive(mqrpmt, run, Role::Sender)?),
        (Reveal::Receiver, Role::Sender) => {
            send(mqrpmt, run, Role::Sender)?;
            None
        }
    };
    Ok(Box::new(|| received.map_or(Ok(Outcome::Nothing), Received::conclude)))
}

/// Items go from the sender first, then from the receiver.
fn both(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Received, ProtocolError> {
    let Some(tested) = super::both(mqrpmt, run) else {
        return one_after_the_other(mqrpmt, run);
    };
    let (hits, order) = tested?;
    match run.side.role {
        Role::Sender => {
            send_items(run, Role::Sender, &order)?;
            receive_items(run, Role::Receiver, hits)
        }
        Role::Receiver => {
            let received = receive_items(run, Role::Sender, hits)?;
            send_items(run, Role::Receiver, &order)?;
            Ok(received)
        }
    }
}

fn one_after_the_other(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Received, ProtocolError> {
    match run.side.role {
        Role::Sender => {
            send(mqrpmt, run, Role::Sender)?;
            receive(mqrpmt, run, Role::Receiver)
        }
        Role::Receiver => {
            let received = receive(mqrpmt, run, Role::Sender)?;
            send(mqrpmt, run, Role::Receiver)?;
            Ok(received)
        }
    }
}

/// What the receiver got, and which of it.
struct Received {
    width: usize,
    hits: Hits,
    bytes: Zeroizing<Vec<u8>>,
}

impl Received {
    fn conclude(self) -> Result<Outcome, ProtocolError> {
        let Self { width, hits, bytes } = self;
        hits.fault()?;
        let items = bytes.par_chunks(width.max(1) * VALUES_A_TASK);
        let lacking = items.zip(hits.e.par_chunks(VALUES_A_TASK)).map(|(items, e)| {
            let items = items.chunks_exact(width.max(1)).zip(e);
            items.filter(|(_, e)| !**e).map(|(item, _)| item).collect::<Vec<_>>().concat()
        });
        let bytes = lacking.collect::<Vec<_>>().concat();
        Ok(Outcome::Lacking { width, bytes })
    }
}

fn receive(mqrpmt: MqRpmt, run: &mut Run<'_>, from: Role) -> Result<Received, ProtocolError> {
    let hits = p1(mqrpmt, run)?;
    receive_items(run, from, hits)
}

fn send(mqrpmt: MqRpmt, run: &mut Run<'_>, from: Role) -> Result<(), ProtocolError> {
    let order = shuffled_p2(mqrpmt, run)?;
    send_items(run, from, &order)
}

fn receive_items(run: &mut Run<'_>, from: Role, hits: Hits) -> Result<Received, ProtocolError> {
    let width = run.input.peer_attached.width();
    let lacking: Vec<bool> = hits.e.iter().map(|e| !e).collect();
    let bytes = transfer::receive_one_sided(&mut run.means, from, &lacking, width)?;
    Ok(Received { width, hits, bytes })
}

fn send_items(run: &mut Run<'_>, from: Role, order: &[u32]) -> Result<(), ProtocolError> {
    let (width, bytes) = run.input.attached.items();
    let items = gathered(order, width, |index| &bytes[index * width..]);
    transfer::send_one_sided(&mut run.means, from, &items, width)
}

pub(super) fn cost(mqrpmt: MqRpmt, shape: &Shape) -> Cost {
    let (sender, receiver, rounds) =
        one_sided_cost(shape.sender / shape.per_row, shape.attached.width());
    if shape.reveal == Reveal::Receiver {
        return and(mqrpmt.cost(shape), sender, receiver, rounds);
    }
    let back = Shape {
        sender: shape.receiver,
        receiver: shape.sender,
        reveal: Reveal::Receiver,
        attached: shape.returned,
        returned: shape.attached,
        ..*shape
    };
    let Some(tests) = mqrpmt.cost_of_both(shape) else {
        let second = cost(mqrpmt, &back);
        let once = and(mqrpmt.cost(shape), sender, receiver, rounds);
        return and(once, second.receiver, second.sender, second.rounds);
    };
    let once = and(tests, sender, receiver, rounds);
    let (sender, receiver, rounds) =
        one_sided_cost(back.sender / back.per_row, back.attached.width());
    and(once, receiver, sender, rounds)
}
