//! What a run costs.

use veilset_channel::MAX_BODY;

use super::MAX_ELEMENTS;
use super::parameters::{FheParameters, FheSizes};
use crate::kit::exchange::point_bytes;
use crate::kit::wire::{frames, size, values_bytes};
use crate::{Cost, PartyCost, Reveal, Shape};

/// Seconds of a pass, on the processor where those of [`FheParameters`] were measured.
const PASS: f64 = 0.08e-6;

/// By what a run takes longer than its butterflies and products, for memory, random numbers and packing; this and [`ELEMENT`] were
/// measured on one core, from 2^16 to 2^20 elements of the sender and 1 to 5535 of the receiver.
const BESIDES: f64 = 1.6;

/// Passes of an element of the sender beside its polynomials: its hashes, its places and the random order.
const ELEMENT: f64 = 20.0;

/// What a run costs.
pub(super) fn cost(shape: &Shape) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.larger() > MAX_ELEMENTS {
        return Cost::endless();
    }
    let sizes = FheSizes { sender: size(shape.sender), receiver: size(shape.receiver), slack: 0 };
    let width = shape.attached.width();
    let best = FheParameters::best_with_labels(sizes, shape.choices.into(), width);
    let Some(parameters) = best else {
        return Cost::endless();
    };
    let (own, peer) = (shape.sender as f64, shape.receiver as f64);
    let points = point_bytes(shape.receiver, 32);
    let answers = parameters.all_answers_bytes() as f64
        + parameters.answers() as f64 * frames(parameters.answer_bytes().div_ceil(MAX_BODY));
    let query = parameters.query_bytes() as f64 + frames(parameters.query_frames());
    let computing = parameters.seconds() + parameters.offline_seconds();
    let sender = PartyCost {
        multiplications: own + peer,
        maps: own,
        turns: true,
        passes: BESIDES * computing / PASS + ELEMENT * own,
        bytes_sent: points + answers,
        in_turn: points + answers,
        memory: parameters.memory() + 200.0 * own,
    };
    let both = shape.reveal == Reveal::Both;
    let names = if both { values_bytes(shape.receiver, u128::BITS) } else { 0.0 };
    let receiver = PartyCost {
        multiplications: 2.0 * peer,
        maps: peer,
        turns: true,
        passes: 0.0,
        bytes_sent: points + query + names,
        in_turn: points + query + names,
        memory: 8.0 * parameters.query_bytes() as f64 + parameters.reading() + 300.0 * peer,
    };
    Cost { sender, receiver, rounds: 3 + u64::from(both), waits: 1 }
}
