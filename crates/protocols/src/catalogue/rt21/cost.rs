//! What a run costs.

use veilset_crypto::Group;

use super::messages::coefficient_chunks;
use super::{Set, coefficients};
use crate::kit::wire::{bits_bytes, frames, size};
use crate::{Cost, PartyCost, Reveal, Shape, Spec};

/// What an element takes beside its multiplications, in passes; as those of [`crate::kit::vole_oprf`], measured on one
/// processor, from 2^8 to 2^20 elements.
struct Arithmetic {
    /// Evaluation, for each doubling of the smaller of the polynomial and the points.
    evaluation: f64,
    /// Interpolation, whatever its size.
    interpolation: f64,
    /// Of a second message and its key, in multiplications.
    agreement: f64,
}

const CURVE: Arithmetic = Arithmetic { evaluation: 2.6, interpolation: 80.0, agreement: 1.1 };
const FINITE_FIELD: Arithmetic =
    Arithmetic { evaluation: 82.0, interpolation: 1200.0, agreement: 0.7 };

/// Bytes that an element takes on a side that has it, and in an evaluation or interpolation.
const MEMORY: [f64; 2] = [250.0, 3000.0];

/// Bytes that a coefficient takes on the side that evaluates: as a message, an element and words.
const COEFFICIENT: f64 = 100.0;

pub(super) fn cost(shape: &Shape, spec: &Spec) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.larger() > spec.max_elements {
        return Cost::endless();
    }
    let arithmetic = if shape.choices.group() == Group::Ffdhe2048 { FINITE_FIELD } else { CURVE };
    let len = shape.choices.group().point_len();
    let count = coefficients(size(shape.receiver));
    let set = Set::new(size(shape.sender), size(shape.receiver), 0, spec.security).bytes();
    let poly = (len * count) as f64 + frames(coefficient_chunks(len, count).count());
    let first = len as f64 + frames(1);
    let both = shape.reveal == Reveal::Both;
    let indication = if both { bits_bytes(shape.sender) } else { 0.0 };
    let (sender, receiver) = (shape.sender as f64, shape.receiver as f64);
    let width = len as f64 / 32.0;
    Cost {
        sender: PartyCost {
            multiplications: sender,
            maps: sender,
            turns: true,
            passes: arithmetic.evaluation
                * (count as f64).min(sender.max(2.0)).log2()
                * sender.max(receiver),
            bytes_sent: first + set,
            in_turn: first + set,
            memory: width
                * (MEMORY[0] * sender + MEMORY[1] * sender.min(receiver) + COEFFICIENT * receiver),
        },
        receiver: PartyCost {
            multiplications: arithmetic.agreement * receiver,
            turns: true,
            passes: arithmetic.interpolation * receiver,
            bytes_sent: poly + indication,
            in_turn: poly,
            memory: width * (MEMORY[0] + MEMORY[1]) * receiver,
            ..PartyCost::default()
        },
        rounds: 3 + u64::from(both),
        waits: 0,
    }
}
