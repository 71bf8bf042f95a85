//! `fhe` and `fhe-lookup`: intersection of a small set with a large one, and lookups with labels, from homomorphic encryption.
//!
//! Chen, Laine and Rindal (CCS 2017, eprint 2017/299) with the function of Chen, Huang, Laine and Rindal (CCS 2018, eprint 2018/787,
//! figure 2) and the evaluation of Cong et al. (CCS 2021, eprint 2021/1116). The sender's set is the large one.
//!
//! Before the query ([`Database::new`]) the sender draws a key k, maps each element x to F_k(x) = G(x, k·H(x)), puts what
//! that gives into a bin for each of three functions, and interpolates: a slot's polynomial vanishes at the items of a part of a bin.
//!
//! 1. The receiver sends r·H(y) for its elements, and
//! 2. the sender k·r·H(y), so that the receiver has F_k(y) and nothing else.
//! 3. The receiver puts its items into bins, one each, draws keys, and sends some powers of all slots encrypted.
//! 4. The sender evaluates its polynomials at them and sends what that gives; zeros are matches.
//!    With labels the sender has evaluated others that give the sealed label of what matches (section 5 there).
//! 5. If both are to learn, the receiver sends the names of what matched, filled up with random ones.
//!
//! **Security.** The sender sees r·H(y) and ciphertexts of a fresh key: pseudorandom (DDH, ring LWE). What the receiver sees is a
//! function of values F_k(x) and of the sender's coins. At elements other than its own these values are random, since k·H(x) is
//! pseudorandom and G a random oracle, so a simulator draws them itself and computes all answers, noise included: the
//! receiver's view, even of one that sends anything for ciphertexts, depends on nothing but which of the at most n points it
//! asked for are the sender's. Neither side proves what it does; the entry says semi-honest because a sender that cheats
//! can make any element match. With [`Variant::flooding`] answers also hide their noise, so that an answer tells the values of the
//! sender's polynomials at the receiver's items, and nothing else of their coefficients, whatever F is.
//!
//! **Without F** ([`Items::OfBits`], in the reproduction's table alone) steps 1 and 2 fall away, as in CCS 2017, and items are short strings
//! as they are. A value of a polynomial that is not 0 would then tell products of differences to the sender's strings, so
//! each slot's polynomial has a random factor ([`Variant::masks`]): what does not match is uniform among numbers other than 0. Noise
//! would tell the polynomials' coefficients, which are the sender's set, so it must be flooded; with F it may be simulated. With both a
//! simulator that knows which items match computes all that a semi-honest receiver sees. One that cheats sends powers
//! of no one value, or values of its own in all slots, and learns sums of coefficients, so the whole set; with F it learns of
//! the elements that it asked for. A prepared set serves one query, as factors must be fresh.

mod cost;
mod database;
mod evaluation;
mod items;
mod labels;
mod messages;
mod parameters;
mod powers;
mod query;
mod served;
#[cfg(test)]
mod tests;
mod variant;

pub use database::Database;
pub use parameters::{FAILURE, FheParameters, FheSizes, MissingParameters};

use std::ops::Range;

pub use served::{AT_ONCE, Asker, Entry, Question, Reply, Served, has_places, served_parameters};
pub use variant::{Flooding, Items, Variant, Windowing};
use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{CommutativePrf, CommutativePrp, Element, Group, RistrettoPrp};
use zeroize::Zeroizing;

use self::items::{HashedItem, items};
use self::labels::open;
use self::messages::{put_answers, put_query, refused_answer, take_answers, take_query};
use self::query::{ItemMatches, ask};
use crate::kit::exchange::{cross, not_an_element};
use crate::kit::indication::{hear_names, tell_names};
use crate::kit::wire::{Points, point_chunks};
use crate::kit::wording::{LABELS, LISTED, MATCHES, SIZE, SIZES, TOLD, UNLISTED};
use crate::{
    Allowed, Conclusion, Cost, Leak, Means, Operation, Outcome, Protocol, ProtocolError, Reveal,
    Role, Run, RunInput, Security, Shape, Side, Spec, Taken,
};

/// A registry entry.
pub(crate) struct Fhe {
    spec: &'static Spec,
}

/// `fhe`.
pub(crate) static INTERSECT: Fhe = Fhe { spec: &SPEC };

/// `fhe-lookup`.
pub(crate) static LOOKUP: Fhe = Fhe { spec: &LOOKUP_SPEC };

/// What an early end can say: the sender chooses the key by which the receiver's elements fall into bins.
const ENDED: Leak = Leak::by_cheating(
    "A sender that cheats and computes for years can ask whether a receiver of a handful of keys has all of a few guesses.",
);

/// What an answer can say.
const FORGED: Leak = Leak::by_cheating(
    "A sender that cheats can make keys of the receiver match that it does not have.",
);

static SPEC: Spec = Spec {
    id: "fhe",
    title: "intersection from homomorphic encryption, for a small set against a large one",
    operation: Operation::Intersect,
    paper: "eprint 2017/299; eprint 2018/787, figure 2; eprint 2021/1116",
    security: Security::SemiHonest,
    assumption: "ring LWE (ternary secrets), DDH, random oracle",
    reveals: &[Reveal::Receiver, Reveal::Both],
    receiver: MATCHES,
    sender: MATCHES,
    residue: SIZE,
    leaks: &[SIZES, FORGED, ENDED, TOLD],
    max_elements: MAX_ELEMENTS,
    choices: Taken {
        group: Allowed::Of(&[Group::Ristretto255]),
        flooding: Allowed::Of(&Flooding::ALL),
        ..Taken::NOTHING
    },
    cut: true,
    auto: false,
    grouped: false,
    by_groups: None,
    on_shares: false,
    blind: false,
    withholds: false,
    with_rows: None,
};

static LOOKUP_SPEC: Spec = Spec {
    id: "fhe-lookup",
    title: "lookups from homomorphic encryption, of a few elements in a large list",
    operation: Operation::Lookup,
    paper: "eprint 2018/787, figure 2 and section 5; eprint 2021/1116",
    reveals: &[Reveal::Receiver],
    receiver: LISTED,
    sender: SIZE,
    leaks: &[SIZES, LABELS, UNLISTED],
    cut: false,
    auto: true,
    grouped: false,
    by_groups: None,
    on_shares: false,
    blind: false,
    withholds: false,
    ..SPEC
};

/// Of either side; prepared polynomials take some 300 bytes an element.
const MAX_ELEMENTS: u64 = 1 << 26;

impl Protocol for Fhe {
    fn spec(&self) -> &Spec {
        self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(&shape)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        let listed = self.spec.operation == Operation::Lookup;
        let nothing = if listed { run.without_listed() } else { run.without_matches() };
        if let Some(nothing) = nothing {
            return Ok(nothing);
        }
        let parameters = parameters(&run)?;
        match run.side.role {
            Role::Sender => {
                let Run { side, input: RunInput { elements, attached, peer_count, .. }, mut means } =
                    run;
                means.observer.begin("polynomials", elements.len() as u64);
                let (_, labels) = attached.items();
                let database =
                    Database::labelled(&elements, labels, parameters, means.session, means.rng)?;
                means.observer.advance(elements.len() as u64);
                database.serve(&mut means, side.reveal, peer_count)
            }
            Role::Receiver => receive(run, &parameters, self.spec.operation),
        }
    }
}

/// The parameters of a run.
fn parameters(run: &Run<'_>) -> Result<FheParameters, ProtocolError> {
    let (own, peer) = (run.input.elements.len(), run.input.peer_count);
    let (sender, receiver, labels) = match run.side.role {
        Role::Sender => (own, peer, run.input.attached.shape()),
        Role::Receiver => (peer, own, run.input.peer_attached),
    };
    let sizes = FheSizes { sender, receiver, slack: run.input.slack };
    FheParameters::best_with_labels(sizes, run.input.choices.into(), labels.width())
        .ok_or(ProtocolError::NoParameters)
}

impl Database {
    /// Answers the query of a receiver with `count` elements: steps 1 to 5.
    ///
    /// # Errors
    /// When the channel fails or the receiver sends what is no query.
    pub fn serve(
        &self,
        means: &mut Means<'_>,
        reveal: Reveal,
        count: usize,
    ) -> Result<Conclusion, ProtocolError> {
        // Steps 1 and 2.
        if let Some(key) = &self.key {
            means.step("blinded elements", count);
            for range in point_chunks::<RistrettoPrp>(count).ranges() {
                let Points(points) = means.channel.take(&range.len())?;
                means.channel.put(&Points(key.evaluate(&points).map_err(not_an_element)?))?;
                means.observer.advance(range.len() as u64);
            }
        }
        // Step 3.
        means.channel.phase("query");
        let query = take_query(means.channel, &self.prepared.parameters, &self.prepared.ring)?;
        // Step 4.
        means.channel.phase("answers");
        put_answers(means.channel, &self.prepared.answer(query, means.rng))?;
        // Step 5.
        hear_names(Side { role: Role::Sender, reveal }, means, count, || self.names.clone())
    }
}

/// The receiver's side of a run of this operation in which the sender has a [`Database`] with these parameters.
///
/// # Errors
/// When the channel fails, the sender sends what are no answers, or the elements find no places, which happens in at most one of
/// 2^42 runs.
pub fn receive(
    run: Run<'_>,
    parameters: &FheParameters,
    operation: Operation,
) -> Result<Conclusion, ProtocolError> {
    let found = received(run, parameters)?;
    let listed = operation == Operation::Lookup;
    Ok(Box::new(move || Ok(if listed { found.listed() } else { found.matched() })))
}

fn received(run: Run<'_>, parameters: &FheParameters) -> Result<Received, ProtocolError> {
    let Run { side, input: RunInput { elements, .. }, mut means } = run;
    // Steps 1 and 2.
    let points = match parameters.variant.items {
        Items::OfFunction => evaluated(&mut means, &elements)?,
        Items::OfBits(_) => Zeroizing::default(),
    };
    // Step 3.
    means.step("query", 1);
    let ring = parameters.ring()?;
    let items = items(parameters, ring.parameters().t(), means.session, &elements, &points);
    let (asked, query) = ask(parameters, &ring, &items, means.rng)?;
    put_query(means.channel, &ring, &query)?;
    drop(query);
    means.observer.advance(1);
    // Step 4.
    means.channel.phase("answers");
    let answers = take_answers(means.channel, parameters)?;
    let found = asked.found(parameters, &ring, &answers, items.len()).map_err(refused_answer)?;
    // Step 5.
    tell_names(side, &mut means, items.len(), || {
        let names = found.matches.iter().zip(items.iter()).filter(|(hit, _)| **hit);
        Zeroizing::new(names.map(|(_, item)| item.name).collect())
    })?;
    Ok(Received { parameters: parameters.clone(), items, found })
}

/// What a receiver holds at the end.
struct Received {
    parameters: FheParameters,
    items: Zeroizing<Vec<HashedItem>>,
    found: ItemMatches,
}

impl Received {
    fn rows(&self) -> Vec<u32> {
        let hits = (0..).zip(&self.found.matches).filter(|(_, hit)| **hit);
        hits.map(|(index, _)| index).collect()
    }

    fn matched(&self) -> Outcome {
        Outcome::Matched(self.rows())
    }

    fn listed(&self) -> Outcome {
        let Self { parameters, items, found } = self;
        let words = parameters.words();
        let label = |row: &u32| {
            let row = *row as usize;
            open(parameters, &items[row], &found.labels[row * words..][..words])
        };
        let rows = self.rows();
        let labels = rows.iter().flat_map(label).collect();
        Outcome::Listed { rows, width: parameters.label, labels }
    }
}

/// k·H(y) for the receiver's elements, through the sender, who sees r·H(y).
fn evaluated(
    means: &mut Means<'_>,
    elements: &[Element],
) -> Result<Zeroizing<Vec<[u8; 32]>>, ProtocolError> {
    means.step("blinded elements", elements.len());
    let blind = RistrettoPrp::generate(means.rng);
    let chunks = point_chunks::<RistrettoPrp>(elements.len());
    let mut points = Zeroizing::new(Vec::with_capacity(elements.len()));
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(blind.hash_and_evaluate(&elements[range])))?;
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let Points(doubled) = channel.take(&range.len())?;
        points.extend(blind.invert(&doubled).map_err(not_an_element)?);
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    cross(means.channel, chunks, chunks, put, take)?;
    Ok(points)
}
