//! What a run costs.

use super::layout::{KEY, Layout};
use super::messages::ciphertext_bytes;
use crate::wire::{frames, size, values_bytes};
use crate::{Cost, PartyCost, Reveal, Shape};

/// Multiplications modulo N² in the time of a scalar multiplication on ristretto255, in lanes or not.
pub(crate) const PRODUCTS: f64 = 5.0;

/// Finding a key, its tables and its proof, and testing that and making tables of one's own, in multiplications modulo N².
pub(crate) const KEY_WORK: [f64; 2] = [50_000.0, 200_000.0];

/// Bytes of tables for a key, at most.
pub(crate) const KEY_MEMORY: f64 = 2e7;

/// Bytes of a residue modulo N² with its box.
pub(crate) const RESIDUE: f64 = 672.0;

/// Of sets of at most `most` elements; larger ones have no end.
pub(super) fn cost(shape: &Shape, most: u64, layout: fn(usize, usize) -> Layout) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.sender.max(shape.receiver) > most {
        return Cost::endless();
    }
    let layout = layout(size(shape.sender), size(shape.receiver));
    let work = layout.work(size(shape.sender)).map(|work| work as f64);
    let both = shape.reveal == Reveal::Both;
    let names = shape.sender.min(shape.receiver);
    let names = if both { values_bytes(names, u128::BITS) } else { 0.0 };
    let (asked, answered) = (
        ciphertext_bytes(KEY, layout.coefficients()),
        ciphertext_bytes(KEY, layout.answers(size(shape.sender))),
    );
    // The tables of as many polynomials as there are threads, few beside the coefficients unless there is one.
    let tables = (layout.degree << layout.window) as f64 * RESIDUE;
    let coefficients = layout.coefficients() as f64;
    Cost {
        sender: PartyCost {
            multiplications: (KEY_WORK[0] + work[0]) / PRODUCTS,
            bytes_sent: answered,
            in_turn: answered,
            memory: KEY_MEMORY
                + coefficients * RESIDUE
                + 2.0 * tables
                + shape.sender as f64 * (RESIDUE + 500.0),
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: (KEY_WORK[1] + work[1]) / PRODUCTS,
            bytes_sent: KEY.key_len() as f64 + frames(1) + asked + names,
            in_turn: asked,
            memory: KEY_MEMORY + coefficients * 100.0 + shape.receiver as f64 * 100.0,
            ..PartyCost::default()
        },
        rounds: 2 + u64::from(both),
        waits: 0,
    }
}
