//! What a run costs a party.

use veilset_crypto::{PrimeGroup, Ristretto255};
use veilset_poly::cost;

use super::Condition;
use crate::PartyCost;
use crate::catalogue::ks::algebra::masked_len;
use crate::catalogue::ks::algorithms::{ENCRYPTION, SCALING, SUM_TERM, evaluation, multiplication};

/// Bytes of an encoded group element.
const ELEMENT: u64 = 32;

/// What the party with `own` elements computes and sends to all others when all ask what all have, on ristretto255. It grows
/// with the product of two sizes.
#[must_use]
pub fn cost(sizes: &[usize], own: usize) -> PartyCost {
    if Condition::InAll.is_settled(sizes) {
        return PartyCost::default();
    }
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
        bytes_sent: ((parties - 1) * ELEMENT * (2 * own + 3 * len)) as f64,
        ..PartyCost::default()
    }
}
