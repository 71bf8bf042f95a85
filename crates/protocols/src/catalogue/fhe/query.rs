//! The receiver's part: encrypted powers, and what the answers say.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_bfv::{Ciphertext, Ring, SecretKey, WireError};
use zeroize::Zeroizing;

use super::evaluation::{Query, answer_scale};
use super::items::HashedItem;
use super::parameters::FheParameters;
use super::variant::Items;
use crate::ProtocolError;
use crate::kit::cuckoo::insert;

/// What a receiver keeps while it waits for answers.
pub(crate) struct PendingQuery {
    pub(super) secret: SecretKey,
    /// The item of each bin.
    pub(super) bins: Vec<Option<u32>>,
}

/// A query for these items, with fresh keys.
///
/// # Errors
/// When they find no places, which happens in at most one of 2^42 runs.
pub(crate) fn ask(
    parameters: &FheParameters,
    ring: &Ring,
    items: &[HashedItem],
    rng: &mut dyn CryptoRng,
) -> Result<(PendingQuery, Query), ProtocolError> {
    let bins = bins(parameters, items)?;
    let secret = SecretKey::generate(ring, rng);
    let relinearisation = parameters.special.map(|_| secret.relinearisation(ring, rng));
    let zeros = vec![0; parameters.slots()];
    let public = parameters.flood.map(|_| secret.encrypt(ring, &zeros, rng));
    let exponents = parameters.powers.sent();
    let mut powers = Vec::with_capacity(parameters.locations * exponents.len());
    for location in 0..parameters.locations {
        let values = values(parameters, ring, items, &bins, location, rng);
        let mut power = Zeroizing::new(vec![1; values.len()]);
        for exponent in 1..=exponents.iter().copied().max().unwrap_or(0) {
            for (power, value) in power.iter_mut().zip(values.iter()) {
                *power = ring.multiply_plain(*power, *value);
            }
            if let Some(place) = exponents.iter().position(|sent| *sent == exponent) {
                powers.push((location * exponents.len() + place, power.clone()));
            }
        }
    }
    powers.sort_by_key(|(place, _)| *place);
    let powers = powers.into_iter().map(|(_, mut power)| {
        ring.encode(&mut power);
        secret.encrypt(ring, &power, rng)
    });
    let powers = powers.collect();
    Ok((PendingQuery { secret, bins }, Query { relinearisation, public, powers }))
}

fn bins(
    parameters: &FheParameters,
    items: &[HashedItem],
) -> Result<Vec<Option<u32>>, ProtocolError> {
    if !parameters.variant.hashing {
        return Ok((0..).take(items.len()).map(Some).collect());
    }
    let places: Vec<Vec<usize>> = items.iter().map(|item| item.places.clone()).collect();
    insert(parameters.table, &places).ok_or(ProtocolError::Overfull)
}

/// The slots of a location: the parts of the items of its bins, and random numbers, or one that is no item's and not that with which
/// the sender fills up.
fn values(
    parameters: &FheParameters,
    ring: &Ring,
    items: &[HashedItem],
    bins: &[Option<u32>],
    location: usize,
    rng: &mut dyn CryptoRng,
) -> Zeroizing<Vec<u64>> {
    let t = u128::from(ring.parameters().t());
    let mut random = || match parameters.variant.items {
        Items::OfFunction => ((u128::from(rng.next_u64()) * t) >> 64) as u64,
        Items::OfBits(_) => (t - 2) as u64,
    };
    let mut values = Zeroizing::new((0..parameters.slots()).map(|_| random()).collect::<Vec<_>>());
    let each = parameters.bins_a_ciphertext;
    for (place, item) in bins.iter().skip(location * each).take(each).enumerate() {
        let Some(item) = item else { continue };
        for (felt, value) in items[*item as usize].felts.iter().enumerate() {
            values[felt * each + place] = *value;
        }
    }
    values
}

/// An answer, down to one prime.
pub(super) fn read(
    parameters: &FheParameters,
    ring: &Ring,
    answer: &[u8],
    scale: u64,
) -> Result<Ciphertext, WireError> {
    if parameters.variant.switching {
        let scale = ring.switched_scale(scale, parameters.working, 1);
        return parameters.cut.read(ring, answer, scale);
    }
    let FheParameters { working, .. } = *parameters;
    let parts = parameters.answer_parts();
    let mut ciphertext = Ciphertext::read(ring, answer, working, parts, scale)?;
    while ciphertext.level() > 1 {
        ring.switch_down(&mut ciphertext);
    }
    Ok(ciphertext)
}

/// What the answers say of each item.
pub(crate) struct ItemMatches {
    /// Whether it matches.
    pub(crate) matches: Vec<bool>,
    /// As many residues as a label has: zeros where it does not match.
    pub(crate) labels: Zeroizing<Vec<u64>>,
}

impl PendingQuery {
    /// What the answers say of `count` items, location by location and partition by partition.
    ///
    /// # Errors
    /// When an answer is not what the parameters say.
    pub(crate) fn found(
        &self,
        parameters: &FheParameters,
        ring: &Ring,
        answers: &[Vec<u8>],
        count: usize,
    ) -> Result<ItemMatches, WireError> {
        let scale = answer_scale(parameters, ring);
        let slots = answers.par_iter().map(|answer| {
            let ciphertext = read(parameters, ring, answer, scale)?;
            let mut slots = Zeroizing::new(self.secret.decrypt(ring, &ciphertext));
            ring.decode(&mut slots);
            Ok(slots)
        });
        let slots = slots.collect::<Result<Vec<_>, WireError>>()?;
        let words = parameters.words();
        let labels = Zeroizing::new(vec![0; count * words]);
        let mut found = ItemMatches { matches: vec![false; count], labels };
        for (index, slots) in slots.chunks_exact(parameters.polynomials()).enumerate() {
            let each = parameters.bins_a_ciphertext;
            let bins = self.bins.iter().skip(index / parameters.partitions * each).take(each);
            for (place, item) in bins.enumerate() {
                let Some(item) = item.map(|item| item as usize) else { continue };
                let mut parts = slots
                    .iter()
                    .flat_map(|slots| slots[place..].iter().step_by(each).take(parameters.felts));
                // All are looked at, whatever they are.
                let matched = parts.by_ref().take(parameters.felts);
                let zero = matched.fold(0, |any, part| any | part) == 0;
                found.matches[item] |= zero;
                let taken = u64::from(zero).wrapping_neg();
                let words = found.labels[item * words..][..words].iter_mut();
                words.zip(parts).for_each(|(word, part)| *word |= part & taken);
            }
        }
        Ok(found)
    }
}
