//! `vole-oprf`: an oblivious pseudorandom function of many points at once, from vector OLE and a key-value store.
//!
//! Raghuraman and Rindal, CCS 2022, eprint 2022/320, figure 4. F is a field of 2^128 elements; B is F, a subfield of
//! 2^64 elements, or a space of nine dimensions over one of 2^8: step 2 sends 16, 8 or 9 bytes an entry ([`Field`]). Let `h` be so
//! many bytes of an element's second half as an element of B, and `P` a vector over B with ⟨row(y), P⟩ = h(y) for all of the receiver's elements.
//!
//! 1. The parties make a vector OLE: the sender has Δ and a vector K', the receiver A over B and C = K' + Δ·A.
//! 2. The receiver encodes P under a seed of its choice and sends the seed and A + P.
//! 3. The sender sets K = K' + Δ·(A + P), which is C + Δ·P. Its key is (Δ, K), and F(x) = H(⟨row(x), K⟩ + Δ·h(x), x). Where a run asks
//!    for keys of elements, too, they are a second such hash, H'.
//! 4. The receiver has F(y) = H(⟨row(y), C⟩, y) for its elements, since Δ·⟨row(y), P⟩ is Δ·h(y) there.
//!
//! **Security.** Semi-honest: A + P is uniform, so the sender sees nothing of P; for an x that is not the receiver's, the
//! receiver knows what enters H up to Δ·(h(x) + ⟨row(x), P⟩) with Δ unknown, 128 bits of it, and the factor not 0 but with
//! probability 1/|B|; where it is not, its product with Δ has 128 unknown bits, for F is a field, whatever B is. Over the sender's
//! elements that adds up to at most 2^-40. H is the tweakable hash of the oblivious
//! transfers, x its tweak; that it holds for multiples of Δ is an argument in the ideal-permutation model (`docs/notes/ot.md`).
//!
//! **Malicious**, with [`Security::Malicious`]: the vector OLE and the transfers under it are checked. The sender commits to a coin
//! before step 2, the receiver sends its own with the seed, the sender opens its; both enter H, which is BLAKE3 in place of a
//! random oracle, so that a simulator can choose its outputs and reads the sender's points from its questions. What a receiver
//! can evaluate is what its vector P fits: F at the points x with ⟨row(x), P⟩ = h(x). P has m entries (some 1.13 n), but points
//! whose rows depend on one another can come for free ("overfitting": Han, Kim, Lee and Son, Asiacrypt 2024). No conjecture
//! is needed to bound how many: among q points whose h it asked for, some n' fit one P with probability at most
//! 2^128·C(q, n')·2^(−128(n'−m)), the first factor for its choice of a seed. For q = 2^64 this is below 2^-40 from n' = 1.85 m on, at the latest: a receiver that declared n
//! points learns F at no more than 2 n + 400 of them with 2^64 questions (`docs/notes/protocols.md` has a table, for more questions too). Nothing
//! binds the sender to its points; it finds two with one value among 2^64.

mod coin;
mod cost;
mod field;
mod messages;
mod output;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{ChannelExt, Chunks};
use veilset_crypto::Element;
use veilset_ot::base::Base;
use veilset_ot::vole::{Subfield, VoleReceiver, VoleSender};
use veilset_ot::{BaseOt, Block, ExtensionParameters};
use veilset_structures::okvs::{OkvsEntry, OkvsShape, decode_at_once, encode};
use zeroize::{Zeroize, Zeroizing};

use self::coin::{CoinToss, Coins};
pub(crate) use self::cost::{MAX_POINTS, ROUNDS, cost, cost_among, setup_passes, waits};
pub(crate) use self::field::Field;
use self::field::over_field;
use self::output::Output;
use crate::kit::comparison::{Outputs, needs_keys};
use crate::kit::store::{KIND, Seed, Sums, Width, chunks, half};
use crate::{Means, Observer, ProtocolError, Role, Run, Security};

/// The step in which the encoded set crosses.
const STEP: &str = "encoded set";

/// Values that one task takes.
const VALUES_A_TASK: usize = 4096;

/// Elements that are evaluated at once, if there are so many.
const LEAST_AT_ONCE: usize = 1 << 18;

/// What both sides know of an evaluation beforehand.
pub(crate) struct OprfTerms<'a> {
    session: &'a [u8; 32],
    /// Who holds the key; in a session there is one evaluation each way.
    keyed: Role,
    /// The other one's points.
    count: usize,
    field: Field,
    security: Security,
    base: Base,
    /// Whether a key for each element is among the outputs.
    keyed_rows: bool,
}

impl<'a> OprfTerms<'a> {
    /// Of the evaluation in `run` whose key `keyed` holds, on these base transfers.
    pub(crate) fn new(run: &Run<'a>, keyed: Role, security: Security, base: Base) -> Self {
        let mut counts = [run.input.peer_count, run.input.elements.len()];
        if run.side.role != keyed {
            counts.reverse();
        }
        let [count, points] = counts;
        // Of all parts of a run.
        let evaluated = points.saturating_mul(1 << run.input.slack);
        let keyed_rows = needs_keys(run);
        let (session, field) = (run.means.session, Field::of(evaluated, security));
        Self { session, keyed, count, field, security, base, keyed_rows }
    }

    /// Of one between two of several parties: semi-honest, at `count` points of the one, where `evaluated` values of those that hold
    /// keys are computed in all.
    pub(crate) fn among(
        session: &'a [u8; 32],
        keyed: Role,
        count: usize,
        evaluated: usize,
    ) -> Self {
        let (security, base) = (Security::SemiHonest, Base::Ristretto);
        let field = among(evaluated);
        Self { session, keyed, count, field, security, base, keyed_rows: false }
    }

    fn derive(&self, what: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 vector OLE function");
        hasher.update(self.session).update(what.as_bytes()).update(self.keyed.name().as_bytes());
        *hasher.finalize().as_bytes()
    }

    fn base(&self) -> Box<dyn BaseOt> {
        self.base.of(self.derive("base"))
    }

    fn parameters(&self) -> ExtensionParameters {
        ExtensionParameters::new(self.security.into(), self.derive("vector"))
    }

    /// The coins of H, where the security asks for some.
    fn toss(&self) -> CoinToss {
        let key = match self.security {
            Security::SemiHonest => None,
            Security::Malicious => Some(self.derive("coin")),
        };
        CoinToss { key }
    }

    /// H, in which `coins` enter where there are any.
    fn output(&self, coins: Option<Coins>) -> Output {
        Output::new(&self.derive("output"), coins)
    }

    fn shape(&self) -> OkvsShape {
        OkvsShape::new(KIND, self.count)
    }
}

/// The field between two of several parties, which share stores over it.
fn among(evaluated: usize) -> Field {
    Width::of(evaluated, 41).into()
}

/// The sender's part: draws a key for the function, and evaluates it at its own elements.
pub(crate) fn send(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    over_field!(terms.field, B => send_over::<B>(means, terms, elements))
}

/// The same over a field that the caller knows to be B.
pub(crate) fn send_over<B: Subfield>(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    let shape = terms.shape();
    let Split { keys, points, elements } = Split::<B>::of(elements, terms.security);

    // Step 1.
    means.observer.begin("vector OLE", 1);
    let (base, parameters) = (terms.base(), terms.parameters());
    let VoleSender { delta, b: mut k } =
        VoleSender::run::<B>(means.channel, &*base, &parameters, shape.len(), means.rng)?;
    means.observer.advance(1);
    let toss = terms.toss().commit(means)?;

    // Step 2, what the receiver sends.
    means.step(STEP, shape.len());
    let Seed(seed) = means.channel.take(&())?;
    let toss = toss.hear(means.channel)?;

    // Step 3: K, frame by frame of A + P, and F.
    for range in chunks::<B>(shape.len()).ranges() {
        let sums = means.channel.take::<Sums<B>>(&range.len())?.0;
        means.observer.advance(range.len() as u64);
        add_scaled(&mut k[range], &sums, *delta);
    }
    let coins = toss.open(means.channel)?;
    let add = |range: Range<usize>, values: &mut [Block]| {
        add_scaled(values, &points[range], *delta);
    };
    Ok(Evaluation { terms, coins, seed, store: &k }.at(keys, &elements, add))
}

/// Adds to each of `sums` the product of the element in its place with Δ.
fn add_scaled<B: Subfield>(sums: &mut [Block], elements: &[B], delta: Block) {
    let tasks = sums.par_chunks_mut(VALUES_A_TASK).zip(elements.par_chunks(VALUES_A_TASK));
    tasks.for_each(|(sums, elements)| B::add_scaled(sums, elements, delta));
}

/// The receiver's part: F of each element.
pub(crate) fn receive(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    over_field!(terms.field, B => receive_over::<B>(means, terms, elements))
}

fn receive_over<B: Subfield + OkvsEntry>(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    let Split { keys, points, elements } = Split::<B>::of(elements, terms.security);
    // The P of step 2: it needs nothing of step 1, whose vectors leave less memory for it.
    let encoded = Encoded::of(means.rng, means.observer, &keys, points)?;
    let VoleReceiver { a, c } = vectors::<B>(means, terms)?;
    let toss = terms.toss().take(means.channel)?;
    means.channel.put(&Seed(encoded.seed))?;
    let toss = toss.tell(means)?;
    let seed = encoded.seed;
    encoded.put_under(means, a)?;
    drop(encoded);
    let coins = toss.opened(means.channel)?;
    Ok(Evaluation { terms, coins, seed, store: &c }.at(keys, &elements, |_, _| ()))
}

/// Step 1 of the receiver: A and C.
fn vectors<B: Subfield>(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
) -> Result<VoleReceiver<B>, ProtocolError> {
    means.observer.begin("vector OLE", 1);
    let (base, parameters) = (terms.base(), terms.parameters());
    let len = terms.shape().len();
    let vectors = VoleReceiver::run(means.channel, &*base, &parameters, len, means.rng)?;
    means.observer.advance(1);
    means.step(STEP, len);
    Ok(vectors)
}

/// What steps 3 and 4 evaluate: ⟨row(x), K⟩ or ⟨row(y), C⟩, then H.
struct Evaluation<'a> {
    terms: &'a OprfTerms<'a>,
    coins: Option<Coins>,
    seed: u128,
    /// K or C.
    store: &'a [Block],
}

impl Evaluation<'_> {
    /// F of the elements with these keys, which takes the place of the keys; `add` adds to the values of a range of them before H. A
    /// quarter at a time, which goes over the whole store each time.
    fn at(
        self,
        mut keys: Zeroizing<Vec<u128>>,
        elements: &[Element],
        add: impl Fn(Range<usize>, &mut [Block]),
    ) -> Outputs {
        let Self { terms, coins, seed, store } = self;
        let (shape, output) = (terms.shape(), terms.output(coins));
        let at_once = keys.len().div_ceil(4).max(LEAST_AT_ONCE);
        let rows = if terms.keyed_rows { keys.len() } else { 0 };
        let mut of_rows = Zeroizing::new(Vec::with_capacity(rows));
        for range in Chunks::new(keys.len(), at_once).ranges() {
            let mut values = Zeroizing::new(vec![0; range.len()]);
            let keys = &mut keys[range.clone()];
            decode_at_once(&shape, seed, store, keys, &mut values);
            add(range.clone(), &mut values);
            // The semi-honest H takes no elements.
            let elements = elements.get(range).unwrap_or_default();
            let outputs = output.finish(values, keys, elements, terms.keyed_rows);
            keys.copy_from_slice(&outputs.values);
            of_rows.extend_from_slice(&outputs.keys);
        }
        Outputs { values: keys, keys: of_rows }
    }
}

/// The elements at which a party asks for the functions of several others, encoded once: A hides P from each of them anew.
pub(crate) struct Question<B: Zeroize> {
    keys: Zeroizing<Vec<u128>>,
    encoded: Encoded<B>,
}

impl<B: Subfield + OkvsEntry> Question<B> {
    /// About these elements.
    pub(crate) fn new(
        elements: &[Element],
        rng: &mut dyn CryptoRng,
        observer: &dyn Observer,
    ) -> Result<Self, ProtocolError> {
        let elements = Zeroizing::new(elements.to_vec());
        let Split { keys, points, .. } = Split::of(elements, Security::SemiHonest);
        let encoded = Encoded::of(rng, observer, &keys, points)?;
        Ok(Self { keys, encoded })
    }

    /// As [`receive`], in terms of several parties whose field is B.
    pub(crate) fn ask(
        &self,
        means: &mut Means<'_>,
        terms: &OprfTerms<'_>,
    ) -> Result<Outputs, ProtocolError> {
        let VoleReceiver { a, c } = vectors::<B>(means, terms)?;
        means.channel.put(&Seed(self.encoded.seed))?;
        self.encoded.put_under(means, a)?;
        let (coins, seed, keys) = (None, self.encoded.seed, self.keys.clone());
        Ok(Evaluation { terms, coins, seed, store: &c }.at(keys, &[], |_, _| ()))
    }
}

/// P, under a seed of its rows.
struct Encoded<B: Zeroize> {
    seed: u128,
    p: Zeroizing<Vec<B>>,
}

impl<B: Subfield + OkvsEntry> Encoded<B> {
    /// The P with ⟨row(y), P⟩ = h(y) for the elements y with these keys and points; these are given up, since memory is
    /// scarce from here on.
    fn of(
        rng: &mut dyn CryptoRng,
        observer: &dyn Observer,
        keys: &[u128],
        points: Zeroizing<Vec<B>>,
    ) -> Result<Self, ProtocolError> {
        let Seed(seed) = Seed::draw(rng);
        observer.begin("encoding", 1);
        let shape = OkvsShape::new(KIND, keys.len());
        let p = Zeroizing::new(encode(&shape, seed, keys, &points, rng)?);
        observer.advance(1);
        Ok(Self { seed, p })
    }

    /// Sends A + P, which gives A up.
    fn put_under(&self, means: &mut Means<'_>, a: Zeroizing<Vec<B>>) -> Result<(), ProtocolError> {
        for range in chunks::<B>(a.len()).ranges() {
            let sums = a[range.clone()].iter().zip(&self.p[range]).map(|(a, p)| *a ^ *p);
            let sums = sums.collect::<Vec<_>>();
            means.observer.advance(sums.len() as u64);
            means.channel.put(&Sums(sums))?;
        }
        Ok(())
    }
}

/// Elements as the function takes them: 256 pseudorandom bits each.
struct Split<B: Zeroize> {
    /// What finds each element's row: the first half.
    keys: Zeroizing<Vec<u128>>,
    /// h of each element, of the second half.
    points: Zeroizing<Vec<B>>,
    /// What the output takes beside the keys: whole elements, or none of them.
    elements: Zeroizing<Vec<Element>>,
}

impl<B: Subfield> Split<B> {
    fn of(elements: Zeroizing<Vec<Element>>, security: Security) -> Self {
        let each = || elements.par_iter().with_min_len(VALUES_A_TASK);
        let keys = each().map(|element| half(element, 0)).collect();
        let points = each().map(|element| B::truncate(half(element, 1))).collect();
        let elements = match security {
            Security::SemiHonest => Zeroizing::default(),
            Security::Malicious => elements,
        };
        Self { keys: Zeroizing::new(keys), points: Zeroizing::new(points), elements }
    }
}
