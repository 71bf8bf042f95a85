//! Base OT from Diffie–Hellman on ristretto255.
//!
//! # The protocol
//!
//! Batched endemic OT of McQuoid, Rosulek and Roy (Batching Base Oblivious Transfers, Asiacrypt 2021, eprint 2021/682,
//! figure 3), with the programmable-once function of Masny and Rindal (figure 6 there) and Diffie–Hellman as tagged key
//! agreement. G is the group's generator, `i` runs over the instances, `c_i` is the receiver's choice.
//!
//! 1. Receiver: draws a scalar `a_i` and a point `r_{i,1−c}`; r_{i,c} = a_i·G − H_{i,c}(r_{i,1−c}).
//!    Sends `(r_{i,0}, r_{i,1})`.
//! 2. Sender: draws one scalar `b`; sends B = b·G. Outputs k_{i,j} = H'(i, j, b·(r_{i,j} + H_{i,j}(r_{i,1−j}))).
//! 3. Receiver: outputs k_{i,c} = H'(i, c, a_i·B).
//!
//! 64 bytes an OT to the sender, 32 bytes for all together to the receiver. An OT costs the receiver two fixed-base
//! products, of G and of B, and the sender two variable-base ones.
//!
//! # Security
//!
//! Endemic, universally composable, against either party malicious: theorem 9 there, theorem 11 for the order of the
//! messages (the Diffie–Hellman messages do not depend on one another, so the receiver may speak first), theorem 14 for
//! the programmable-once function, with a loss quadratic in the number of oracle queries. Assumptions:
//!
//! * `H` is a random oracle into the group: uniform 64 bytes go through Elligator 2 twice and are added
//!   (`from_uniform_bytes`), which is indifferentiable from one;
//! * the key agreement is tag-non-malleable (definition 3): the tagged oracle Diffie–Hellman assumption (definition 21)
//!   on ristretto255. For a random oracle `H'` it follows from the strong Diffie–Hellman assumption: computing `ab·G`
//!   from `a·G` and `b·G` is hard even with an oracle that decides Diffie–Hellman for the one `b`. That `b` is common
//!   to all instances is what asks for more than the plain computational assumption.
//!
//! The responses are strongly random (definition 4) since `a_i·G` is uniform. The choice is hidden unconditionally:
//! `r_{i,0}` and `r_{i,1}` are uniform and independent whatever `c_i` is, as long as `H` is a function.
//!
//! The tag, `i`, `j` and the digest of the transcript, is hashed into every key. With naive batching, where the key is
//! `H'(b·m)` alone, a receiver that repeats `(r_0, r_1)` gets equal pads (section 3 there). The Chou–Orlandi protocol
//! is a multiplication cheaper for the sender, but no simulator can extract a malicious receiver's choice in time.
//!
//! Points must be canonical and not the identity; so must be the sums `r_{i,j} + H_{i,j}(..)`, which would give a key
//! that does not depend on `b`. Ristretto has prime order, so there is no cofactor to think of.

use std::ops::Range;

use curve25519_dalek::Scalar;
use rand_core::CryptoRng;
use rayon::prelude::*;
use subtle::{Choice, ConditionallySelectable};
use veilset_channel::{
    Channel, ChannelError, ChannelExt, Malformed, Message, PeerFault, Reader, Tag,
};
use veilset_simd::Kernel;
use veilset_simd::ristretto255::{self, FixedBase, Point};
use zeroize::Zeroizing;

use super::oracle::{Keys, Masks, Transcript};
use super::{MAX_COUNT, Session, secret};
use crate::{BaseOt, Block, OtError, WireCost};

const MASKS: &str = "veilset base OT ristretto255 v1: masks";
const TRANSCRIPT: &str = "veilset base OT ristretto255 v1: transcript";
const KEYS: &str = "veilset base OT ristretto255 v1: keys";

/// Bytes of an encoded point.
const POINT: usize = 32;

/// Points that one task takes: enough to fill the lanes of every kernel, few enough for two tasks of a usual run.
const POINTS_A_TASK: usize = 64;

/// Base OT on ristretto255; see the [comparison](super).
#[derive(Debug, Clone)]
pub struct Ristretto {
    session: Session,
}

/// Bytes and frames of `count` OTs.
pub(super) fn wire_cost(count: usize) -> WireCost {
    WireCost { sender: (POINT as f64, 1), receiver: ((2 * POINT * count) as f64, 1) }
}

impl Ristretto {
    /// The base OT of the run `session`, which both parties must give alike; their blocks are unrelated otherwise.
    #[must_use]
    pub fn new(session: Session) -> Self {
        Self { session }
    }

    fn transcript(&self, pairs: &Pairs, answer: &Answer) -> Transcript {
        let mut transcript = Transcript::new(TRANSCRIPT, &self.session, pairs.0.len());
        transcript.absorb(pairs);
        transcript.absorb(answer);
        transcript
    }
}

impl BaseOt for Ristretto {
    /// # Panics
    /// When `count` is above [`MAX_COUNT`].
    fn send(
        &self,
        channel: &mut dyn Channel,
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<[Block; 2]>>, OtError> {
        assert!(count <= MAX_COUNT, "at most {MAX_COUNT} base OTs in a run");
        let pairs: Pairs = channel.take(&count)?;
        let sums = pairs.sums(&Masks::new(MASKS, &self.session))?;
        let half_b = Zeroizing::new(Scalar::random(rng).to_bytes());
        let answer = Answer(encode_doubles(1, |kernel, _| multiples(kernel, &[*half_b]))[0]);
        channel.put(&answer)?;
        let keys = self.transcript(&pairs, &answer).keys(KEYS);
        Ok(pads(&keys, &half_b, &sums))
    }

    /// # Panics
    /// When there are more than [`MAX_COUNT`] choices.
    fn receive(
        &self,
        channel: &mut dyn Channel,
        choices: &[bool],
        rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<Block>>, OtError> {
        assert!(choices.len() <= MAX_COUNT, "at most {MAX_COUNT} base OTs in a run");
        let (half_a, pairs) = Pairs::hide(choices, &Masks::new(MASKS, &self.session), rng);
        channel.put(&pairs)?;
        let answer: Answer = channel.take(&())?;
        let mut b = [Point::IDENTITY];
        decode(Kernel::best(), &[answer.0], &mut b, Answer::TAG)?;
        let keys = self.transcript(&pairs, &answer).keys(KEYS);
        Ok(chosen_pads(&keys, &half_a, &b[0], choices))
    }
}

/// Step 1: `(r_0, r_1)` of every instance, encoded.
struct Pairs(Vec<[[u8; POINT]; 2]>);

impl Pairs {
    /// Step 1 of the receiver: the halves of the `a_i`, and the message that hides the choices.
    fn hide(
        choices: &[bool],
        masks: &Masks,
        rng: &mut dyn CryptoRng,
    ) -> (Zeroizing<Vec<ristretto255::Scalar>>, Self) {
        let count = choices.len();
        // Doubles are cheap to encode together, so all points are made as halves.
        let mut half_a = Zeroizing::new(vec![[0; POINT]; count]);
        for half in half_a.iter_mut() {
            *half = Scalar::random(rng).to_bytes();
        }
        let mut uniform = Zeroizing::new(vec![[0; 64]; count]);
        for bytes in uniform.iter_mut() {
            rng.fill_bytes(bytes);
        }
        let others = encode_doubles(count, |kernel, places| mapped(kernel, &uniform[places]));
        let chosen = encode_doubles(count, |kernel, places| {
            let mut points = multiples(kernel, &half_a[places.clone()]);
            let inputs = places.map(|i| (i, secret(choices[i]), &others[i]));
            ristretto255::subtract(kernel, &mut points, &half_masks(kernel, masks, inputs));
            points
        });
        let pairs = choices.iter().zip(chosen.iter().zip(others.iter()));
        let pairs = pairs.map(|(choice, (chosen, other))| {
            [secret(*choice), !secret(*choice)]
                .map(|swap| <[u8; POINT]>::conditional_select(chosen, other, swap))
        });
        let pairs = Self(pairs.collect());
        (half_a, pairs)
    }

    /// r_{i,j} + H_{i,j}(r_{i,1−j}) for all instances and branches: that of `i` and `j` in place 2i + j.
    fn sums(&self, masks: &Masks) -> Result<Vec<Point>, ChannelError> {
        let kernel = Kernel::best();
        let encoded = self.0.as_flattened();
        let mut sums = vec![Point::IDENTITY; encoded.len()];
        let tasks = sums.par_chunks_mut(POINTS_A_TASK).zip(encoded.par_chunks(POINTS_A_TASK));
        tasks.enumerate().try_for_each(|(task, (sums, own))| {
            decode(kernel, own, sums, Self::TAG)?;
            let inputs = places(task, own.len()).map(|place| {
                let branch = Choice::from(u8::from(place % 2 == 1));
                (place / 2, branch, &encoded[place ^ 1])
            });
            let mut masks = half_masks(kernel, masks, inputs);
            ristretto255::double(kernel, &mut masks);
            ristretto255::add(kernel, sums, &masks);
            if ristretto255::is_identity(kernel, sums).contains(&true) {
                return Err(not_an_element(Self::TAG));
            }
            Ok(())
        })?;
        Ok(sums)
    }
}

impl Message for Pairs {
    const TAG: Tag = Tag::BaseOtOffer;
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        2 * POINT * count
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.0.as_flattened().as_flattened());
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        (0..*count)
            .map(|_| Ok([reader.array()?, reader.array()?]))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Step 2: `B`, encoded.
struct Answer([u8; POINT]);

impl Message for Answer {
    const TAG: Tag = Tag::BaseOtAnswer;
    type Context = ();

    fn max_len((): &()) -> usize {
        POINT
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.0);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        reader.array().map(Self)
    }
}

/// Step 2's output: k_{i,j} = H'(i, j, b·m_{i,j}), with half of `b` and the sums `m`.
fn pads(keys: &Keys, half_b: &ristretto255::Scalar, sums: &[Point]) -> Zeroizing<Vec<[Block; 2]>> {
    let secrets = encode_doubles(sums.len(), |kernel, places| {
        let mut products = Zeroizing::new(sums[places].to_vec());
        ristretto255::multiply_all(kernel, half_b, &mut products);
        products
    });
    let (secrets, _) = secrets.as_chunks::<2>();
    let pairs = secrets.iter().enumerate().map(|(i, pair)| keys.pair(i, pair));
    Zeroizing::new(pairs.collect())
}

/// Step 3's output: k_{i,c} = H'(i, c, a_i·B), with the halves of the `a_i`.
fn chosen_pads(
    keys: &Keys,
    half_a: &[ristretto255::Scalar],
    b: &Point,
    choices: &[bool],
) -> Zeroizing<Vec<Block>> {
    let multiples_of_b = FixedBase::new(Kernel::best(), b);
    let secrets = encode_doubles(half_a.len(), |_, places| {
        let mut products = Zeroizing::new(vec![Point::IDENTITY; places.len()]);
        multiples_of_b.multiply(&half_a[places], &mut products);
        products
    });
    let secrets = secrets.iter().zip(choices).enumerate();
    Zeroizing::new(
        secrets.map(|(i, (agreed, choice))| keys.block(i, secret(*choice), agreed)).collect(),
    )
}

/// Half of H_{i,j} at each encoded point, which comes with its instance and branch.
fn half_masks<'a>(
    kernel: Kernel,
    masks: &Masks,
    inputs: impl ExactSizeIterator<Item = (usize, Choice, &'a [u8; POINT])>,
) -> Zeroizing<Vec<Point>> {
    let mut uniform = Zeroizing::new(vec![[0; 64]; inputs.len()]);
    for (bytes, (i, branch, input)) in uniform.iter_mut().zip(inputs) {
        *bytes = masks.at(i, branch, [input, &[]]);
    }
    mapped(kernel, &uniform)
}

/// The elements that are derived from uniform bytes.
fn mapped(kernel: Kernel, uniform: &[[u8; 64]]) -> Zeroizing<Vec<Point>> {
    let mut points = Zeroizing::new(vec![Point::IDENTITY; uniform.len()]);
    ristretto255::map(kernel, uniform, &mut points);
    points
}

/// The generator's products.
fn multiples(kernel: Kernel, scalars: &[ristretto255::Scalar]) -> Zeroizing<Vec<Point>> {
    let mut products = Zeroizing::new(vec![Point::IDENTITY; scalars.len()]);
    ristretto255::multiply_generator(kernel, scalars, &mut products);
    products
}

/// The encoded doubles of `count` points, which `halves` makes for as many places as a task takes.
fn encode_doubles(
    count: usize,
    halves: impl Fn(Kernel, Range<usize>) -> Zeroizing<Vec<Point>> + Sync,
) -> Zeroizing<Vec<[u8; POINT]>> {
    let kernel = Kernel::best();
    let mut encoded = Zeroizing::new(vec![[0; POINT]; count]);
    encoded.par_chunks_mut(POINTS_A_TASK).enumerate().for_each(|(task, encoded)| {
        let halves = halves(kernel, places(task, encoded.len()));
        ristretto255::encode_doubled(kernel, &halves, encoded);
    });
    encoded
}

/// The places of a task with `count` of them.
fn places(task: usize, count: usize) -> Range<usize> {
    let first = task * POINTS_A_TASK;
    first..first + count
}

/// Points other than the identity from their canonical encodings.
fn decode(
    kernel: Kernel,
    encoded: &[[u8; POINT]],
    points: &mut [Point],
    message: Tag,
) -> Result<(), ChannelError> {
    ristretto255::decode_non_neutral(kernel, encoded, points).map_err(|_| not_an_element(message))
}

fn not_an_element(message: Tag) -> ChannelError {
    PeerFault::Malformed { what: message.name(), why: Malformed::NotAnElement }.into()
}

#[cfg(test)]
mod tests;
