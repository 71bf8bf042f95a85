//! Count: the weight of `e`.

use veilset_channel::ChannelExt;

use super::{and, both, p1, shuffled_p2};
use crate::kit::membership::Hits;
use crate::kit::mqrpmt::{MqRpmt, weight};
use crate::kit::wire::{Total, frames};
use crate::{Conclusion, Cost, Outcome, PartyCost, ProtocolError, Reveal, Role, Run, Shape};

pub(super) fn run(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.side.role {
        _ if tests_both(run.side.reveal, run.input.per_row as u64) => of_both(mqrpmt, run),
        Role::Receiver => receiver(mqrpmt, run),
        Role::Sender => sender(mqrpmt, run),
    }
}

/// Whether the rows of both sides are tested: where a row is several elements, fewer rows of one side than of the other can match.
fn tests_both(reveal: Reveal, per_row: u64) -> bool {
    reveal == Reveal::Both && per_row > 1
}

/// Each side tells how many of the other's rows match, the receiver first; the smaller number is the result.
fn of_both(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let per_row = run.input.per_row as u64;
    let rows = run.input.elements.len() as u64 / per_row;
    let hits = match (both(mqrpmt, run), run.side.role) {
        (Some(tested), _) => tested?.0,
        (None, Role::Sender) => {
            shuffled_p2(mqrpmt, run)?;
            p1(mqrpmt, run)?
        }
        (None, Role::Receiver) => {
            let hits = p1(mqrpmt, run)?;
            shuffled_p2(mqrpmt, run)?;
            hits
        }
    };
    run.means.channel.phase("count");
    let of_peer = weight(&hits.e);
    if run.side.role == Role::Receiver {
        run.means.channel.put(&Total(of_peer))?;
    }
    // A row of the peer matches as many of this side's as it has elements, at most.
    let Total(own) = run.means.channel.take(&rows.min(per_row * of_peer))?;
    if run.side.role == Role::Sender {
        run.means.channel.put(&Total(of_peer))?;
    }
    Ok(Box::new(move || {
        hits.fault()?;
        Ok(Outcome::Count(own.min(of_peer)))
    }))
}

fn receiver(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let per_row = run.input.per_row;
    let indication = mqrpmt.p1(&run.input, &mut run.means)?;
    let conclude = move |hits: Hits| {
        let hits = hits.of_rows(per_row);
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
    let total = PartyCost { bytes_sent: 8.0 + frames(1), ..PartyCost::default() };
    if tests_both(shape.reveal, shape.per_row) {
        let back = Shape { sender: shape.receiver, receiver: shape.sender, ..*shape };
        let tests = mqrpmt.cost_of_both(shape).unwrap_or_else(|| {
            let back = mqrpmt.cost(&back);
            and(base, back.receiver, back.sender, back.rounds)
        });
        return and(tests, total, total, 1);
    }
    match shape.reveal {
        Reveal::Receiver => base,
        Reveal::Both => and(base, PartyCost::default(), total, 1),
    }
}
