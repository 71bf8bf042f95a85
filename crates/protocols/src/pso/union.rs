//! Union: one-sided OT of what belongs to `x_i`, by `1 − e_i`.
//!
//! The receiver gets what the sender attached to each element that it lacks, in the sender's random order. If both learn,
//! the protocol runs a second time with the parts exchanged.

use zeroize::Zeroizing;

use super::shuffled_client;
use super::transfer::{self, one_sided_cost};
use crate::mqrpmt::Engine;
use crate::{
    Attached, AttachedShape, Conclusion, Cost, Outcome, ProtocolError, Reveal, Role, Run, Shape,
};

pub(super) fn run(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let roles = [run.role, run.role.other()];
    let passes = if run.reveal == Reveal::Both { 2 } else { 1 };
    let mut received = None;
    // In the first pass items go from the sender, in the second from the receiver.
    for (role, from) in roles.into_iter().zip([Role::Sender, Role::Receiver]).take(passes) {
        match role {
            Role::Receiver => received = Some(receive(engine, run, from)?),
            Role::Sender => send(engine, run, from)?,
        }
    }
    Ok(Box::new(|| Ok(received.map_or(Outcome::Nothing, |received| received.conclude()))))
}

/// What the receiver got, and which of it.
struct Received {
    width: usize,
    lacking: Vec<bool>,
    bytes: Zeroizing<Vec<u8>>,
}

impl Received {
    fn conclude(self) -> Outcome {
        let Self { width, lacking, bytes } = self;
        let items = bytes.chunks_exact(width.max(1)).zip(lacking);
        let lacking = items.filter(|(_, lacking)| *lacking);
        let bytes = lacking.flat_map(|(item, _)| item).copied().collect();
        Outcome::Lacking { width, bytes }
    }
}

fn receive(engine: Engine, run: &mut Run<'_>, from: Role) -> Result<Received, ProtocolError> {
    let width = width(run.peer_attached);
    let mut lacking = engine.server(run)?.bits()?;
    lacking.iter_mut().for_each(|e| *e = !*e);
    let bytes = transfer::receive_one_sided(run, from, &lacking, width)?;
    Ok(Received { width, lacking, bytes })
}

fn send(engine: Engine, run: &mut Run<'_>, from: Role) -> Result<(), ProtocolError> {
    let order = shuffled_client(engine, run)?;
    let (width, bytes) = match run.attached {
        Attached::Items { width, bytes } => (width, bytes),
        Attached::Nothing | Attached::Values { .. } => (0, [].as_slice()),
    };
    let item = |index: &u32| &bytes[*index as usize * width..][..width];
    let items: Vec<u8> = order.iter().flat_map(item).copied().collect();
    transfer::send_one_sided(run, from, &items, width)
}

fn width(attached: AttachedShape) -> usize {
    match attached {
        AttachedShape::Items { width } => width,
        AttachedShape::Nothing | AttachedShape::Values { .. } => 0,
    }
}

pub(super) fn cost(base: Cost, shape: &Shape, engine: Engine) -> Cost {
    let (sender, receiver, rounds) = one_sided_cost(shape.sender, width(shape.attached));
    let once = super::and(base, sender, receiver, rounds);
    if shape.reveal == Reveal::Receiver {
        return once;
    }
    let back = Shape {
        sender: shape.receiver,
        receiver: shape.sender,
        reveal: Reveal::Receiver,
        attached: shape.returned,
        returned: shape.attached,
        ..*shape
    };
    let second = cost(engine.cost(&back), &back, engine);
    super::and(once, second.receiver, second.sender, second.rounds)
}
