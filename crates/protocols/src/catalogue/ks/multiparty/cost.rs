//! What a run costs a party.

use veilset_channel::{Chunks, MAX_BODY};
use veilset_crypto::{PrimeGroup, Ristretto255};
use veilset_poly::cost;

use crate::catalogue::ks::algebra::masked_len;
use crate::catalogue::ks::algorithms::{ENCRYPTION, SCALING, SUM_TERM, evaluation, multiplication};
use crate::kit::wire::{frames, size};
use crate::{MultipartyCost, Parties, PartyCost};

/// Bytes that a coefficient takes while polynomials are multiplied, as in `ks`.
const BYTES_A_COEFFICIENT: f64 = 2_000.0;

/// Bytes that a coefficient takes for each party: two elements of 160 bytes in the sums that all broadcast, a partial decryption as it came
/// and decoded, and its weight.
const BYTES_A_SUM: f64 = 544.0;

/// Bytes of an encoded group element.
const ELEMENT: u64 = 32;

/// Key, sets, sums and decryption.
const ROUNDS: u64 = 4;

/// What all compute and send when all ask what all have, on ristretto255.
pub(super) fn cost(parties: &Parties<'_>) -> MultipartyCost {
    let sizes = parties.sizes;
    if parties.has_an_empty_set() {
        return MultipartyCost::nothing(sizes.len());
    }
    let parties: Vec<_> = sizes.iter().map(|own| of_party(sizes, *own)).collect();
    // Each tells all others the same.
    let all: f64 = parties.iter().map(|party| party.bytes_sent).sum();
    let others = (sizes.len() - 1) as f64;
    let received = parties.iter().map(|party| (all - party.bytes_sent) / others).collect();
    MultipartyCost { parties, received, rounds: ROUNDS }
}

/// What a party with `own` elements sends each other one, where sums have `len` coefficients.
fn to_another(parties: u64, own: u64, len: u64) -> f64 {
    let [set, masked] = [own, len].map(|ciphertexts| 2 * ELEMENT * ciphertexts);
    // Commitments with a proof, a share, an opening, and two digests; a part of a decryption with its proof.
    let key = 2 * ELEMENT * parties + 6 * ELEMENT;
    let partial = ELEMENT * len + 2 * ELEMENT;
    let chunks = |bytes: u64| Chunks::new(size(bytes), MAX_BODY).count();
    let frames_of = chunks(set) + chunks(masked) + chunks(partial) + 5;
    (key + set + masked + partial) as f64 + frames(frames_of)
}

/// Of the party with `own` elements. It grows with the product of two sizes.
fn of_party(sizes: &[usize], own: usize) -> PartyCost {
    let field = Ristretto255.field();
    let (parties, len) = (sizes.len() as u64, masked_len(sizes.iter().copied()));
    let product = |size: &usize| {
        let (mask, set) = (len - size, size + 1);
        2 * cost::multiply(multiplication(field, mask, set), mask, set).scalings
    };
    let products: u64 = SCALING * sizes.iter().map(product).sum::<u64>();
    let values = match evaluation(field, len, own) {
        Some(how) => SCALING * cost::evaluate(how, len, own).scalings,
        None => own as u64 * len as u64 * SUM_TERM,
    };
    let (own, len) = (own as u64, len as u64);
    let encrypted = ENCRYPTION * (own + len);
    // The own part and its proof; of each party's part the proof, and its place in the sum.
    let decrypted = len * (SCALING + 2 * SUM_TERM + parties * 3 * SUM_TERM);
    PartyCost {
        multiplications: (products + values + encrypted + decrypted) as f64 / SCALING as f64,
        bytes_sent: (parties - 1) as f64 * to_another(parties, own, len),
        memory: len as f64 * (BYTES_A_COEFFICIENT + BYTES_A_SUM * parties as f64),
        ..PartyCost::default()
    }
}
