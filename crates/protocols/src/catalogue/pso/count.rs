//! Count: the weight of `e`.

use veilset_channel::ChannelExt;

use super::{and, shuffled_p2};
use crate::kit::membership::Hits;
use crate::kit::mqrpmt::{MqRpmt, weight};
use crate::kit::wire::{Total, frames};
use crate::{Conclusion, Cost, Outcome, PartyCost, ProtocolError, Reveal, Role, Run, Shape};

pub(super) fn run(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.side.role {
        Role::Receiver => receiver(mqrpmt, run),
        Role::Sender => sender(mqrpmt, run),
    }
}

fn receiver(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let indication = mqrpmt.p1(&run.input, &mut run.means)?;
    let conclude = |hits: Hits| {
        hits.fault()?;
        Ok(Outcome::Count(weight(&hits.e)))
    };
    if run.side.reveal == Reveal::Receiver {
        return Ok(Box::new(move || conclude(indication.bits())));
    }
    run.means.channel.phase("count");
    let hits = indication.bits();
    run.means.channel.put(&Total(weight(&hits.e).min(run.input.elements.len() as u64)))?;
    Ok(Box::new(move || conclude(hits)))
}

fn sender(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    shuffled_p2(mqrpmt, run)?;
    if run.side.reveal == Reveal::Receiver {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    run.means.channel.phase("count");
    let most = run.input.elements.len().min(run.input.peer_count) as u64;
    let Total(count) = run.means.channel.take(&most)?;
    Ok(Box::new(move || Ok(Outcome::Count(count))))
}

pub(super) fn cost(mqrpmt: MqRpmt, shape: &Shape) -> Cost {
    let base = mqrpmt.cost(shape);
    match shape.reveal {
        Reveal::Receiver => base,
        Reveal::Both => {
            let total = PartyCost { bytes_sent: 8.0 + frames(1), ..PartyCost::default() };
            and(base, PartyCost::default(), total, 1)
        }
    }
}
