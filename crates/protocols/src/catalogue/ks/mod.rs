//! Intersection of sets that are roots of encrypted polynomials: Kissner and Song, "Privacy-Preserving Set Operations",
//! CRYPTO 2005, for two parties as Kim and Kim draw it ("An Experimental Study of Encrypted Polynomial Arithmetics for
//! Private Set Operations", 2017, section II-B), with additive ElGamal.
//!
//! 1. The receiver draws a key. Elements are hashed to the field of the group's scalars.
//! 2. Each side expands the polynomial whose roots its elements are: the receiver φ of degree k₁, the sender ψ of degree k₂.
//! 3. The receiver encrypts φ to f, coefficient by coefficient, but for the leading one, which is 1.
//! 4. It sends f.
//! 5. The sender draws γ₁ of degree at most k₂ and γ₂ of degree at most k₁, uniformly, and computes h = γ₁·f + γ₂·ψ,
//!    encrypted afresh.
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
//! would leave θ with fewer values than that, and it would depend on φ and ψ which ones. An element that is not common is a
//! root of θ with probability about 2^-252. The sender's part of h is added up before it is encrypted; the result is
//! the same as that of encrypting g first, up to fresh randomness.
//!
//! **In bins**, as `ks-binned`: both sides throw their elements into bins by a hash, fill each bin up with random roots to
//! as many as the fullest has but for 2^-42 a side, and run the above bin by bin, so that degrees stay small. So
//! sizes say nothing, nor does time: each batch of bins is evaluated at as many points as it can have. θ of a bin shows what is
//! common there, which follows from the intersection.
//!
//! A sender that returns encryptions of 0 would make everything match. The receiver takes a polynomial of zeros, or more
//! matches than the sender has elements, for a fault, and names nothing then.

pub mod algebra;
mod algorithms;
mod cost;
mod layout;
mod messages;
pub mod multiparty;
mod rounds;
#[cfg(test)]
mod tests;

use std::ops::Range;

use veilset_channel::{Channel, Chunks, MAX_BODY, PeerFault};
use veilset_crypto::elgamal::SecretKey;
use veilset_crypto::{Group, PrimeGroup, Ristretto255};
use zeroize::Zeroizing;

pub use self::algorithms::Algorithm;
use self::layout::Layout;
pub use self::layout::Spread;
use self::messages::{put_ciphertexts, put_key, take_ciphertexts, take_key};
use self::rounds::{Keyed, Loads, combined, common, expanded};
use crate::kit::bins::{Root, roots, spread};
use crate::kit::exchange::cross;
use crate::kit::indication::{hear_names, tell_names};
use crate::kit::wording::{MATCHES, SIZE, SIZES, TOLD};
use crate::{
    Allowed, Conclusion, Cost, Leak, Operation, Outcome, Protocol, ProtocolError, Reveal, Role,
    Run, RunInput, Security, Shape, Spec, Taken,
};

/// A registry entry.
pub(crate) struct Ks {
    spec: Spec,
    spread: Spread,
}

/// What a sender's polynomial can have for roots.
const MORE: Leak = Leak::by_cheating(
    "A sender that cheats can use other keys than it declared, and more of them.",
);

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
        leaks: &[SIZES, MORE, TOLD],
        max_elements: 1 << 20,
        choices: Taken { group: Allowed::Of(&[Group::Ristretto255]), ..Taken::NOTHING },
        cut: false,
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: None,
    },
    spread: Spread::Whole,
};

/// `ks-binned`.
pub(crate) static BINNED: Ks = Ks {
    spec: Spec {
        id: "ks-binned",
        title: "Kissner–Song intersection in bins",
        max_elements: 1 << 24,
        ..WHOLE.spec
    },
    spread: Spread::Binned,
};

impl Protocol for Ks {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(&shape, self.spec.max_elements, self.spread)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        run_over(&Ristretto255, self.spread, Algorithm::Fastest, run)
    }
}

/// One side of `ks` or of `ks-binned` over any group; [`RunInput::choices`] name those that the registry offers, and are not
/// looked at.
///
/// # Errors
/// When the channel fails or the peer breaks the protocol.
pub fn run_over<G: PrimeGroup>(
    group: &G,
    spread: Spread,
    algorithm: Algorithm,
    run: Run<'_>,
) -> Result<Conclusion, ProtocolError> {
    if let Some(nothing) = run.without_matches() {
        return Ok(nothing);
    }
    let (own, peer) = (run.input.elements.len(), run.input.peer_count);
    match run.side.role {
        Role::Sender => sender(run, group, algorithm, &spread.layout(group.field(), own, peer)),
        Role::Receiver => receiver(run, group, algorithm, &spread.layout(group.field(), peer, own)),
    }
}

/// The bins that go together, whose answers fill a frame. Where there are several bins what is asked for them fills no
/// more frames than the queues between the parties hold (a test looks at all layouts), so neither side waits for ever.
fn batches(group: &impl PrimeGroup, layout: &Layout) -> Chunks {
    Chunks::new(layout.bins, (MAX_BODY / (2 * group.encoded_len() * layout.result_len())).max(1))
}

fn receiver<G: PrimeGroup>(
    run: Run<'_>,
    group: &G,
    algorithm: Algorithm,
    layout: &Layout,
) -> Result<Conclusion, ProtocolError> {
    let Run { side, input: RunInput { elements, peer_count, .. }, mut means } = run;
    let roots = roots(|wide| group.scalar(wide), means.session, &elements);
    let places = spread(layout.bins, &roots, layout.receiver)?;
    let bins = Zeroizing::new(scalars::<G>(&roots, &places));
    // Step 1.
    means.channel.phase("key generation");
    let key = SecretKey::generate(group, means.rng);
    let public = key.public(group);
    means.channel.phase("encrypted sets");
    put_key(means.channel, group, &public)?;
    means.observer.begin("encrypted polynomials", layout.bins as u64);
    let (mut hits, mut forged) = (Vec::with_capacity(elements.len()), false);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        // Steps 2 to 4.
        channel.resume("expansion");
        let phi = expanded(group, &bins[range], layout.receiver, means.rng)?;
        channel.resume("encryption");
        let f = public.encrypt(group, &phi, means.rng);
        channel.resume("encrypted sets");
        put_ciphertexts(channel, group, &f)
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.resume("encrypted answers");
        let h = take_ciphertexts(channel, group, range.len() * layout.result_len())?;
        // Steps 7 and 8.
        let bins = &bins[range.clone()];
        let loads = Loads::of(layout, range.len(), elements.len());
        let step = &mut |name| channel.resume(name);
        let found = common(Keyed { group, key: &key, algorithm }, layout, &h, bins, loads, step)?;
        hits.extend(found.hits);
        forged |= found.forged;
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    let batches = batches(group, layout);
    cross(means.channel, batches, batches, put, take)?;
    let found = Matches { places: places.concat(), hits, forged, most: peer_count };
    tell_names(side, &mut means, elements.len().min(peer_count), || found.names(&roots))?;
    Ok(Box::new(move || found.outcome()))
}

/// What the receiver found.
struct Matches {
    /// The places of the elements, bin by bin.
    places: Vec<u32>,
    /// Whether each is common.
    hits: Vec<bool>,
    /// Whether some answer was no honest sender's.
    forged: bool,
    /// The sender's elements, so many of which can be common.
    most: usize,
}

impl Matches {
    fn are_sound(&self) -> bool {
        !self.forged && self.hits.iter().filter(|hit| **hit).count() <= self.most
    }

    /// The names of the common elements; none that the sender did not earn.
    fn names<S>(&self, roots: &[Root<S>]) -> Zeroizing<Vec<u128>> {
        let mut names = Zeroizing::new(Vec::with_capacity(self.most.min(roots.len())));
        if self.are_sound() {
            names.extend(self.indices().map(|place| roots[place as usize].name));
        }
        names
    }

    fn indices(&self) -> impl Iterator<Item = u32> {
        self.places.iter().zip(&self.hits).filter_map(|(place, hit)| hit.then_some(*place))
    }

    fn outcome(&self) -> Result<Outcome, ProtocolError> {
        if !self.are_sound() {
            return Err(
                PeerFault::CheckFailed("encrypted answers of which everything is a root").into()
            );
        }
        let mut indices: Vec<u32> = self.indices().collect();
        indices.sort_unstable();
        Ok(Outcome::Matched(indices))
    }
}

fn sender<G: PrimeGroup>(
    run: Run<'_>,
    group: &G,
    algorithm: Algorithm,
    layout: &Layout,
) -> Result<Conclusion, ProtocolError> {
    let Run { side, input: RunInput { elements, peer_count, .. }, mut means } = run;
    let roots = roots(|wide| group.scalar(wide), means.session, &elements);
    let bins = Zeroizing::new(scalars::<G>(&roots, &spread(layout.bins, &roots, layout.sender)?));
    means.channel.phase("encrypted sets");
    let key = take_key(means.channel, group)?;
    means.observer.begin("encrypted polynomials", layout.bins as u64);
    for range in batches(group, layout).ranges() {
        means.channel.resume("expansion");
        let psi = expanded(group, &bins[range.clone()], layout.sender, means.rng)?;
        means.channel.resume("encrypted sets");
        let f = take_ciphertexts(means.channel, group, range.len() * layout.receiver)?;
        // Step 5.
        let step = &mut |name| means.channel.resume(name);
        let h = combined(Keyed { group, key: &key, algorithm }, layout, &f, &psi, means.rng, step)?;
        // Step 6.
        means.channel.resume("encrypted answers");
        put_ciphertexts(means.channel, group, &h)?;
        means.observer.advance(range.len() as u64);
    }
    let own = || Zeroizing::new(roots.iter().map(|root| root.name).collect());
    hear_names(side, &mut means, elements.len().min(peer_count), own)
}

fn scalars<G: PrimeGroup>(roots: &[Root<G::Scalar>], places: &[Vec<u32>]) -> Vec<Vec<G::Scalar>> {
    let scalar = |place: &u32| roots[*place as usize].scalar.clone();
    places.iter().map(|places| places.iter().map(scalar).collect()).collect()
}
