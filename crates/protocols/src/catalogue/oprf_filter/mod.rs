//! `oprf-filter`: lookups in a published set of masked items.
//!
//! Kales, Rechberger, Schneider, Senker and Weinert, "Mobile Private Contact Discovery at Scale" (USENIX Security 2019, section 4), with
//! the verifiable oblivious function of RFC 9497 (ristretto255, SHA-512) and labels sealed under its outputs.
//!
//! 1. The sender draws a key k and publishes the set of all fingerprints F_k(x), cut to t bits, with each fingerprint the
//!    item's sealed label, and the public key.
//! 2. The receiver sends its elements blinded, and
//! 3. the sender their products with k, and a proof that k is the published key's, for each frame of them.
//! 4. The receiver takes the blinds off and looks the fingerprints up on its own side.
//!
//! **Security.** The sender sees blinded elements, which are uniform, and no message after them. F_k is pseudorandom at every
//! element for which the receiver did not ask (Jarecki, Kiayias and Krawczyk, Asiacrypt 2014: one-more gap Diffie–Hellman,
//! random oracle), so fingerprints and seals of those are random strings to it, whatever it sends; it could ask for n₂
//! elements. The entry says semi-honest because a sender that cheats can look for elements whose fingerprints agree, so that
//! one fingerprint stands for several.
//!
//! [`Entries`], [`Mask`] and [`Sizing`] are all of it that needs no peer: a list that is served to many is made of them too. There step
//! 1 is done once for any number of lookups.

mod entries;
mod mask;
mod messages;
mod sizing;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Blob, ChannelExt, Chunks, MAX_BODY, PeerFault};
use veilset_crypto::oprf::{Blinding, Encoded, OprfError, Output, Proof, PublicKey, SecretKey};
use veilset_crypto::{Element, Group, RistrettoPrp, permutation};
use zeroize::Zeroizing;

pub use self::entries::{Entries, Entry, EntryFormat};
pub use self::mask::{MAX_LABEL, Mask, longest_in, seal_for};
use self::messages::{Key, ProofOfKey, Seals};
pub use self::sizing::Sizing;
use crate::kit::exchange::{chosen, not_an_element, point_bytes};
use crate::kit::membership::VALUES_A_TASK;
use crate::kit::set_encoding::SetTerms;
use crate::kit::wire::{Points, frames, point_chunks, size};
use crate::kit::wording::{LABELS, LISTED, SIZE, SIZES, UNLISTED};
use crate::{
    Allowed, Attached, AttachedShape, Conclusion, Cost, Means, Operation, Outcome, PartyCost,
    Protocol, ProtocolError, Reveal, Role, Run, Security, SetEncoding, Shape, Spec, Taken,
};

/// The registry entry.
pub(crate) struct OprfFilter;

static SPEC: Spec = Spec {
    id: "oprf-filter",
    title: "lookups in a published set of masked items",
    operation: Operation::Lookup,
    paper: "Kales et al., USENIX Security 2019; RFC 9497",
    security: Security::SemiHonest,
    assumption: "one-more gap Diffie–Hellman, random oracle",
    reveals: &[Reveal::Receiver],
    receiver: LISTED,
    sender: SIZE,
    residue: SIZE,
    leaks: &[SIZES, LABELS, UNLISTED],
    max_elements: 1 << 28,
    choices: Taken {
        group: Allowed::Of(&[Group::Ristretto255]),
        digest: Allowed::Of(&[SetEncoding::Sorted]),
        ..Taken::NOTHING
    },
    cut: false,
    auto: true,
    grouped: false,
    by_groups: None,
    on_shares: false,
    blind: false,
    withholds: false,
    with_rows: None,
};

impl Protocol for OprfFilter {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost(&shape)
    }

    fn kept(&self, shape: Shape) -> f64 {
        published_bytes(&shape)
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        if let Some(nothing) = run.without_listed() {
            return Ok(nothing);
        }
        match run.side.role {
            Role::Sender => sender(&mut run),
            Role::Receiver => receiver(&mut run),
        }
    }
}

/// How the set of fingerprints travels.
fn set(count: usize, queries: usize, slack: u32) -> SetTerms {
    SetTerms::new(SetEncoding::Sorted, count, queries).longer(slack)
}

/// Bytes of a sealed label.
fn seal(attached: AttachedShape) -> usize {
    match attached.width() {
        0 => 0,
        width => seal_for(width),
    }
}

fn sender(run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let Run { input, means, .. } = run;
    let count = input.elements.len();
    // Step 1.
    means.observer.begin("published set", count as u64);
    let key = SecretKey::generate(means.rng);
    let set = set(count, input.peer_count, input.slack);
    let format = EntryFormat { bits: set.bits(), seal: seal(input.attached.shape()) };
    let (mut fingerprints, seals) =
        masked(&key, &input.elements, input.attached, format, means.rng);
    means.observer.advance(count as u64);
    let order = set.put_ordered(means.channel, &mut fingerprints)?;
    let seals =
        order.iter().flat_map(|place| &seals[*place as usize * format.seal..][..format.seal]);
    let seals: Vec<u8> = seals.copied().collect();
    let mut chunks = seals.chunks(MAX_BODY);
    chunks.try_for_each(|chunk| means.channel.put::<Seals>(&Blob(chunk.to_vec())))?;
    means.channel.put(&Key(*key.public()))?;
    // Steps 2 and 3.
    means.step("blinded elements", input.peer_count);
    for range in point_chunks::<RistrettoPrp>(input.peer_count).ranges() {
        let Points(blinded) = means.channel.take(&range.len())?;
        let (points, proof) = key.blind_evaluate(&blinded, means.rng).map_err(not_an_element)?;
        means.channel.put(&Points(points))?;
        means.channel.put(&ProofOfKey(proof))?;
        means.observer.advance(range.len() as u64);
    }
    Ok(Box::new(|| Ok(Outcome::Nothing)))
}

/// Fingerprints and sealed labels of the elements, in one random order.
fn masked(
    key: &SecretKey,
    elements: &[Element],
    attached: Attached<'_>,
    format: EntryFormat,
    rng: &mut dyn CryptoRng,
) -> (Vec<u128>, Vec<u8>) {
    let (width, labels) = attached.items();
    let order = permutation(elements.len(), rng);
    let outputs = key.evaluate(&chosen(elements, &order));
    let masks = outputs.par_iter().zip(&order[..]).with_min_len(VALUES_A_TASK);
    let masked = masks.map(|(output, place)| {
        let mask = Mask::of(output);
        let label = &labels[*place as usize * width..][..width];
        (mask.fingerprint(format.bits), mask.seal(label, format.seal))
    });
    let (fingerprints, seals): (Vec<u128>, Vec<Vec<u8>>) = masked.unzip();
    (fingerprints, seals.concat())
}

fn receiver(run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let Run { input, means, .. } = run;
    let (count, width) = (input.peer_count, input.peer_attached.width());
    // Step 1.
    let set = set(count, input.elements.len(), input.slack);
    let format = EntryFormat { bits: set.bits(), seal: seal(input.peer_attached) };
    let fingerprints = set.take_ordered(means.channel)?;
    let mut seals = Vec::new();
    for range in Chunks::new(count * format.seal, MAX_BODY).ranges() {
        seals.extend(means.channel.take::<Seals>(&range.len())?.0);
    }
    let Key(public) = means.channel.take(&())?;
    let entries = Entries::of(format, fingerprints, seals);
    if entries.is_crowded() {
        // Looking one up would take longer the more there are.
        return Err(PeerFault::Repeated.into());
    }
    // Steps 2 and 3.
    let outputs = asked(means, std::mem::take(&mut input.elements), &public)?;
    // Step 4.
    Ok(Box::new(move || {
        let found = outputs.par_iter().map(|output| entries.find(&Mask::of(output)));
        Ok(listed(found.collect(), width))
    }))
}

/// What a receiver holds at the end. A label of another length than agreed is the sender's choice, as all labels are: it is cut, or
/// filled up with zeros.
fn listed(found: Vec<Option<Vec<u8>>>, width: usize) -> Outcome {
    let found = (0..).zip(found).filter_map(|(row, label)| Some((row, label?)));
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for (row, mut label) in found {
        label.resize(width, 0);
        rows.push(row);
        labels.extend(label);
    }
    Outcome::Listed { rows, width, labels }
}

/// The outputs at the receiver's elements, through the sender, of which a frame flies while the next is blinded.
fn asked(
    means: &mut Means<'_>,
    elements: Zeroizing<Vec<Element>>,
    public: &PublicKey,
) -> Result<Vec<Output>, ProtocolError> {
    means.step("blinded elements", elements.len());
    let mut outputs = Vec::with_capacity(elements.len());
    let mut waiting = None;
    let ranges = point_chunks::<RistrettoPrp>(elements.len());
    for range in ranges.ranges().map(Some).chain([None]) {
        let next = range.map(|range| ask(means, &elements[range])).transpose()?;
        if let Some(before) = std::mem::replace(&mut waiting, next) {
            outputs.extend(answered(means, public, before)?);
        }
    }
    Ok(outputs)
}

/// What a receiver keeps of a frame of blinded elements.
struct Asked<'a> {
    elements: Vec<&'a [u8]>,
    blinding: Blinding,
}

fn ask<'a>(means: &mut Means<'_>, elements: &'a [Element]) -> Result<Asked<'a>, ProtocolError> {
    let elements: Vec<&[u8]> = elements.iter().map(|element| &element.0[..]).collect();
    let blinding = Blinding::new(&elements, means.rng);
    let blinding = blinding.expect("nobody knows an element that maps to the neutral one");
    means.channel.put(&Points(blinding.blinded().to_vec()))?;
    Ok(Asked { elements, blinding })
}

fn answered(
    means: &mut Means<'_>,
    public: &PublicKey,
    asked: Asked<'_>,
) -> Result<Vec<Output>, ProtocolError> {
    let Asked { elements, blinding } = asked;
    let Points(points) = means.channel.take(&elements.len())?;
    let ProofOfKey(proof) = means.channel.take(&())?;
    let outputs = blinding.finalize(&elements, public, &points, &proof);
    means.observer.advance(elements.len() as u64);
    outputs.map_err(|error| {
        let fault = match error {
            OprfError::NotAnElement(error) => not_an_element(error),
            OprfError::Proof => PeerFault::CheckFailed("proof of the published key"),
        };
        fault.into()
    })
}

/// Bytes of step 1.
fn published_bytes(shape: &Shape) -> f64 {
    let (count, queries) = (size(shape.sender), size(shape.receiver));
    let seals = count.saturating_mul(seal(shape.attached));
    let key = size_of::<Encoded>() as f64 + frames(1);
    set(count, queries, 0).bytes() + seals as f64 + frames(seals.div_ceil(MAX_BODY)) + key
}

fn cost(shape: &Shape) -> Cost {
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    let (own, peer) = (shape.sender as f64, shape.receiver as f64);
    let published = published_bytes(shape);
    let points = point_bytes(shape.receiver, size_of::<Encoded>());
    let proofs = point_chunks::<RistrettoPrp>(size(shape.receiver)).count();
    let answers = points + (proofs * Proof::LEN) as f64 + frames(proofs);
    let seal = seal(shape.attached) as f64;
    let sender = PartyCost {
        // A proof takes another for each element that it is about.
        multiplications: own + 2.0 * peer,
        maps: own,
        turns: true,
        passes: 0.0,
        bytes_sent: published + answers,
        in_turn: published + answers,
        // Output, fingerprint and place; each seal once more while they are put in order.
        memory: (64.0 + 16.0 + 20.0 + 3.0 * seal) * own + 100.0 * peer,
    };
    let receiver = PartyCost {
        // Blinding, unblinding, and two for the proof.
        multiplications: 4.0 * peer,
        maps: peer,
        turns: true,
        passes: 0.0,
        bytes_sent: points,
        in_turn: points,
        memory: (16.0 + seal) * own + 200.0 * peer,
    };
    Cost { sender, receiver, rounds: 2, waits: 1 }
}

#[cfg(test)]
mod tests;
