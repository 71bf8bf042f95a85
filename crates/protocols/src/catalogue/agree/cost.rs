//! What a run costs without a match, or with all rounds.

use std::mem;
use std::ops::Range;

use veilset_crypto::paillier::KeySize;
use veilset_structures::match_bits;

use super::implicit::{COEFFICIENTS, ENTRY_BITS};
use super::keys::Reuse;
use super::schedule::shower;
use super::scheme::Sizes;
use super::verdict::Verdict;
use super::{Comparator, Course, paillier};
use crate::kit::exchange::point_bytes;
use crate::kit::paillier::packing::Slots;
use crate::kit::paillier::{
    DECRYPTION, ENCRYPTION, KEY_MEMORY, KEY_WORK, PRODUCTS, RERANDOMISATION, RESIDUE,
    ciphertext_bytes,
};
use crate::kit::wire::{frames, size, values_bytes};
use crate::{Cost, PartyCost, Role, Shape};

/// Of lists of at most `most` entries; longer ones have no end.
pub(super) fn cost(shape: &Shape, most: u64, course: Course, comparator: Comparator) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    if shape.larger() > most {
        return Cost::endless();
    }
    let sizes = Sizes { receiver: shape.receiver as u32, sender: shape.sender as u32 };
    let composition = course.composition(shape.choices.scheme, sizes);
    let rounds = composition.rounds(sizes);
    let model = Model::new(comparator, shape);
    let mut parties = [(shape.sender, shape.receiver), (shape.receiver, shape.sender)]
        .map(|(own, peer)| model.setup(own, peer));
    if course == Course::PairByPair {
        parties.iter_mut().for_each(|party| party.memory += PAIR_MEMORY * f64::from(rounds));
    }
    let mut offered = [sizes.sender, sizes.receiver].map(|size| vec![false; size as usize]);
    for message in 0..=rounds {
        let [shows, tests] = [shower(message), shower(message).other()];
        let mut bytes = 0.0;
        if message > 0 {
            bytes += Verdict::LEN as f64 + frames(1);
        }
        if message < rounds {
            let pairs = composition.count(sizes, message);
            bytes += model.shown_bytes(pairs);
            model.add_work(pairs, [shows, tests], &mut parties);
            let due = match model.reuse() {
                None => 0,
                Some(Reuse::Fresh) => pairs,
                Some(Reuse::Cached) => {
                    let places = composition.places(sizes, message, tests);
                    newly(places, &mut offered[tests as usize])
                }
            };
            let tester = &mut parties[tests as usize];
            tester.multiplications += due as f64 * model.offer_products() / PRODUCTS;
            tester.bytes_sent += model.offer_bytes(due);
        }
        let party = &mut parties[shows as usize];
        party.bytes_sent += bytes;
        party.in_turn += bytes;
    }
    let [sender, receiver] = parties;
    Cost { sender, receiver, rounds: 3 + u64::from(rounds), waits: 0 }
}

/// How many of these places of a tester come up for the first time; `offered` says which have.
fn newly(places: Range<u32>, offered: &mut [bool]) -> u64 {
    places.map(|place| u64::from(!mem::replace(&mut offered[place as usize], true))).sum()
}

/// Bytes of a round of one pair: its places, and the costs of its phase.
const PAIR_MEMORY: f64 = 100.0;

/// Bytes of a point of ristretto255.
const POINT: usize = 32;

/// What a comparator does in a run.
struct Model {
    comparator: Comparator,
    /// Bits of a value of Diffie–Hellman.
    bits: u32,
    /// Of values under Paillier's encryption.
    slots: Slots,
}

impl Model {
    fn new(comparator: Comparator, shape: &Shape) -> Self {
        let (sender, receiver) = (size(shape.sender), size(shape.receiver));
        let slots = paillier::slots(comparator.key_size(), sender, receiver, 0);
        Self { comparator, bits: match_bits(sender, receiver), slots }
    }

    /// How often an entry is offered, if entries are.
    fn reuse(&self) -> Option<Reuse> {
        match self.comparator {
            Comparator::DiffieHellman => None,
            Comparator::Paillier(_, reuse) => Some(reuse),
            Comparator::Implicit(_) => Some(Reuse::Cached),
        }
    }

    /// Before the rounds.
    fn setup(&self, own: u64, peer: u64) -> PartyCost {
        let (mine, theirs) = (own as f64, peer as f64);
        match self.comparator {
            Comparator::DiffieHellman => PartyCost {
                multiplications: 2.0 * mine + theirs,
                maps: mine,
                bytes_sent: point_bytes(own, POINT) + point_bytes(peer, POINT),
                // Masked, known and of the peer; of a round the pairs, their entries, points, values and decoys.
                memory: 150.0 * mine + 64.0 * theirs + 400.0 * (mine + theirs),
                ..PartyCost::default()
            },
            Comparator::Paillier(key, _) | Comparator::Implicit(key) => PartyCost {
                multiplications: (KEY_WORK[0] + KEY_WORK[1]) / PRODUCTS,
                bytes_sent: key.key_len() as f64 + frames(1),
                // Of both keys; what the peer offers; of two rounds the pairs, their values and numbers.
                memory: 2.0 * KEY_MEMORY
                    + (COEFFICIENTS as f64 * theirs + 4.0 * mine.min(theirs)) * RESIDUE,
                ..PartyCost::default()
            },
        }
    }

    fn shown_bytes(&self, pairs: u64) -> f64 {
        match self.comparator {
            Comparator::DiffieHellman => values_bytes(pairs, self.bits),
            Comparator::Paillier(key, _) => {
                ciphertext_bytes(key, size(pairs).div_ceil(self.slots.count))
            }
            Comparator::Implicit(key) => ciphertext_bytes(key, size(pairs)),
        }
    }

    fn offer_bytes(&self, offers: u64) -> f64 {
        match self.comparator {
            Comparator::DiffieHellman => 0.0,
            Comparator::Paillier(key, _) => ciphertext_bytes(key, size(offers)),
            Comparator::Implicit(key) => ciphertext_bytes(key, COEFFICIENTS * size(offers)),
        }
    }

    /// Products modulo N² of an offer.
    fn offer_products(&self) -> f64 {
        match self.comparator {
            Comparator::DiffieHellman => 0.0,
            Comparator::Paillier(..) => ENCRYPTION as f64,
            Comparator::Implicit(_) => (COEFFICIENTS as u64 * ENCRYPTION) as f64,
        }
    }

    /// Of the pairs of a round: what the side does that shows them, and the one that tests.
    fn add_work(&self, pairs: u64, [shows, tests]: [Role; 2], parties: &mut [PartyCost; 2]) {
        // A power takes a product a bit, one for each fourth or fifth, and a table.
        let power = |bits: u32| f64::from(bits) * 1.25 + 16.0;
        let count = pairs as f64;
        let [shown, tested] = match self.comparator {
            Comparator::DiffieHellman => {
                parties[shows as usize].maps += count;
                parties[shows as usize].multiplications += count;
                return;
            }
            Comparator::Paillier(..) => {
                let packed = size(pairs).div_ceil(self.slots.count) as f64;
                let value = power(self.slots.bits) + f64::from(self.slots.width);
                [count * value + packed * RERANDOMISATION as f64, packed * DECRYPTION as f64]
            }
            Comparator::Implicit(key) => {
                let value = power(ENTRY_BITS) + power(key.bits()) + RERANDOMISATION as f64;
                [count * value, count * DECRYPTION as f64]
            }
        };
        parties[shows as usize].multiplications += shown / PRODUCTS;
        parties[tests as usize].multiplications += tested / PRODUCTS;
    }
}

impl Comparator {
    fn key_size(self) -> KeySize {
        match self {
            Self::Paillier(size, _) | Self::Implicit(size) => size,
            Self::DiffieHellman => KeySize::B2048,
        }
    }
}
