//! What a run costs without a match, or with all rounds.

use veilset_structures::match_bits;

use super::{MOST, Sizes, Verdict, shower};
use crate::exchange::point_bytes;
use crate::wire::{frames, size, values_bytes};
use crate::{Cost, PartyCost, Role, Shape};

/// Of lists of at most [`MOST`] entries; longer ones have no end.
pub(super) fn cost(shape: &Shape) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.sender.max(shape.receiver) > MOST {
        return Cost::endless();
    }
    let sizes = Sizes { receiver: shape.receiver as u32, sender: shape.sender as u32 };
    let composition = shape.params.scheme.composition();
    let rounds = composition.rounds(sizes);
    let bits = match_bits(size(shape.sender), size(shape.receiver));
    let mut parties = [party(shape.sender, shape.receiver), party(shape.receiver, shape.sender)];
    for message in 0..=rounds {
        let party = &mut parties[usize::from(shower(message) == Role::Receiver)];
        let mut bytes = 0.0;
        if message > 0 {
            bytes += Verdict::LEN as f64 + frames(1);
        }
        if message < rounds {
            let pairs = composition.count(sizes, message);
            bytes += values_bytes(pairs, bits);
            party.maps += pairs as f64;
            party.multiplications += pairs as f64;
        }
        party.bytes_sent += bytes;
        party.in_turn += bytes;
    }
    let [sender, receiver] = parties;
    Cost { sender, receiver, rounds: 3 + u64::from(rounds), waits: 0 }
}

/// Steps 1 and 2 of the engine.
fn party(own: u64, peer: u64) -> PartyCost {
    PartyCost {
        multiplications: 2.0 * own as f64 + peer as f64,
        maps: own as f64,
        bytes_sent: point_bytes(own, POINT) + point_bytes(peer, POINT),
        // Masked, known and of the peer; of a round the pairs, their entries, points, values and decoys.
        memory: 150.0 * own as f64 + 64.0 * peer as f64 + 400.0 * (own + peer) as f64,
        ..PartyCost::default()
    }
}

/// Bytes of a point of ristretto255.
const POINT: usize = 32;
