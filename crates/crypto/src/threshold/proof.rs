//! Proofs that several elements are the same multiple of several bases: Schnorr's for one base, Chaum and Pedersen's
//! ("Wallet databases with observers", Crypto 1992, section 3.2) for two; made non-interactive by hashing.

use blake3::Hasher;
use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use zeroize::Zeroizing;

use super::Quorum;
use crate::{Field, PrimeGroup};

/// That somebody knows x with Y_k = x·B_k for all k: a challenge c, and the response r + c·x to it.
#[derive(Clone)]
pub struct Proof<G: PrimeGroup> {
    pub(super) challenge: G::Scalar,
    pub(super) response: G::Scalar,
}

/// What proofs of one kind, session and party are about.
pub(super) struct Statement<'a, G: PrimeGroup> {
    /// Separates kinds of proofs.
    pub(super) context: &'static str,
    pub(super) quorum: &'a Quorum,
    pub(super) party: u16,
    /// B_k.
    pub(super) bases: &'a [G::Element],
    /// Y_k.
    pub(super) images: &'a [G::Element],
}

impl<G: PrimeGroup> Statement<'_, G> {
    pub(super) fn prove(&self, group: &G, x: &G::Scalar, rng: &mut dyn CryptoRng) -> Proof<G> {
        let field = group.field();
        let r = Zeroizing::new(group.random(rng));
        let mut commitments = self.bases.to_vec();
        group.multiply_all(&r, &mut commitments);
        let challenge = self.challenge(group, &commitments);
        let response = field.add(&r, &Zeroizing::new(field.mul(&challenge, x)));
        Proof { challenge, response }
    }

    pub(super) fn holds(&self, group: &G, proof: &Proof<G>) -> bool {
        // r·B_k = (r + c·x)·B_k − c·Y_k.
        let mut commitments = self.bases.to_vec();
        group.multiply_all(&proof.response, &mut commitments);
        let mut images = self.images.to_vec();
        group.multiply_all(&proof.challenge, &mut images);
        group.subtract(&mut commitments, &images);
        self.challenge(group, &commitments) == proof.challenge
    }

    fn challenge(&self, group: &G, commitments: &[G::Element]) -> G::Scalar {
        let elements = [self.bases, self.images, commitments].concat();
        let mut hasher = transcript(self.context, self.quorum, self.party);
        absorb(group, &mut hasher, &elements);
        group.random(&mut oracle(&hasher))
    }
}

/// A hash of what a party of a session says under `context`.
pub(super) fn transcript(context: &str, quorum: &Quorum, party: u16) -> Hasher {
    let mut hasher = Hasher::new_derive_key(context);
    hasher.update(&quorum.session);
    for number in [quorum.threshold, quorum.parties, party] {
        hasher.update(&number.to_le_bytes());
    }
    hasher
}

/// Adds the encodings, and the generator's before them: it tells the groups apart.
pub(super) fn absorb<G: PrimeGroup>(group: &G, hasher: &mut Hasher, elements: &[G::Element]) {
    let mut encoded = Vec::new();
    group.encode(&[group.generator()], &mut encoded);
    group.encode(elements, &mut encoded);
    hasher.update(&(encoded.len() as u64).to_le_bytes()).update(&encoded);
}

/// Numbers that follow from what was hashed.
pub(super) fn oracle(hasher: &Hasher) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(*hasher.finalize().as_bytes())
}
