//! Vector OLE, silent: its traffic hardly grows with its length.
//!
//! The sender gets Δ and a vector b over a field of 2^128 elements, the receiver a vector c over it and a vector a over a
//! [`Subfield`], the same field, one of 2^64 or 2^4 elements, or nine elements of one of 2^8, with c = b + Δ·a; a is pseudorandom. As Boyle, Couteau,
//! Gilboa, Ishai, Kohl, Rindal and Scholl have it (CCS 2019, eprint 2019/1159, figures 3 to 5):
//!
//! 1. An extension of oblivious transfers is set up, whose secret Δ becomes the vector's. The receiver draws noise u: in
//!    each block of places one, at random, that holds a random value; the extension shares its product with Δ
//!    (`extension::products`, in place of a multiplication protocol of its own).
//! 2. By d random transfers a block of at most 2^d places the receiver gets the sender's tree of leaves but for the one at
//!    its noise, and there the leaf plus the value times Δ (`tree`). So over all blocks w = v + Δ·u.
//! 3. Both apply the same public linear map to what they have (`code`): a, b and c are the images of u, v and w. That a is
//!    pseudorandom is the dual form of learning parity with noise; `parameters` and `docs/notes/lpn.md` say for which sizes.
//!
//! **Security.** Semi-honest, or malicious where [`Security`] says so: the extension checks that the receiver's choices are
//! consistent, and `check` that the sender grew trees. A sender that sends wrong sums and guesses right about the noise is
//! not found: as in the paper it can rule out noise places, each guess at the risk of being found, which leaves the noise
//! with as much entropy as before less a bit on average.

mod batches;
mod check;
mod code;
mod field;
mod messages;
mod parameters;
mod stretches;
#[cfg(test)]
mod tests;
mod tree;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt, Chunks, MAX_BODY};
pub use veilset_simd::Nonet;
use veilset_simd::TILE;
use zeroize::{Zeroize, Zeroizing};

use self::batches::Batches;
use self::code::{Code, REGIONS};
pub use self::field::{Nibble, Subfield};
use self::messages::{Challenge, Trees, TreesShape};
use self::parameters::LpnParameters;
pub use self::stretches::{ReceivedStretches, SentStretches, stretches};
use self::tree::{Growth, TreeSums, add_at, depth, grow, puncture};
use crate::base::{Base, Session};
use crate::{
    BLOCK_BYTES, BaseOt, Block, DEFAULT_DEPTH, ExtensionParameters, ExtensionReceiver,
    ExtensionSender, OtError, Security, WireCost, setup_bytes, transfer_bytes,
};

/// Elements of a field that wipe themselves; of the large one, if nothing else is said.
pub type Elements<B = Block> = Zeroizing<Vec<B>>;

/// What the party has that knows Δ: c = b + Δ·a.
pub struct VoleSender {
    /// The same for all entries.
    pub delta: Zeroizing<Block>,
    /// One element an entry.
    pub b: Elements,
}

/// What the other party has.
pub struct VoleReceiver<B: Subfield> {
    /// One pseudorandom element an entry.
    pub a: Elements<B>,
    /// b + Δ·a, entry by entry.
    pub c: Elements,
}

impl VoleSender {
    /// Draws Δ and makes `len` entries, on the threads of the caller's rayon pool. The peer calls
    /// [`VoleReceiver::run`] with the same base, parameters and length, for the same field B.
    ///
    /// # Errors
    /// When the connection fails or the peer breaks the protocol.
    pub fn run<B: Subfield>(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        len: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let mut made = SentStretches::<B>::open(channel, base, parameters, len, rng)?;
        let mut b = Elements::new(Vec::with_capacity(made.room(len)));
        while made.next(channel, &mut b)? {}
        Ok(Self { delta: made.delta(), b })
    }

    /// The same on an extension that is set up, whose secret is Δ; no two vectors on one have the same parameters.
    pub(crate) fn extend<B: Subfield>(
        channel: &mut dyn Channel,
        extension: &mut ExtensionSender,
        parameters: &ExtensionParameters,
        len: usize,
    ) -> Result<Self, OtError> {
        let delta = Zeroizing::new(extension.delta());
        let noise = LpnParameters::new(len);
        let depth = depth(noise.block());
        let masks = masks::<B>(parameters.security);

        // Step 1: shares of the products of the noise.
        let shares = extension.send_products::<B>(channel, noise.blocks() + masks)?;

        // Step 2: trees.
        let pairs = extension.send_random(channel, noise.blocks() * depth)?;
        let mut v = [(); 2].map(|()| vector::<Block>(noise.compressed_len()));
        let trees = trees(&mut v, &noise).zip(pairs.par_chunks(depth));
        let sums = trees.enumerate().map(|(index, (leaves, pairs))| {
            grow(&mut Growth::new(&parameters.session, index), pairs, shares[index], leaves)
        });
        put_trees(channel, &noise, &sums.collect::<Vec<_>>())?;
        let mut factors = None;
        if masks > 0 {
            let challenge: Challenge = channel.take(&())?;
            let mask = check::join::<B>(&shares[noise.blocks()..]);
            let hash = check::hash::<B>([&v[0], &v[1]], &challenge.factors) ^ mask;
            channel.put(&check::answer::<B>(&parameters.session, hash, &challenge, *delta))?;
            factors = Some(challenge.factors);
        }

        // Step 3: the image under the code.
        let [first, second] = &mut v;
        code(&noise, &parameters.session, factors).compress::<B>([first, second]);
        let [v, _] = v;
        Ok(Self { delta, b: shortened(v, len) })
    }
}

impl<B: Subfield> VoleReceiver<B> {
    /// Makes `len` entries, on the threads of the caller's rayon pool.
    ///
    /// # Errors
    /// As [`VoleSender::run`].
    pub fn run(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        len: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let mut stretches = ReceivedStretches::open(channel, base, parameters, len, rng)?;
        let mut made = Self::with_room(stretches.room(len));
        while stretches.next(channel, &mut made, rng)? {}
        Ok(made)
    }

    /// Of no entries, with room for so many.
    #[must_use]
    pub fn with_room(entries: usize) -> Self {
        Self {
            a: Elements::new(Vec::with_capacity(entries)),
            c: Elements::new(Vec::with_capacity(entries)),
        }
    }

    /// The same on an extension that is set up; no two vectors on one have the same parameters.
    pub(crate) fn extend(
        channel: &mut dyn Channel,
        extension: &mut ExtensionReceiver,
        parameters: &ExtensionParameters,
        len: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let noise = LpnParameters::new(len);
        let depth = depth(noise.block());
        let masks = masks::<B>(parameters.security);

        // Step 1: noise, and shares of its products; what is beyond the noise masks the check.
        let drawn = elements::<Block>(rng, noise.blocks() + masks);
        let value = |(index, drawn): (usize, &Block)| match index < noise.blocks() {
            true => B::noise(*drawn),
            false => B::truncate(*drawn),
        };
        let values = Elements::new(drawn.iter().enumerate().map(value).collect::<Vec<B>>());
        let places = elements(rng, noise.blocks());
        let places = places.iter().map(|random| place(*random, noise.block()));
        let places = Zeroizing::new(places.collect::<Vec<_>>());
        let shares = extension.receive_products(channel, &values)?;

        // Step 2: trees but for the leaf at each place.
        let beside = places.iter().flat_map(|place| (0..depth).map(move |l| place >> l & 1 == 0));
        let beside = Zeroizing::new(beside.collect::<Vec<_>>());
        let pads = extension.receive_random(channel, &beside)?;
        let sums = take_trees(channel, &noise)?;
        let grow = |first: usize, u: &mut [B], w: &mut [Block]| {
            let trees = u.par_chunks_mut(noise.block()).zip(w.par_chunks_mut(noise.block()));
            let trees = (first..noise.blocks()).into_par_iter().zip(trees);
            trees.for_each(|(index, (u, leaves))| {
                let growth = &mut Growth::new(&parameters.session, index);
                let pads = &pads[index * depth..(index + 1) * depth];
                puncture(growth, places[index], pads, &sums[index], shares[index], leaves);
                u.fill(B::default());
                add_at(u, places[index], values[index]);
            });
        };
        let length = noise.compressed_len();
        let (mut u, mut w) = (vector::<B>(length), vector::<Block>(length));
        grow(0, &mut u, &mut w);
        // The check is of everything, and the code depends on it; without one, the second halves are never whole.
        let checked = if masks > 0 { length } else { 0 };
        let (mut more_u, mut more_w) = (vector::<B>(checked), vector::<Block>(checked));
        let mut factors = None;
        if masks > 0 {
            grow(noise.blocks() / 2, &mut more_u, &mut more_w);
            let drawn = [elements(rng, 1)[0], elements(rng, 1)[0]];
            let hidden = check::hash::<B>([&u, &more_u], &drawn)
                ^ check::join::<B>(&values[noise.blocks()..]);
            channel.put(&Challenge { factors: drawn, noise: hidden })?;
            let answer = channel.take(&())?;
            let hash = check::hash::<B>([&w, &more_w], &drawn)
                ^ check::join::<B>(&shares[noise.blocks()..]);
            check::verify(&parameters.session, hash, &answer)?;
            factors = Some(drawn);
        }

        // Step 3: the images under the code.
        let code = code(&noise, &parameters.session, factors);
        code.compress_both(&mut u, &mut w, |region, to_u, to_w| {
            let begin = region * to_u.len();
            match (more_u.get(begin..begin + to_u.len()), more_w.get(begin..begin + to_w.len())) {
                (Some(u), Some(w)) => {
                    to_u.copy_from_slice(u);
                    to_w.copy_from_slice(w);
                }
                _ => grow((REGIONS + region) * trees_a_region(&noise), to_u, to_w),
            }
        });
        Ok(Self { a: shortened(u, len), c: shortened(w, len) })
    }
}

/// The code of a session; where trees are checked, also of the factors of the check, so that no sender chose its trees
/// after it.
fn code(noise: &LpnParameters, session: &Session, factors: Option<[Block; 2]>) -> Code {
    let mut hasher = blake3::Hasher::new_derive_key("veilset 2026 vector OLE: code");
    hasher.update(session);
    for factor in factors.iter().flatten() {
        hasher.update(&factor.to_le_bytes());
    }
    let seed = hasher.finalize();
    Code::new(noise, &std::array::from_fn(|index| seed.as_bytes()[index]))
}

/// How many products more than the noise asks for mask the check, if there is one: an element of the large field.
fn masks<B: Subfield>(security: Security) -> usize {
    match security {
        Security::SemiHonest => 0,
        Security::Malicious => B::DEGREE,
    }
}

/// A vector as long as the noise. Only the first half outlives the code.
type Halves<B> = [Elements<B>; 2];

/// Trees of a region of the code. The first half of the noise is as long as all regions.
fn trees_a_region(noise: &LpnParameters) -> usize {
    let trees = noise.blocks() / (2 * REGIONS);
    assert_eq!(2 * REGIONS * trees, noise.blocks(), "regions have whole trees");
    trees
}

fn vector<B: Subfield>(len: usize) -> Elements<B> {
    Elements::new(vec![B::default(); len])
}

/// The blocks of a vector.
fn trees<'a, B: Subfield>(
    [first, second]: &'a mut Halves<B>,
    noise: &LpnParameters,
) -> impl IndexedParallelIterator<Item = &'a mut [B]> {
    first.par_chunks_mut(noise.block()).chain(second.par_chunks_mut(noise.block()))
}

/// The first `len` elements; the others are wiped.
fn shortened<B: Subfield>(mut first: Elements<B>, len: usize) -> Elements<B> {
    shorten(&mut first, len);
    first
}

/// Leaves the first `len` elements; the others are wiped.
fn shorten<B: Subfield>(elements: &mut Elements<B>, len: usize) {
    elements[len..].iter_mut().zeroize();
    elements.truncate(len);
}

/// Bytes and frames of a run of `len` entries over `base`.
#[must_use]
pub fn wire_cost<B: Subfield>(base: Base, len: usize, security: Security) -> WireCost {
    let batches = Batches::cost::<B>(security, len);
    let extended = batches.unwrap_or_else(|| extend_cost::<B>(len, security));
    let setup = setup_bytes(base);
    let and = |one: (f64, usize), other: (f64, usize)| (one.0 + other.0, one.1 + other.1);
    WireCost {
        sender: and(setup.sender, extended.sender),
        receiver: and(setup.receiver, extended.receiver),
    }
}

/// The same without the setup.
pub(crate) fn extend_cost<B: Subfield>(len: usize, security: Security) -> WireCost {
    let noise = LpnParameters::new(len);
    let depth = depth(noise.block());
    let corrections = [B::BITS * noise.blocks(), depth * noise.blocks()]
        .map(|transfers| transfer_bytes(transfers, 0).receiver);
    let sum = |parts: &[(f64, usize)]| {
        parts.iter().fold((0.0, 0), |(bytes, frames), part| (bytes + part.0, frames + part.1))
    };
    let trees = (noise.blocks() * TreesShape::tree_bytes(depth)) as f64;
    let checks = check_bytes(security);
    WireCost {
        sender: sum(&[(trees, tree_frames(&noise).count()), checks.sender]),
        receiver: sum(&[corrections[0], corrections[1], checks.receiver]),
    }
}

/// What a malicious run sends beyond a semi-honest one: proofs of the extension's trees, twice its check, the tile more for
/// each and that of the mask, and the check of the trees here.
fn check_bytes(security: Security) -> WireCost {
    const TREES: usize = TILE.div_ceil(DEFAULT_DEPTH);
    const PROOFS: usize = 64 * TREES;
    const HASHES: usize = (1 + TILE) * BLOCK_BYTES;
    const TILES: usize = 3 * TREES * BLOCK_BYTES;
    match security {
        Security::SemiHonest => WireCost { sender: (0.0, 0), receiver: (0.0, 0) },
        Security::Malicious => WireCost {
            sender: ((2 * BLOCK_BYTES + 32) as f64, 3),
            receiver: ((PROOFS + 2 * HASHES + TILES + 3 * BLOCK_BYTES) as f64, 3),
        },
    }
}

/// A place below `block`, uniform up to block/2^96, from 96 uniform bits; without a division, whose time tells its operands.
fn place(random: Block, block: usize) -> u64 {
    (((random >> 32) * block as u128) >> 96) as u64
}

/// Uniform elements.
fn elements<B: Subfield>(rng: &mut dyn CryptoRng, count: usize) -> Elements<B> {
    let mut bytes = Zeroizing::new(vec![[0; 16]; count]);
    rng.fill_bytes(bytes.as_flattened_mut());
    let element = |bytes: &[u8; 16]| B::truncate(Block::from_le_bytes(*bytes));
    Zeroizing::new(bytes.iter().map(element).collect())
}

/// The frames of all trees.
fn tree_frames(noise: &LpnParameters) -> Chunks {
    Chunks::new(noise.blocks(), MAX_BODY / TreesShape::tree_bytes(depth(noise.block())))
}

fn put_trees(
    channel: &mut dyn Channel,
    noise: &LpnParameters,
    sums: &[TreeSums],
) -> Result<(), OtError> {
    for range in tree_frames(noise).ranges() {
        channel.put(&Trees(sums[range].to_vec()))?;
    }
    Ok(())
}

fn take_trees(channel: &mut dyn Channel, noise: &LpnParameters) -> Result<Vec<TreeSums>, OtError> {
    let mut sums = Vec::with_capacity(noise.blocks());
    for range in tree_frames(noise).ranges() {
        let shape = TreesShape { trees: range.len(), depth: depth(noise.block()) };
        sums.extend(channel.take::<Trees>(&shape)?.0);
    }
    Ok(sums)
}
