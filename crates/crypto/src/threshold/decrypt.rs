//! Partial decryptions, and what they add up to.

use std::slice::from_ref;

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::proof::{Proof, Statement, absorb, oracle, transcript};
use super::{Quorum, ThresholdError, value_at};
use crate::elgamal::{Ciphertext, PublicKey};
use crate::{Field, PrimeGroup};

const DECRYPTION: &str = "veilset v1 threshold partial decryption";
const WEIGHTS: &str = "veilset v1 threshold weights of ciphertexts";

/// What everybody knows of a shared key: Y = x·G, and Y_i = x_i·G of each party's share x_i.
#[derive(Clone)]
pub struct JointKey<G: PrimeGroup> {
    pub(super) quorum: Quorum,
    pub(super) y: G::Element,
    pub(super) shares: Vec<G::Element>,
}

/// A party's share of a key. Wiped when dropped.
pub struct KeyShare<G: PrimeGroup> {
    party: u16,
    pub(super) x: Zeroizing<G::Scalar>,
    joint: JointKey<G>,
}

/// x_i·A of each ciphertext (A, B), and one proof for all.
#[derive(Clone)]
pub struct Partial<G: PrimeGroup> {
    pub(super) party: u16,
    pub(super) elements: Vec<G::Element>,
    pub(super) proof: Proof<G>,
}

impl<G: PrimeGroup> KeyShare<G> {
    pub(super) fn new(party: u16, x: Zeroizing<G::Scalar>, joint: JointKey<G>) -> Self {
        Self { party, x, joint }
    }

    /// What everybody knows.
    #[must_use]
    pub fn joint(&self) -> &JointKey<G> {
        &self.joint
    }

    /// This party's part in decrypting `ciphertexts`.
    #[must_use]
    pub fn decrypt(
        &self,
        group: &G,
        ciphertexts: &[Ciphertext<G::Element>],
        rng: &mut dyn CryptoRng,
    ) -> Partial<G> {
        let first: Vec<_> = ciphertexts.iter().map(|[a, _]| a.clone()).collect();
        let mut elements = first.clone();
        group.multiply_all(&self.x, &mut elements);
        let [bases, images] = self.joint.statement(group, self.party, &first, &elements);
        let proof = self.joint.same(self.party, &bases, &images).prove(group, &self.x, rng);
        Partial { party: self.party, elements, proof }
    }
}

impl<G: PrimeGroup> JointKey<G> {
    /// t: so many partial decryptions make plaintexts.
    #[must_use]
    pub fn threshold(&self) -> u16 {
        self.quorum.threshold
    }

    /// The key of a polynomial x(·) whose coefficients are known times G: x = x(0), x_i = x(i).
    pub(super) fn new(
        group: &G,
        quorum: &Quorum,
        polynomial: &[G::Element],
    ) -> Result<Self, ThresholdError> {
        let y = polynomial[0].clone();
        if group.are_identity(from_ref(&y))[0] {
            return Err(ThresholdError::NeutralKey);
        }
        let shares = (1..=quorum.parties).map(|party| value_at(group, polynomial, party));
        Ok(Self { quorum: *quorum, y, shares: shares.collect() })
    }

    /// What to encrypt under.
    ///
    /// # Panics
    /// Never: a joint key is not the neutral element.
    #[must_use]
    pub fn public(&self, group: &G) -> PublicKey<G> {
        PublicKey::new(group, self.y.clone()).expect("not the neutral element")
    }

    /// Whether `partial` is what its sender's share makes of `ciphertexts`.
    ///
    /// # Errors
    /// With the party, if it is not, or is no party.
    pub fn verify(
        &self,
        group: &G,
        ciphertexts: &[Ciphertext<G::Element>],
        partial: &Partial<G>,
    ) -> Result<(), ThresholdError> {
        let (party, found) = (partial.party, partial.elements.len());
        self.quorum.check(party)?;
        if found != ciphertexts.len() {
            let expected = ciphertexts.len();
            return Err(ThresholdError::Ciphertexts { party, expected, found });
        }
        let first: Vec<_> = ciphertexts.iter().map(|[a, _]| a.clone()).collect();
        let [bases, images] = self.statement(group, party, &first, &partial.elements);
        match self.same(party, &bases, &images).holds(group, &partial.proof) {
            true => Ok(()),
            false => Err(ThresholdError::WrongProof { party }),
        }
    }

    /// m·G of each ciphertext, from the partial decryptions of t parties or more, whose proofs are checked.
    ///
    /// # Errors
    /// When there are too few, two of one party, or a wrong one.
    pub fn combine(
        &self,
        group: &G,
        ciphertexts: &[Ciphertext<G::Element>],
        partials: &[&Partial<G>],
    ) -> Result<Zeroizing<Vec<G::Element>>, ThresholdError> {
        let (threshold, found) = (self.quorum.threshold, partials.len());
        if found < threshold.into() {
            return Err(ThresholdError::TooFew { threshold, found });
        }
        for (index, partial) in partials.iter().enumerate() {
            if partials[..index].iter().any(|other| other.party == partial.party) {
                return Err(ThresholdError::Repeated { party: partial.party });
            }
            self.verify(group, ciphertexts, partial)?;
        }
        let chosen = &partials[..threshold.into()];
        let weights = lagrange(group, chosen);
        let masks: Vec<_> = (0..ciphertexts.len())
            .flat_map(|index| chosen.iter().map(move |partial| partial.elements[index].clone()))
            .collect();
        let weights: Vec<_> = ciphertexts.iter().flat_map(|_| weights.clone()).collect();
        let masks = group.sums_of_products(&weights, &masks, chosen.len());
        let plain: Vec<_> = ciphertexts.iter().map(|[_, b]| b.clone()).collect();
        let mut plain = Zeroizing::new(plain);
        group.subtract(&mut plain, &masks);
        Ok(plain)
    }

    /// [G, Σ ρ_k·A_k] and [Y_i, Σ ρ_k·D_k] for weights ρ_k that a hash of all of them fixes: if the same x makes both of
    /// the latter of both of the former, then it makes each D_k of its A_k, but for a probability of 1 in q a hash.
    fn statement(
        &self,
        group: &G,
        party: u16,
        first: &[G::Element],
        partial: &[G::Element],
    ) -> [[G::Element; 2]; 2] {
        let y = &self.shares[usize::from(party - 1)];
        let mut hasher = transcript(WEIGHTS, &self.quorum, party);
        for part in [from_ref(y), first, partial] {
            absorb(group, &mut hasher, part);
        }
        let mut oracle = oracle(&hasher);
        let weights: Vec<_> = first.iter().map(|_| group.random(&mut oracle)).collect();
        let [a, d] = [first, partial].map(|part| group.sum_of_products(&weights, part));
        [[group.generator(), a], [y.clone(), d]]
    }

    fn same<'a>(
        &'a self,
        party: u16,
        bases: &'a [G::Element],
        images: &'a [G::Element],
    ) -> Statement<'a, G> {
        Statement { context: DECRYPTION, quorum: &self.quorum, party, bases, images }
    }
}

/// What the values at these parties are multiplied by to add up to the value at 0: Π_{j≠i} j/(j − i).
fn lagrange<G: PrimeGroup>(group: &G, partials: &[&Partial<G>]) -> Vec<G::Scalar> {
    let field = group.field();
    let points: Vec<_> = partials.iter().map(|p| field.element(p.party.into())).collect();
    let weight = |i: &G::Scalar| {
        let others = points.iter().filter(|j| *j != i);
        others.fold(field.one(), |product, j| {
            let inverse = field.inverse(&field.sub(j, i)).expect("parties differ, and q is larger");
            field.mul(&product, &field.mul(j, &inverse))
        })
    };
    points.iter().map(weight).collect()
}
