//! The verifiable oblivious pseudorandom function of RFC 9497: mode VOPRF, ristretto255 with SHA-512.
//!
//! Its owner holds a key, a client an input; the client gets the function's output, and the owner learns nothing, not
//! even whether two inputs are equal. A proof (section 2.2) shows that the one key was used that belongs to the public
//! key, so that an owner cannot mark a client by a key of its own.
//!
//! | who | does | section |
//! |---|---|---|
//! | client | [`Blinding::new`] | 3.3.2, Blind |
//! | owner | [`SecretKey::blind_evaluate`] | 3.3.2, BlindEvaluate |
//! | client | [`Blinding::finalize`] | 3.3.2, Finalize |
//!
//! The owner evaluates its own inputs with [`SecretKey::evaluate`], many at once, in lanes. All that is secret takes
//! constant time; the coefficients of the proof's sums are public.

mod blinding;
mod proof;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::traits::IsIdentity;
use curve25519_dalek::{RistrettoPoint, Scalar};
use rand_core::CryptoRng;
use rayon::prelude::*;
use sha2::{Digest, Sha512};
use veilset_simd::Kernel;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

pub use self::blinding::Blinding;
pub use self::proof::Proof;
use crate::expand::{BatchExpander, Expander};
use crate::ristretto255::kernel::{
    self, Point, encode_doubled_batch, map_with, multiply_and_halve_batch,
};
use crate::tasks::tasks;
use crate::{Element, NotAnElement};

/// A group element as it crosses the wire.
pub type Encoded = [u8; 32];

/// The most inputs that one proof covers: their places are numbers of two bytes.
pub const MAX_BATCH: usize = 65_535;

/// Inputs that one task takes: twice all groups of eight lanes that share an inversion.
const INPUTS_A_TASK: usize = 256;

/// `"HashToGroup-" || contextString`, where `contextString` names version, mode and suite (section 3.1).
const GROUP_DST: &[u8] = b"HashToGroup-OPRFV1-\x01-ristretto255-SHA512";
const SCALAR_DST: &[u8] = b"HashToScalar-OPRFV1-\x01-ristretto255-SHA512";
const KEY_DST: &[u8] = b"DeriveKeyPairOPRFV1-\x01-ristretto255-SHA512";

static TO_GROUP: LazyLock<Expander<Sha512>> = LazyLock::new(|| Expander::new(GROUP_DST));
static TO_SCALAR: LazyLock<Expander<Sha512>> = LazyLock::new(|| Expander::new(SCALAR_DST));
static TO_GROUP_IN_LANES: LazyLock<BatchExpander<64>> =
    LazyLock::new(|| BatchExpander::new(GROUP_DST));

/// Why a client has no outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OprfError {
    /// The owner sent what is no group element.
    #[error(transparent)]
    NotAnElement(#[from] NotAnElement),
    /// The owner evaluated with another key than its public key says.
    #[error("the proof that the answers are under the published key does not hold")]
    Proof,
}

/// The function's output on one input: 64 bytes that only who may ask for the input can compute. Wiped when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Output([u8; 64]);

impl Output {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

/// The owner's key, a scalar other than 0. Wiped when dropped.
pub struct SecretKey {
    scalar: Zeroizing<Scalar>,
    public: PublicKey,
}

impl SecretKey {
    /// A uniform one.
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        loop {
            // 0 has probability 2^-252.
            if let Some(key) = Self::of(random_scalar(rng)) {
                return key;
            }
        }
    }

    /// The key of a secret seed and public information (section 3.2.1, DeriveKeyPair); `None` if every counter fails,
    /// which for no known seed happens.
    ///
    /// # Panics
    /// When `info` is longer than 65,535 bytes.
    #[must_use]
    pub fn derive(seed: &[u8; 32], info: &[u8]) -> Option<Self> {
        let expander = Expander::<Sha512>::new(KEY_DST);
        let input = Zeroizing::new([&seed[..], &length(info), info].concat());
        (0..=u8::MAX).find_map(|counter| {
            let input = Zeroizing::new([&input[..], &[counter]].concat());
            Self::of(Zeroizing::new(scalar_of(&expander, &input)))
        })
    }

    /// The key with these bytes; `None` if they are not the canonical encoding of a scalar other than 0.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let scalar: Option<Scalar> = Scalar::from_canonical_bytes(*bytes).into();
        Self::of(Zeroizing::new(scalar?))
    }

    /// The key's bytes, for a file.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.scalar.to_bytes())
    }

    /// What clients know of it.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The outputs on the owner's own inputs, on the threads of the caller's rayon pool.
    #[must_use]
    pub fn evaluate(&self, inputs: &[Element]) -> Vec<Output> {
        let key = kernel::Scalar::of(&self.scalar);
        let images = tasks::<INPUTS_A_TASK, _, _>(inputs, [0; 32], |inputs, images| {
            let kernel = Kernel::best();
            let mut points = Zeroizing::new(vec![Point::IDENTITY; inputs.len()]);
            map_with(kernel, &TO_GROUP_IN_LANES, inputs, &mut points);
            multiply_and_halve_batch(kernel, &key, &mut points);
            encode_doubled_batch(kernel, &points, images);
        });
        let images = Zeroizing::new(images);
        let outputs = inputs.par_iter().zip(images.par_iter()).with_min_len(INPUTS_A_TASK);
        outputs.map(|(input, image)| output(&input.0, image)).collect()
    }

    /// The key's product with each element that a client sent, and the proof that it is this key's.
    ///
    /// # Errors
    /// With the first that is not the canonical encoding of an element other than the neutral one.
    ///
    /// # Panics
    /// When there are more than [`MAX_BATCH`].
    pub fn blind_evaluate(
        &self,
        blinded: &[Encoded],
        rng: &mut dyn CryptoRng,
    ) -> Result<(Vec<Encoded>, Proof), NotAnElement> {
        assert!(blinded.len() <= MAX_BATCH, "places are numbers of two bytes");
        let points = decode(blinded)?;
        let evaluated: Vec<Encoded> =
            points.par_iter().map(|point| encode(&(point * *self.scalar))).collect();
        let proof = Proof::new(self, (blinded, &points), &evaluated, rng);
        Ok((evaluated, proof))
    }

    fn of(scalar: Zeroizing<Scalar>) -> Option<Self> {
        let public = PublicKey::of(RistrettoPoint::mul_base(&scalar))?;
        Some(Self { scalar, public })
    }
}

/// What clients know of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    point: RistrettoPoint,
    encoded: Encoded,
}

impl PublicKey {
    /// The key with this encoding; `None` if it is not the canonical one of an element other than the neutral one.
    #[must_use]
    pub fn from_bytes(bytes: &Encoded) -> Option<Self> {
        decode(&[*bytes]).ok().and_then(|points| Self::of(points[0]))
    }

    /// The key's encoding.
    #[must_use]
    pub fn as_bytes(&self) -> &Encoded {
        &self.encoded
    }

    fn of(point: RistrettoPoint) -> Option<Self> {
        (!point.is_identity()).then(|| Self { point, encoded: encode(&point) })
    }
}

/// The elements that these encode, in order.
///
/// # Errors
/// With the first that is not canonical, or neutral.
fn decode(encoded: &[Encoded]) -> Result<Vec<RistrettoPoint>, NotAnElement> {
    let points = encoded.par_iter().enumerate().map(|(index, encoded)| {
        let point = CompressedRistretto(*encoded).decompress();
        point.filter(|point| !point.is_identity()).ok_or(NotAnElement { index })
    });
    // The first error in order, whichever thread finds one first.
    points.collect::<Vec<_>>().into_iter().collect()
}

fn encode(point: &RistrettoPoint) -> Encoded {
    point.compress().0
}

fn random_scalar(rng: &mut dyn CryptoRng) -> Zeroizing<Scalar> {
    let mut wide = Zeroizing::new([0; 64]);
    rng.fill_bytes(wide.as_mut_slice());
    Zeroizing::new(Scalar::from_bytes_mod_order_wide(&wide))
}

/// HashToScalar of section 4.1, under the expander's tag.
fn scalar_of(expander: &Expander<Sha512>, input: &[u8]) -> Scalar {
    let uniform = Zeroizing::new(expander.expand::<64>(input));
    Scalar::from_bytes_mod_order_wide(&uniform)
}

/// The hash at the end of Finalize (section 3.3.1).
fn output(input: &[u8], image: &Encoded) -> Output {
    let mut output = Output([0; 64]);
    let mut hash = Sha512::new_with_prefix(length(input));
    hash.update(input);
    hash.update(length(image));
    hash.update(image);
    hash.update(b"Finalize");
    output.0.copy_from_slice(&hash.finalize());
    output
}

/// A length in two bytes, big-endian.
fn length(bytes: &[u8]) -> [u8; 2] {
    u16::try_from(bytes.len()).expect("no input is longer than 65,535 bytes").to_be_bytes()
}
