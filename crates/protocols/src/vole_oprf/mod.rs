//! `vole-oprf`: an oblivious pseudorandom function of many points at once, from vector OLE and a key-value store.
//!
//! Raghuraman and Rindal, CCS 2022, eprint 2022/320, figure 4. F is a field of 2^128 elements; B is F, or a subfield of
//! 2^64 elements, which halves what step 2 sends ([`Width`]). Let `h` be bytes 16 to 23 or 16 to 31 of an element as an
//! element of B, and `P` a vector over B with ⟨row(y), P⟩ = h(y) for all of the receiver's elements.
//!
//! 1. The parties make a vector OLE: the sender has Δ and a vector K', the receiver A over B and C = K' + Δ·A.
//! 2. The receiver encodes P under a seed of its choice and sends the seed and A + P.
//! 3. The sender sets K = K' + Δ·(A + P), which is C + Δ·P. Its key is (Δ, K), and F(x) = H(⟨row(x), K⟩ + Δ·h(x), x).
//! 4. The receiver has F(y) = H(⟨row(y), C⟩, y) for its elements, since Δ·⟨row(y), P⟩ is Δ·h(y) there.
//!
//! **Security.** Semi-honest: A + P is uniform, so the sender sees nothing of P; for an x that is not the receiver's, the
//! receiver knows what enters H up to Δ·(h(x) + ⟨row(x), P⟩) with Δ unknown, 128 bits of it, and the factor not 0 but with
//! probability 1/|B|. Over the sender's elements that adds up to at most 2^-40. H is the tweakable hash of the oblivious
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

mod messages;
mod output;
#[cfg(test)]
mod tests;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt, PeerFault};
use veilset_crypto::Element;
use veilset_ot::Parameters;
use veilset_ot::base::Ristretto;
use veilset_ot::vole::{self, Subfield, VoleReceiver, VoleSender};
use veilset_structures::okvs::{OkvsKind, OkvsShape, OkvsValue, decode, encode};
use zeroize::Zeroizing;

use self::messages::{Coin, Seed, Sums, bytes, chunks};
use self::output::{Output, commitment};
use crate::wire::{frames, size};
use crate::{Means, PartyCost, ProtocolError, Role, Run, Security};

/// Values that one task takes.
const VALUES_A_TASK: usize = 4096;

/// What both sides know of an evaluation beforehand.
pub(crate) struct Terms<'a> {
    session: &'a [u8; 32],
    /// Who holds the key; in a session there is one evaluation each way.
    keyed: Role,
    /// The other one's points.
    count: usize,
    /// The points of the one that holds the key.
    evaluated: usize,
    security: Security,
}

impl<'a> Terms<'a> {
    /// Of the evaluation in `run` whose key `keyed` holds.
    pub(crate) fn new(run: &Run<'a>, keyed: Role, security: Security) -> Self {
        let mut counts = [run.input.peer_count, run.input.elements.len()];
        if run.part.role != keyed {
            counts.reverse();
        }
        let [count, points] = counts;
        // Of all parts of a run.
        let evaluated = points.saturating_mul(1 << run.input.slack);
        Self { session: run.means.session, keyed, count, evaluated, security }
    }

    fn derive(&self, what: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 vector OLE function");
        hasher.update(self.session).update(what.as_bytes()).update(self.keyed.name().as_bytes());
        *hasher.finalize().as_bytes()
    }

    fn base(&self) -> Ristretto {
        Ristretto::new(self.derive("base"))
    }

    fn parameters(&self) -> Parameters {
        Parameters::new(self.security.into(), self.derive("vector"))
    }

    /// H, in which `coins` enter where there are any.
    fn output(&self, coins: Option<[[u8; 32]; 2]>) -> Output {
        Output::new(&self.derive("output"), coins)
    }

    fn shape(&self) -> OkvsShape {
        OkvsShape::new(KIND, self.count)
    }

    fn width(&self) -> Width {
        Width::new(self.evaluated, self.security)
    }
}

/// The smaller store, which makes for a shorter vector OLE; its rows suit any field (`docs/notes/okvs.md`).
const KIND: OkvsKind = OkvsKind::Band;

/// The field B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// GF(2^64).
    Narrow,
    /// GF(2^128).
    Wide,
}

impl Width {
    /// For `evaluated` points of the key's holder. The bound on a receiver that cheats needs 128 bits; otherwise a
    /// receiver can evaluate at any of these points with probability 2^-64 a point, which may add up to 2^-41, for there
    /// may be an evaluation each way.
    fn new(evaluated: usize, security: Security) -> Self {
        const MOST: usize = 1 << (64 - 41);
        match security {
            Security::SemiHonest if evaluated <= MOST => Self::Narrow,
            _ => Self::Wide,
        }
    }
}

/// Evaluates `$body` with `$field` standing for the field of a width.
macro_rules! over {
    ($width:expr, $field:ident => $body:expr) => {
        match $width {
            Width::Narrow => {
                type $field = u64;
                $body
            }
            Width::Wide => {
                type $field = u128;
                $body
            }
        }
    };
}

/// The sender's part: draws a key for the function, and evaluates it at its own elements.
pub(crate) fn send(
    means: &mut Means<'_>,
    terms: &Terms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    over!(terms.width(), B => send_over::<B>(means, terms, elements))
}

fn send_over<B: Subfield>(
    means: &mut Means<'_>,
    terms: &Terms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    let shape = terms.shape();
    let (keys, points) = (keys_of(&elements), points_of::<B>(&elements));
    let elements = kept(terms.security, elements);
    // Step 1.
    means.observer.begin("vector OLE", 1);
    let vole = VoleSender::run::<B>(
        means.channel,
        &terms.base(),
        &terms.parameters(),
        shape.len(),
        means.rng,
    )?;
    means.observer.advance(1);
    let coin = match terms.security {
        Security::SemiHonest => None,
        Security::Malicious => Some(coin(means.rng)),
    };
    if let Some(coin) = &coin {
        means.channel.put(&Coin(commitment(&terms.derive("coin"), coin)))?;
    }
    // Step 3, as the frames of step 2 arrive.
    means.step("encoded set", shape.len());
    let Seed(seed) = means.channel.take(&())?;
    let theirs = coin.map(|_| means.channel.take::<Coin>(&())).transpose()?;
    let VoleSender { delta, b: mut k } = vole;
    for range in chunks::<B>(shape.len()).ranges() {
        let sums = means.channel.take::<Sums<B>>(&range.len())?.0;
        means.observer.advance(range.len() as u64);
        let entries = k[range].par_iter_mut().zip(sums).with_min_len(VALUES_A_TASK);
        entries.for_each(|(k, sum)| *k ^= sum.scale(*delta));
    }
    let coins = coin.zip(theirs).map(|(mine, theirs)| [mine, theirs.0]);
    if let Some([mine, _]) = &coins {
        means.channel.put(&Coin(*mine))?;
    }
    let mut values = Zeroizing::new(vec![0; keys.len()]);
    decode(&shape, seed, &k, &keys, &mut values);
    let sums = values.par_iter_mut().zip(&*points).with_min_len(VALUES_A_TASK);
    sums.for_each(|(value, point)| *value ^= point.scale(*delta));
    drop((k, points));
    terms.output(coins).finish(&mut values, &keys, &elements);
    Ok(values)
}

/// The receiver's part: F of each element.
pub(crate) fn receive(
    means: &mut Means<'_>,
    terms: &Terms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    over!(terms.width(), B => receive_over::<B>(means, terms, elements))
}

fn receive_over<B: Subfield + OkvsValue>(
    means: &mut Means<'_>,
    terms: &Terms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    let shape = terms.shape();
    let (keys, wanted) = (keys_of(&elements), points_of::<B>(&elements));
    let elements = kept(terms.security, elements);
    let mut seed = [0; 16];
    means.rng.fill_bytes(&mut seed);
    let seed = u128::from_le_bytes(seed);
    // Of step 2, first, since nobody waits for it alone and memory is scarce beside the vectors.
    means.observer.begin("encoding", 1);
    let p = Zeroizing::new(encode(&shape, seed, &keys, &wanted, means.rng)?);
    drop(wanted);
    means.observer.advance(1);
    // Step 1.
    means.observer.begin("vector OLE", 1);
    let vole = VoleReceiver::<B>::run(
        means.channel,
        &terms.base(),
        &terms.parameters(),
        shape.len(),
        means.rng,
    )?;
    means.observer.advance(1);
    // Step 2.
    means.step("encoded set", shape.len());
    let VoleReceiver { a, c } = vole;
    let commitment = match terms.security {
        Security::SemiHonest => None,
        Security::Malicious => Some(means.channel.take::<Coin>(&())?.0),
    };
    means.channel.put(&Seed(seed))?;
    let mine = commitment.map(|_| coin(means.rng));
    if let Some(coin) = &mine {
        means.channel.put(&Coin(*coin))?;
    }
    for range in chunks::<B>(shape.len()).ranges() {
        let sums = a[range.clone()].iter().zip(&p[range]).map(|(a, p)| *a ^ *p).collect::<Vec<_>>();
        means.observer.advance(sums.len() as u64);
        means.channel.put(&Sums(sums))?;
    }
    drop((a, p));
    // Step 4.
    let mut values = Zeroizing::new(vec![0; keys.len()]);
    decode(&shape, seed, &c, &keys, &mut values);
    let coins = match (commitment, mine) {
        (Some(commitment), Some(mine)) => Some([opened(means.channel, terms, &commitment)?, mine]),
        _ => None,
    };
    terms.output(coins).finish(&mut values, &keys, &elements);
    Ok(values)
}

fn coin(rng: &mut dyn CryptoRng) -> [u8; 32] {
    let mut coin = [0; 32];
    rng.fill_bytes(&mut coin);
    coin
}

/// The sender's coin, if it is the one that it committed to.
fn opened(
    channel: &mut dyn Channel,
    terms: &Terms<'_>,
    expected: &[u8; 32],
) -> Result<[u8; 32], ProtocolError> {
    let Coin(coin) = channel.take(&())?;
    if commitment(&terms.derive("coin"), &coin) != *expected {
        return Err(PeerFault::CheckFailed("commitment to a coin").into());
    }
    Ok(coin)
}

/// The most points of an evaluation.
pub(crate) const MAX_POINTS: u64 = 1 << 28;

/// Rounds of an evaluation.
pub(crate) const ROUNDS: u64 = 3;

/// Messages that one side waits for within these rounds: of the base transfers an answer and a correction; against cheats also a
/// challenge and an answer for either batch of transfers and for the trees.
pub(crate) fn waits(security: Security) -> u64 {
    match security {
        Security::SemiHonest => 2,
        Security::Malicious => 8,
    }
}

/// What 128 base transfers take, in passes. This and the numbers of passes below were measured on one processor.
const SETUP_PASSES: f64 = 180_000.0;

/// What an evaluation at `points` costs the sender, who evaluates at `own` elements, and the receiver.
pub(crate) fn cost(points: u64, own: u64, security: Security) -> (PartyCost, PartyCost) {
    if points == 0 {
        return Default::default();
    }
    if points > MAX_POINTS {
        let endless = PartyCost { bytes_sent: f64::INFINITY, ..PartyCost::default() };
        return (endless, endless);
    }
    let points = size(points);
    let len = OkvsShape::new(KIND, points).len();
    let width = Width::new(size(own), security);
    let vole = over!(width, B => vole::wire_cost::<B>(len, security.into()));
    // A commitment and a coin, and a coin.
    let coins = if security == Security::Malicious { 32.0 } else { 0.0 };
    let sums = over!(width, B => (len * bytes::<B>()) as f64 + frames(chunks::<B>(len).count()));
    let sent = vole.sender.0 + frames(vole.sender.1) + 2.0 * coins;
    let returned = vole.receiver.0 + frames(vole.receiver.1) + 16.0 + frames(1) + sums + coins;
    let memory = memory(width, security, (points, size(own), len));
    let (points, own, len) = (points as f64, own as f64, len as f64);
    let checks = if security == Security::Malicious { 1.1 } else { 1.0 };
    // What lies in no cache takes longer.
    let dearer = checks * (1.0 + 0.12 * (len / f64::from(1 << 16)).log2().max(0.0));
    let sender = PartyCost {
        passes: SETUP_PASSES / 2.0 + dearer * (0.9 * len + own),
        bytes_sent: sent,
        in_turn: sent,
        memory: memory.0,
        ..PartyCost::default()
    };
    let receiver = PartyCost {
        passes: SETUP_PASSES / 2.0 + dearer * (1.6 * len + 1.2 * points),
        bytes_sent: returned,
        in_turn: returned,
        memory: memory.1,
        ..PartyCost::default()
    };
    (sender, receiver)
}

/// Bytes beside the elements at the sender's and the receiver's fullest moments: while the vectors are made, or while a set is
/// evaluated or encoded. The elements themselves are given up by then.
fn memory(width: Width, security: Security, sizes: (usize, usize, usize)) -> (f64, f64) {
    /// A key, a value, and an element of the large field.
    const BLOCK: f64 = 16.0;
    /// What puts keys in order, of all of them or a quarter.
    const ORDER: f64 = BLOCK + 2.0;
    let (points, own, len) = (sizes.0 as f64, sizes.1 as f64, sizes.2 as f64);
    let entry = over!(width, B => bytes::<B>()) as f64;
    // A region of the second halves is there, and where they are checked all of them beside it.
    let (given, halves) = match security {
        Security::SemiHonest => (Element::LEN as f64, 8.0 / 7.0),
        Security::Malicious => (0.0, 15.0 / 7.0),
    };
    let evaluating = BLOCK * len + (2.0 * BLOCK + entry + ORDER / 4.0 - given) * own;
    let encoding = entry * len + (BLOCK + entry + ORDER - given) * points;
    let making = (halves * (BLOCK + entry) + entry) * len + (BLOCK - given) * points;
    let decoding = BLOCK * len + (2.0 * BLOCK + ORDER / 4.0 - given) * points;
    let growing = 2.0 * BLOCK * len + (BLOCK + entry - given) * own;
    (growing.max(evaluating), encoding.max(making).max(decoding))
}

/// What finds each element's row: an element is 256 pseudorandom bits, and this is the first half.
fn keys_of(elements: &[Element]) -> Zeroizing<Vec<u128>> {
    let elements = elements.par_iter().with_min_len(VALUES_A_TASK);
    Zeroizing::new(elements.map(|element| half(element, 0)).collect())
}

/// h of each element, of the second half.
fn points_of<B: Subfield>(elements: &[Element]) -> Zeroizing<Vec<B>> {
    let elements = elements.par_iter().with_min_len(VALUES_A_TASK);
    Zeroizing::new(elements.map(|element| B::truncate(half(element, 1))).collect())
}

/// What the output takes of the elements beside their keys.
fn kept(security: Security, elements: Zeroizing<Vec<Element>>) -> Zeroizing<Vec<Element>> {
    match security {
        Security::SemiHonest => Zeroizing::default(),
        Security::Malicious => elements,
    }
}

fn half(element: &Element, which: usize) -> u128 {
    let (halves, _) = element.0.as_chunks::<16>();
    u128::from_le_bytes(halves[which])
}
