//! Intersection of sets that are roots of encrypted polynomials: Kissner and Song, "Privacy-Preserving Set Operations",
//! CRYPTO 2005, for two parties as Kim and Kim draw it ("An Experimental Study of Encrypted Polynomial Arithmetics for
//! Private Set Operations", 2017, section II-B), with additive ElGamal.
//!
//! 1. The receiver draws a key. Elements are hashed to the field of the group's scalars.
//! 2. Each side expands the polynomial whose roots its elements are: the receiver φ of degree k₁, the sender ψ of degree k₂.
//! 3. The receiver encrypts φ to f, coefficient by coefficient, but for the leading one, which is 1.
//! 4. It sends f.
//! 5. The sender draws γ₁ of degree k₂ and γ₂ of degree k₁, uniformly, and computes h = γ₁·f + γ₂·ψ, encrypted afresh.
//! 6. It sends h.
//! 7. The receiver decrypts h to θ, in the exponent,
//! 8. and has the elements of the intersection: those at which θ is 0.
//!
//! If both are to learn, the receiver names the common elements, among random names so that there are min(k₁, k₂) in all.
//!
//! **Security.** Semi-honest. The sender sees ciphertexts, semantically secure under DDH. θ is gcd(φ, ψ)·u for a uniform u of
//! degree at most k₁ + k₂ − deg gcd: for coprime φ' and ψ' of degrees up to k₁ and k₂ the map (γ₁, γ₂) ↦ γ₁·φ' + γ₂·ψ' is
//! onto the polynomials of degree up to deg φ' + k₂, since deg γ₁ ≥ deg ψ' − 1, and linear, so uniform (Kissner and Song's
//! lemma 2 has both degrees equal). So θ can be drawn from the intersection alone. γ of smaller degree or with small coefficients
//! would leave θ with fewer than all values: both have been proposed and both leak. An element that is not common is a
//! root of θ with probability about 2^-252. The sender's part of h is added up before it is encrypted; the result is
//! the same as that of encrypting g first, up to fresh randomness.
//!
//! **In bins**, as `ks-binned`: both sides throw their elements into bins by a hash, fill each bin up with random roots to
//! as many as the fullest has but for 2^-41 a side, and run the above bin by bin ([`layout`]), so that degrees stay small. A
//! bin's sizes say nothing, and θ of a bin shows what is common there, which follows from the intersection.

mod algorithms;
mod layout;
mod messages;
mod rounds;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use rand_core::CryptoRng;
use veilset_channel::{Chunks, MAX_BODY};
use veilset_crypto::elgamal::SecretKey;
use veilset_crypto::{Group, Ristretto255};
use veilset_poly::encrypted::ScalarField;
use veilset_poly::{PolyError, cost};
use zeroize::Zeroizing;

use self::algorithms::{Algorithms, SUM_TERM};
use self::layout::{Layout, Root, roots};
use self::messages::{ciphertext_chunks, put_ciphertexts, put_key, take_ciphertexts, take_key};
use self::rounds::{combined, common, expanded};
use crate::exchange::cross;
use crate::wire::{frames, put_values, size, take_values, values_bytes};
use crate::words::{MATCHES, SIZE, SIZES};
use crate::{
    Conclusion, Cost, Digest, Operation, Outcome, PartyCost, Protocol, ProtocolError, Reveal, Role,
    Run, Security, Shape, Spec,
};

/// A registry entry.
pub(crate) struct Ks {
    spec: Spec,
    layout: fn(usize, usize) -> Layout,
}

/// `ks`.
pub(crate) static WHOLE: Ks = Ks {
    spec: Spec {
        id: "ks",
        title: "Kissner–Song intersection on encrypted polynomials",
        operation: Operation::Intersect,
        paper: "Kissner and Song, CRYPTO 2005; Kim and Kim 2017, section II-B",
        security: Security::SemiHonest,
        assumption: "DDH, random oracle",
        reveals: &[Reveal::Both, Reveal::Receiver],
        receiver: MATCHES,
        sender: MATCHES,
        residue: SIZE,
        leaks: &[SIZES],
        max_elements: 1 << 20,
        groups: &[Group::Ristretto255],
        digests: &[Digest::Shuffled],
        cut: false,
    },
    layout: Layout::whole,
};

/// `ks-binned`.
pub(crate) static BINNED: Ks = Ks {
    spec: Spec {
        id: "ks-binned",
        title: "Kissner–Song intersection in bins",
        max_elements: 1 << 24,
        ..WHOLE.spec
    },
    layout: Layout::binned,
};

impl Protocol for Ks {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        let most = self.spec.max_elements;
        cost(&shape, (self.layout)(size(shape.sender.min(most)), size(shape.receiver.min(most))))
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        if run.elements.is_empty() || run.peer_count == 0 {
            let learns = run.reveal.reaches(run.role);
            let nothing = if learns { Outcome::Matched(Vec::new()) } else { Outcome::Nothing };
            return Ok(Box::new(|| Ok(nothing)));
        }
        match run.role {
            Role::Sender => {
                let layout = (self.layout)(run.elements.len(), run.peer_count);
                sender(run, &Ristretto255, &layout)
            }
            Role::Receiver => {
                let layout = (self.layout)(run.peer_count, run.elements.len());
                receiver(run, &Ristretto255, &layout)
            }
        }
    }
}

/// The bins that go together, whose polynomials fill a frame.
fn batches(group: &impl ScalarField, layout: &Layout) -> Chunks {
    Chunks::new(layout.bins, (MAX_BODY / (2 * group.encoded_len() * layout.result_len())).max(1))
}

fn receiver<G: ScalarField>(
    run: Run<'_>,
    group: &G,
    layout: &Layout,
) -> Result<Conclusion, ProtocolError> {
    let Run { elements, peer_count, reveal, session, channel, rng, observer, .. } = run;
    let roots = roots(group, session, elements);
    let places = layout.spread(&roots, layout.receiver)?;
    let bins = Zeroizing::new(scalars::<G>(&roots, &places));
    // Step 1.
    channel.phase("key generation");
    let key = SecretKey::generate(group, rng);
    let public = key.public(group);
    channel.phase("encrypted sets");
    put_key(channel, group, &public)?;
    observer.begin("encrypted polynomials", layout.bins as u64);
    let algorithms = algorithms(group);
    let mut matched = vec![false; elements.len()];
    let put = |channel: &mut dyn veilset_channel::Channel, range: Range<usize>| {
        // Steps 2 to 4.
        channel.resume("expansion");
        let phi = expanded(group, &bins[range], layout.receiver, rng).map_err(broken)?;
        channel.resume("encryption");
        let f = public.encrypt(group, &phi, rng);
        channel.resume("encrypted sets");
        put_ciphertexts(channel, group, &f)
    };
    let take = |channel: &mut dyn veilset_channel::Channel, range: Range<usize>| {
        channel.resume("encrypted answers");
        let h = take_ciphertexts(channel, group, range.len() * layout.result_len())?;
        // Steps 7 and 8.
        let bins = &bins[range.clone()];
        let context = (group, &key, algorithms);
        let step = &mut |name| channel.resume(name);
        let hits = common(context, layout, &h, bins, step).map_err(broken)?;
        for (place, hit) in places[range.clone()].iter().flatten().zip(hits) {
            matched[*place as usize] = hit;
        }
        observer.advance(range.len() as u64);
        Ok(())
    };
    let batches = batches(group, layout);
    cross(channel, (batches, batches), put, take)?;
    let indices: Vec<u32> =
        (0..).zip(&matched).filter_map(|(place, hit)| hit.then_some(place)).collect();
    if reveal == Reveal::Both {
        channel.phase("indication");
        let names = indices.iter().map(|place| roots[*place as usize].name);
        let names = filled_up(names.collect(), elements.len().min(peer_count), rng);
        put_values(channel, &names, u128::BITS)?;
    }
    Ok(Box::new(move || Ok(Outcome::Matched(indices))))
}

fn sender<G: ScalarField>(
    run: Run<'_>,
    group: &G,
    layout: &Layout,
) -> Result<Conclusion, ProtocolError> {
    let Run { elements, peer_count, reveal, session, channel, rng, observer, .. } = run;
    let roots = roots(group, session, elements);
    let bins = Zeroizing::new(scalars::<G>(&roots, &layout.spread(&roots, layout.sender)?));
    channel.phase("encrypted sets");
    let key = take_key(channel, group)?;
    observer.begin("encrypted polynomials", layout.bins as u64);
    for range in batches(group, layout).ranges() {
        channel.resume("expansion");
        let psi = expanded(group, &bins[range.clone()], layout.sender, rng).map_err(broken)?;
        channel.resume("encrypted sets");
        let f = take_ciphertexts(channel, group, range.len() * layout.receiver)?;
        // Step 5.
        let context = (group, &key, algorithms(group));
        let step = &mut |name| channel.resume(name);
        let h = combined(context, layout, &f, &psi, rng, step).map_err(broken)?;
        // Step 6.
        channel.resume("encrypted answers");
        put_ciphertexts(channel, group, &h)?;
        observer.advance(range.len() as u64);
    }
    if reveal == Reveal::Receiver {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    channel.phase("indication");
    let names = take_values(channel, elements.len().min(peer_count), u128::BITS)?;
    let indices = named(&roots, &names);
    Ok(Box::new(move || Ok(Outcome::Matched(indices))))
}

/// The names and random ones, `count` in all, so that nobody on the way sees how many there are.
fn filled_up(mut names: Vec<u128>, count: usize, rng: &mut dyn CryptoRng) -> Vec<u128> {
    let mut random = [0; 16];
    while names.len() < count {
        rng.fill_bytes(&mut random);
        names.push(u128::from_le_bytes(random));
    }
    names.sort_unstable();
    names
}

/// The places of the elements that are among the names, rising.
fn named<S>(roots: &[Root<S>], names: &[u128]) -> Vec<u32> {
    let names: HashSet<u128> = names.iter().copied().collect();
    let places = (0..).zip(roots).filter(|(_, root)| names.contains(&root.name));
    places.map(|(place, _)| place).collect()
}

fn scalars<G: ScalarField>(roots: &[Root<G::Scalar>], places: &[Vec<u32>]) -> Vec<Vec<G::Scalar>> {
    let scalar = |place: &u32| roots[*place as usize].scalar.clone();
    places.iter().map(|places| places.iter().map(scalar).collect()).collect()
}

/// Transforms are of use if they reach the largest products.
fn algorithms<G: ScalarField>(group: &G) -> Algorithms {
    Algorithms::new(veilset_poly::Field::root_of_unity(group.field(), 25).is_some())
}

/// No group has a field that lacks what the algorithms chosen for it need.
fn broken(error: PolyError) -> ProtocolError {
    ProtocolError::Arithmetic(error)
}

fn cost(shape: &Shape, layout: Layout) -> Cost {
    /// A multiplication of a fixed element, in whole multiplications.
    const FIXED: f64 = 0.2;
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    let (bins, len) = (layout.bins as f64, layout.result_len() as f64);
    let algorithms = Algorithms::new(false);
    let how = algorithms.multiplication(layout.sender + 1, layout.receiver);
    let product = cost::multiply(how, layout.sender + 1, layout.receiver).scalings as f64;
    let points = size(shape.receiver).div_ceil(layout.bins);
    let values = match algorithms.evaluation(layout.result_len(), points) {
        Some(how) => cost::evaluate(how, layout.result_len(), points).scalings as f64 * bins,
        None => shape.receiver as f64 * len * SUM_TERM as f64 / 100.0,
    };
    let bytes = |coefficients: usize| {
        let batch = batches(&Ristretto255, &layout);
        let frames_of = |range: Range<usize>| {
            ciphertext_chunks(&Ristretto255, range.len() * coefficients).count()
        };
        let count: usize = batch.ranges().map(frames_of).sum();
        bins * coefficients as f64 * 64.0 + frames(count)
    };
    let both = shape.reveal == Reveal::Both;
    let most = shape.sender.min(shape.receiver);
    let names = if both { values_bytes(most, u128::BITS) } else { 0.0 };
    let (asked, answered) = (bytes(layout.receiver), bytes(layout.result_len()));
    Cost {
        sender: PartyCost {
            multiplications: bins * (2.0 * product + 3.0 * FIXED * len),
            bytes_sent: answered,
            in_turn: if layout.bins == 1 { answered } else { 0.0 },
            memory: 400.0 * shape.sender as f64 + 2_000.0 * len,
            ..PartyCost::default()
        },
        receiver: PartyCost {
            multiplications: bins * (3.0 * FIXED * layout.receiver as f64 + len) + values,
            bytes_sent: 32.0 + frames(1) + asked + names,
            in_turn: if layout.bins == 1 { asked } else { 0.0 },
            memory: 400.0 * shape.receiver as f64 + 2_000.0 * len,
            ..PartyCost::default()
        },
        rounds: 2 + u64::from(both),
    }
}
