//! What a run costs.

use super::layout::{KEY, Layout};
use crate::kit::paillier::{KEY_MEMORY, KEY_WORK, PRODUCTS, RESIDUE, ciphertext_bytes};
use crate::kit::wire::{frames, size, values_bytes};
use crate::{Cost, PartyCost, Reveal, Shape};

/// Of sets of at most `most` elements; larger ones have no end.
pub(super) fn cost(shape: &Shape, most: u64, layout: fn(usize, usize) -> Layout) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.larger() > most {
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
