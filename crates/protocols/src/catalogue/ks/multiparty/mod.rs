//! Intersections of three parties or more, who all learn: Kissner and Song, "Privacy-Preserving Set Operations", CRYPTO
//! 2005, section 5.1, over ElGamal whose key all share.
//!
//! 1. The parties make a key without a dealer ([`veilset_crypto::threshold`]), of which t of n decrypt.
//! 2. Each broadcasts its set encrypted, fᵢ of degree kᵢ.
//! 3. To ask what all have, the operands are all fⱼ. To ask each which of its elements another has, the products of the
//!    other parties' sets are made along a ring, and the operands for party i are that product and fᵢ.
//! 4. Each broadcasts a random combination of the operands, Σⱼ rᵢⱼ·fⱼ, under fresh randomness, with masks rᵢⱼ of the degrees
//!    that [`algebra`](super::algebra) derives.
//! 5. The parties add up all combinations and decrypt the sum together, each with a proof of its part.
//! 6. Each looks which of its own elements are roots.
//!
//! **Security.** Semi-honest, under DDH and random oracles, against up to t − 1 parties that pool what they see. With t = n
//! these are all but one: the masks of the one that is left are uniform and its own, so the masks Σᵢ rᵢⱼ of the sum are
//! uniform, and the sum decrypts to g·u, where g is the intersection and u uniform. Everything else that they see is
//! encrypted under a key of which they lack a part. So they learn the intersection of all sets (or, for the other condition,
//! each of them which of its elements another party has), the sizes, and nothing of what some sets have in common beyond
//! that; what follows from their own sets and these results is theirs, as in any such protocol. With t < n, any t together
//! can decrypt everything, sets included; in turn a run survives n − t wrong partial decryptions. Time follows from sizes.
//!
//! **Faults.** A message that is none, a share, opening or proof that does not hold names the party it came from; a wrong
//! partial decryption ends the run when less than t good ones are left. Before anything is decrypted the parties compare
//! digests of all that each broadcast, so a party cannot have different things decrypted with different others. Against
//! parties that deviate in other ways (no proofs go with the combinations) nothing is promised; a sum that is 0 everywhere,
//! of which everything would be a root, is refused.

mod channels;
mod condition;
mod cost;
mod keys;
#[cfg(test)]
mod tests;

use rand_core::CryptoRng;
use veilset_crypto::threshold::{KeyShare, Partial, ThresholdError};
use veilset_crypto::{Element, Group, PrimeGroup, Ristretto255};
use zeroize::Zeroizing;

use super::algebra::{EncryptedMultiset, Revealed};
use crate::kit::bins::roots;
use crate::kit::parties::{Channels, number};
use crate::{
    Choices, MultipartyConclusion, MultipartyCost, MultipartyError, MultipartyProtocol,
    MultipartyRun, MultipartySpec, Operation, Outcome, Parties, Security, Withstands,
};

pub use condition::Condition;

/// A registry entry: what all have, decrypted by all, on ristretto255.
pub(crate) struct KsParties {
    spec: MultipartySpec,
}

/// `ks-parties`.
pub(crate) static KS_PARTIES: KsParties = KsParties {
    spec: MultipartySpec {
        id: "ks-parties",
        title: "intersection of encrypted polynomials under a key that all share",
        operation: Operation::Intersect,
        paper: "Kissner–Song 2005, section 5.1",
        security: Security::SemiHonest,
        withstands: Withstands::AllButOne,
        assumption: "DDH, random oracle",
        some_learn: false,
        leaks: &["Each party learns how many distinct keys each other has."],
        // Products of polynomials of such degrees take minutes.
        max_elements: 1 << 16,
        choices: Choices {
            group: Some(Group::Ristretto255),
            digest: None,
            prime: None,
            sharing: None,
            scheme: None,
            flooding: None,
        },
    },
};

impl MultipartyProtocol for KsParties {
    fn spec(&self) -> &MultipartySpec {
        &self.spec
    }

    fn cost(&self, parties: &Parties<'_>) -> MultipartyCost {
        cost::cost(parties)
    }

    fn run(&self, run: MultipartyRun<'_>) -> Result<MultipartyConclusion, MultipartyError> {
        let threshold = number(run.parties.sizes.len() - 1);
        let found = self::run(&Ristretto255, threshold, Condition::InAll, run)?;
        Ok(Box::new(|| Ok(Outcome::Matched(found))))
    }
}

/// The indices of this party's elements that meet the [`Condition`], rising. So many parties decrypt together: all of them, unless
/// wrong partial decryptions are to be survived.
///
/// # Errors
/// When a channel fails, or a party breaks the protocol, which is then named.
///
/// # Panics
/// As [`MultipartyProtocol::run`].
pub fn run<G: PrimeGroup>(
    group: &G,
    threshold: u16,
    condition: Condition,
    run: MultipartyRun<'_>,
) -> Result<Vec<u32>, MultipartyError> {
    run.check();
    let MultipartyRun { place, parties, elements, session, channels, rng, observer } = run;
    let sizes = parties.sizes;
    if condition.is_settled(sizes) {
        return Ok(Vec::new());
    }
    let mut state = PartyState { group, sizes, channels: Channels::new(place, channels), rng };
    observer.begin("rounds of all parties", 6);
    let step = |name| {
        observer.advance(1);
        name
    };
    state.channels.phase(step("joint key"));
    let key = state.share_key(session, threshold)?;
    state.channels.phase(step("encrypted sets"));
    let roots = roots_of(group, session, &elements);
    let sets = state.sets(&key, &roots)?;
    state.channels.phase(step("encrypted products"));
    let queries = state.queries(condition, &key, &roots, sets)?;
    state.channels.phase(step("masked sums"));
    let sums = state.masked_sums(&key, &queries)?;
    state.channels.phase(step("joint decryption"));
    let revealed = state.revealed(condition, &key, &sums)?;
    state.channels.phase(step("evaluation"));
    if revealed.is_zero(group) {
        return Err(MultipartyError::Forged);
    }
    let found = revealed.multiplicities(group, &roots, 1)?;
    Ok((0..).zip(found).filter_map(|(place, count)| (count > 0).then_some(place)).collect())
}

fn roots_of<G: PrimeGroup>(
    group: &G,
    session: &[u8; 32],
    elements: &[Element],
) -> Zeroizing<Vec<G::Scalar>> {
    let roots = roots(|wide| group.scalar(wide), session, elements);
    Zeroizing::new(roots.iter().map(|root| root.scalar.clone()).collect())
}

/// What one party computes with.
struct PartyState<'a, 'c, G> {
    group: &'a G,
    sizes: &'a [usize],
    channels: Channels<'c>,
    rng: &'a mut dyn CryptoRng,
}

impl<G: PrimeGroup> PartyState<'_, '_, G> {
    fn ciphertexts_len(&self, count: usize) -> usize {
        2 * count * self.group.encoded_len()
    }

    /// Step 2: everybody's set.
    fn sets(
        &mut self,
        key: &KeyShare<G>,
        roots: &[G::Scalar],
    ) -> Result<Vec<EncryptedMultiset<G>>, MultipartyError> {
        let public = key.joint().public(self.group);
        let own = EncryptedMultiset::encrypt(self.group, &public, roots, self.rng)?;
        let lens: Vec<_> = self.sizes.iter().map(|size| self.ciphertexts_len(*size)).collect();
        let encoded = self.channels.broadcast(self.encoded_low(&own), &lens)?;
        self.decoded_low(&encoded)
    }

    /// Steps 4 and of 5 the sums: for each query the sum of everybody's combination of its operands.
    fn masked_sums(
        &mut self,
        key: &KeyShare<G>,
        queries: &[Vec<EncryptedMultiset<G>>],
    ) -> Result<Vec<EncryptedMultiset<G>>, MultipartyError> {
        let public = key.joint().public(self.group);
        let mut own = Vec::new();
        for operands in queries {
            let operands: Vec<_> = operands.iter().collect();
            let masked = EncryptedMultiset::intersection(self.group, &public, &operands, self.rng)?;
            own.push(masked);
        }
        let counts: Vec<usize> = own.iter().map(|masked| masked.coefficients().len()).collect();
        let coefficients: Vec<_> = own.iter().flat_map(|own| own.coefficients().to_vec()).collect();
        let lens = vec![self.ciphertexts_len(coefficients.len()); self.sizes.len()];
        let encoded = self.channels.broadcast(self.encoded(&coefficients), &lens)?;
        let mut sums = vec![[self.group.identity(), self.group.identity()]; coefficients.len()];
        for (party, encoded) in (1..).zip(&encoded) {
            let masked = self.decoded(party, encoded)?;
            self.group.add(sums.as_flattened_mut(), masked.as_flattened());
        }
        self.channels.compare()?;
        let mut sums = sums.into_iter();
        Ok(counts
            .iter()
            .map(|n| EncryptedMultiset::new(sums.by_ref().take(*n).collect()))
            .collect())
    }

    /// Step 5: what this party's sum decrypts to. A sum is decrypted for the party whose it is, or for all.
    fn revealed(
        &mut self,
        condition: Condition,
        key: &KeyShare<G>,
        sums: &[EncryptedMultiset<G>],
    ) -> Result<Revealed<G>, MultipartyError> {
        let mut partials = Vec::new();
        for sum in sums {
            let mut encoded = Vec::new();
            key.decrypt(self.group, sum.coefficients(), self.rng).encode(self.group, &mut encoded);
            partials.push(encoded);
        }
        let own = condition.query_of(self.channels.own());
        let lens = vec![partials[own].len(); self.sizes.len()];
        let outgoing =
            (0..self.sizes.len()).map(|party| &*partials[condition.query_of(party)]).collect();
        let encoded = self.channels.swap(outgoing, &lens)?;
        let ciphertexts = sums[own].coefficients();
        let partials = (1..).zip(&encoded).map(|(party, encoded)| {
            Partial::decode(self.group, party, ciphertexts.len(), encoded)
                .map_err(MultipartyError::message_of(party))
        });
        let partials = partials.collect::<Result<Vec<_>, _>>()?;
        let mut partials: Vec<_> = partials.iter().collect();
        loop {
            match key.joint().combine(self.group, ciphertexts, &partials) {
                Err(ThresholdError::WrongProof { party })
                    if partials.len() > key.joint().threshold().into() =>
                {
                    partials.retain(|partial| partial.party() != party);
                }
                plain => return Ok(Revealed::new(plain?)),
            }
        }
    }
}
