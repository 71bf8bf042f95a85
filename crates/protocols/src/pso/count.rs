//! Count: the weight of `e`.

use veilset_channel::ChannelExt;

use super::{and, shuffled_client};
use crate::matching::Hits;
use crate::mqrpmt::{Engine, weight};
use crate::wire::{Total, frames};
use crate::{Conclusion, Cost, Outcome, PartyCost, ProtocolError, Reveal, Role, Run, Shape};

pub(super) fn run(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.role {
        Role::Receiver => receiver(engine, run),
        Role::Sender => sender(engine, run),
    }
}

fn receiver(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let indication = engine.server(run)?;
    let conclude = |hits: Hits| {
        hits.fault()?;
        Ok(Outcome::Count(weight(&hits.e)))
    };
    if run.reveal == Reveal::Receiver {
        return Ok(Box::new(move || conclude(indication.bits())));
    }
    run.channel.phase("count");
    let hits = indication.bits();
    run.channel.put(&Total(weight(&hits.e).min(run.elements.len() as u64)))?;
    Ok(Box::new(move || conclude(hits)))
}

fn sender(engine: Engine, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    shuffled_client(engine, run)?;
    if run.reveal == Reveal::Receiver {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    run.channel.phase("count");
    let most = run.elements.len().min(run.peer_count) as u64;
    let Total(count) = run.channel.take(&most)?;
    Ok(Box::new(move || Ok(Outcome::Count(count))))
}

pub(super) fn cost(engine: Engine, shape: &Shape) -> Cost {
    let base = engine.cost(shape);
    match shape.reveal {
        Reveal::Receiver => base,
        Reveal::Both => {
            let total = PartyCost { bytes_sent: 8.0 + frames(1), ..PartyCost::default() };
            and(base, PartyCost::default(), total, 1)
        }
    }
}
