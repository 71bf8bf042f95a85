//! What a run costs.

use std::ops::Range;

use veilset_crypto::{PrimeGroup, Ristretto255};

use super::algorithms::SCALING;
use super::batches;
use super::layout::{Layout, Spread};
use super::messages::ciphertext_chunks;
use crate::kit::wire::{frames, size, values_bytes};
use crate::{Cost, PartyCost, Reveal, Shape};

/// Of sets of at most `most` elements; larger ones have no end.
pub(super) fn cost(shape: &Shape, most: u64, spread: Spread) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.larger() > most {
        return Cost::endless();
    }
    let field = Ristretto255.field();
    let layout = spread.layout(field, size(shape.sender), size(shape.receiver));
    let work = layout.work(field, size(shape.receiver)).map(|work| work as f64 / SCALING as f64);
    let both = shape.reveal == Reveal::Both;
    let names = shape.sender.min(shape.receiver);
    let names = if both { values_bytes(names, u128::BITS) } else { 0.0 };
    let (asked, answered) = (bytes(&layout, layout.receiver), bytes(&layout, layout.result_len()));
    let in_turn = |bytes: f64| if layout.bins == 1 { bytes } else { 0.0 };
    // Roots and bins; and what a product of a batch takes.
    let batch = layout.result_len().max(BATCH) as f64;
    let memory =
        |elements: u64| 200.0 * elements as f64 + 64.0 * layout.bins as f64 + 2_000.0 * batch;
    Cost {
        sender: PartyCost {
            multiplications: work[0],
            bytes_sent: answered,
            in_turn: in_turn(answered),
            memory: memory(shape.sender),
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: work[1],
            bytes_sent: 32.0 + frames(1) + asked + names,
            in_turn: in_turn(asked),
            memory: memory(shape.receiver),
            ..PartyCost::default()
        },
        rounds: 2 + u64::from(both),
        waits: 0,
    }
}

/// Ciphertexts in a batch of small bins.
const BATCH: usize = 2048;

/// Of so many coefficients in each bin, with frame headers.
fn bytes(layout: &Layout, coefficients: usize) -> f64 {
    let frames_of =
        |range: Range<usize>| ciphertext_chunks(&Ristretto255, range.len() * coefficients).count();
    let count: usize = batches(&Ristretto255, layout).ranges().map(frames_of).sum();
    (layout.bins * coefficients) as f64 * 64.0 + frames(count)
}
