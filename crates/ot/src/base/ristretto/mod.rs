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

use curve25519_dalek::Scalar;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::traits::IsIdentity;
use rand_core::CryptoRng;
use rayon::prelude::*;
use subtle::{Choice, ConditionallySelectable};
use veilset_channel::{
    Channel, ChannelError, ChannelExt, Malformed, Message, PeerFault, Reader, Tag,
};
use zeroize::Zeroizing;

use super::oracle::{Keys, Masks, Transcript};
use super::{MAX_COUNT, Session, secret};
use crate::{BaseOt, Block, OtError, WireCost};

const MASKS: &str = "veilset base OT ristretto255 v1: masks";
const TRANSCRIPT: &str = "veilset base OT ristretto255 v1: transcript";
const KEYS: &str = "veilset base OT ristretto255 v1: keys";

/// Bytes of an encoded point.
const POINT: usize = 32;

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
        let half_b = Zeroizing::new(Scalar::random(rng));
        let answer = Answer(encode_doubles(&[RistrettoPoint::mul_base(&half_b)])[0]);
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
        let b = decode_point(&answer.0, Answer::TAG)?;
        let keys = self.transcript(&pairs, &answer).keys(KEYS);
        Ok(chosen_pads(&keys, &half_a, &b, choices))
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
    ) -> (Zeroizing<Vec<Scalar>>, Self) {
        // Doubles are cheap to encode together, so all points are made as halves.
        let half_a: Zeroizing<Vec<_>> =
            Zeroizing::new(choices.iter().map(|_| Scalar::random(rng)).collect());
        let half_others: Zeroizing<Vec<_>> =
            Zeroizing::new(choices.iter().map(|_| RistrettoPoint::random(rng)).collect());
        let others = Zeroizing::new(encode_doubles(&half_others));
        let half_chosen: Zeroizing<Vec<_>> = Zeroizing::new(
            (0..choices.len())
                .into_par_iter()
                .map(|i| {
                    let mask = half_mask(masks, i, secret(choices[i]), &others[i]);
                    RistrettoPoint::mul_base(&half_a[i]) - mask
                })
                .collect(),
        );
        let chosen = Zeroizing::new(encode_doubles(&half_chosen));
        let pairs = choices.iter().zip(chosen.iter().zip(others.iter()));
        let pairs = pairs.map(|(choice, (chosen, other))| {
            [secret(*choice), !secret(*choice)]
                .map(|swap| <[u8; POINT]>::conditional_select(chosen, other, swap))
        });
        let pairs = Self(pairs.collect());
        (half_a, pairs)
    }

    /// r_{i,j} + H_{i,j}(r_{i,1−j}) for all instances and branches.
    fn sums(&self, masks: &Masks) -> Result<Vec<[RistrettoPoint; 2]>, ChannelError> {
        let sum = |i: usize, branch: u8, own: &[u8; POINT], other: &[u8; POINT]| {
            let half = half_mask(masks, i, Choice::from(branch), other);
            let sum = decode_point(own, Self::TAG)? + half + half;
            if sum.is_identity() { Err(not_an_element(Self::TAG)) } else { Ok(sum) }
        };
        let sums = self.0.par_iter().enumerate();
        sums.map(|(i, [r_0, r_1])| Ok([sum(i, 0, r_0, r_1)?, sum(i, 1, r_1, r_0)?])).collect()
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
fn pads(keys: &Keys, half_b: &Scalar, sums: &[[RistrettoPoint; 2]]) -> Zeroizing<Vec<[Block; 2]>> {
    let halves: Zeroizing<Vec<_>> =
        Zeroizing::new(sums.as_flattened().par_iter().map(|sum| half_b * sum).collect());
    let secrets = Zeroizing::new(encode_doubles(&halves));
    let (secrets, _) = secrets.as_chunks::<2>();
    let pairs = secrets.iter().enumerate().map(|(i, pair)| keys.pair(i, pair));
    Zeroizing::new(pairs.collect())
}

/// Step 3's output: k_{i,c} = H'(i, c, a_i·B), with the halves of the `a_i`.
fn chosen_pads(
    keys: &Keys,
    half_a: &[Scalar],
    b: &RistrettoPoint,
    choices: &[bool],
) -> Zeroizing<Vec<Block>> {
    let multiples_of_b = RistrettoBasepointTable::create(b);
    let halves: Zeroizing<Vec<_>> =
        Zeroizing::new(half_a.par_iter().map(|half| half * &multiples_of_b).collect());
    let secrets = Zeroizing::new(encode_doubles(&halves));
    let secrets = secrets.iter().zip(choices).enumerate();
    Zeroizing::new(
        secrets.map(|(i, (agreed, choice))| keys.block(i, secret(*choice), agreed)).collect(),
    )
}

/// Half of H_{i,j} at an encoded point.
fn half_mask(masks: &Masks, i: usize, branch: Choice, input: &[u8; POINT]) -> RistrettoPoint {
    RistrettoPoint::from_uniform_bytes(&masks.at(i, branch, [input, &[]]))
}

fn encode_doubles(halves: &[RistrettoPoint]) -> Vec<[u8; POINT]> {
    let doubles = RistrettoPoint::double_and_compress_batch(halves);
    doubles.iter().map(CompressedRistretto::to_bytes).collect()
}

/// A point other than the identity from its canonical encoding.
fn decode_point(encoding: &[u8; POINT], message: Tag) -> Result<RistrettoPoint, ChannelError> {
    let point = CompressedRistretto(*encoding).decompress();
    point.filter(|point| !point.is_identity()).ok_or_else(|| not_an_element(message))
}

fn not_an_element(message: Tag) -> ChannelError {
    PeerFault::Malformed { what: message.name(), why: Malformed::NotAnElement }.into()
}

#[cfg(test)]
mod tests;
