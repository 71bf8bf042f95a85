//! The three rounds that make a key.

use std::slice::from_ref;

use blake3::Hasher;
use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::proof::{Proof, Statement};
use super::{JointKey, KeyShare, Quorum, ThresholdError, equal, value_at};
use crate::{Field, PrimeGroup};

const POSSESSION: &str = "veilset v1 threshold proof of possession";
const SECOND_GENERATOR: &str = "veilset v1 threshold second generator";

/// a_k·G + b_k·H of a dealer's polynomials a and b, lowest degree first.
#[derive(Clone)]
pub struct Commitments<G: PrimeGroup>(pub(super) Vec<G::Element>);

/// The values of a dealer's polynomials at one party. Wiped when dropped.
pub struct Share<G: PrimeGroup> {
    pub(super) values: Zeroizing<[G::Scalar; 2]>,
}

/// a_k·G of a dealer's polynomial a, and a proof that the dealer knows a_0.
#[derive(Clone)]
pub struct Opening<G: PrimeGroup> {
    pub(super) coefficients: Vec<G::Element>,
    pub(super) proof: Proof<G>,
}

/// What a party keeps after the first round: its polynomial. Wiped when dropped.
pub struct Dealing<G: PrimeGroup> {
    quorum: Quorum,
    party: u16,
    polynomial: Zeroizing<Vec<G::Scalar>>,
}

/// What a party keeps after the second round: what it was dealt. Wiped when dropped.
pub struct Opened<G: PrimeGroup> {
    quorum: Quorum,
    party: u16,
    shares: Zeroizing<Vec<G::Scalar>>,
}

/// What the first round gives: what the party keeps, what it broadcasts, and what it sends to each party in order.
pub type Dealt<G> = (Dealing<G>, Commitments<G>, Vec<Share<G>>);

/// The first round of `party`. One of the shares is its own.
///
/// # Errors
/// When there is no such party.
pub fn deal<G: PrimeGroup>(
    group: &G,
    quorum: &Quorum,
    party: u16,
    rng: &mut dyn CryptoRng,
) -> Result<Dealt<G>, ThresholdError> {
    quorum.check(party)?;
    let mut random = || (0..quorum.threshold).map(|_| group.random(rng)).collect::<Vec<_>>();
    let (polynomial, blinding) = (Zeroizing::new(random()), Zeroizing::new(random()));
    let commitments = commit(group, &polynomial, &blinding);
    let share = |to: u16| {
        let to = group.field().element(to.into());
        let values = [&polynomial, &blinding].map(|polynomial| horner(group, polynomial, &to));
        Share { values: Zeroizing::new(values) }
    };
    let shares = (1..=quorum.parties).map(share).collect();
    Ok((Dealing { quorum: *quorum, party, polynomial }, Commitments(commitments), shares))
}

impl<G: PrimeGroup> Commitments<G> {
    /// Whether `share` is what the dealer committed itself to give to `party`.
    #[must_use]
    pub fn admits(&self, group: &G, party: u16, share: &Share<G>) -> bool {
        let [a, b] = &*share.values;
        equal(group, &commit(group, from_ref(a), from_ref(b))[0], &value_at(group, &self.0, party))
    }
}

impl<G: PrimeGroup> Dealing<G> {
    /// The second round: from the commitments that each party broadcast and the shares that each sent to this one, both in
    /// the order of parties, what this one keeps and broadcasts.
    ///
    /// # Errors
    /// With the first dealer whose share its commitments do not admit.
    pub fn open(
        self,
        group: &G,
        commitments: &[Commitments<G>],
        shares: Vec<Share<G>>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(Opened<G>, Opening<G>), ThresholdError> {
        self.quorum.check_messages(commitments.len())?;
        self.quorum.check_messages(shares.len())?;
        for ((dealer, commitments), share) in (1..).zip(commitments).zip(&shares) {
            if commitments.0.len() != self.quorum.coefficients()
                || !commitments.admits(group, self.party, share)
            {
                return Err(ThresholdError::WrongShare { dealer });
            }
        }
        let coefficients = group.multiply_generator(&self.polynomial);
        let proof = possession(&self.quorum, self.party, &[group.generator()], &coefficients[..1])
            .prove(group, &self.polynomial[0], rng);
        let shares = shares.iter().map(|share| share.values[0].clone()).collect();
        let shares = Zeroizing::new(shares);
        let opened = Opened { quorum: self.quorum, party: self.party, shares };
        Ok((opened, Opening { coefficients, proof }))
    }
}

impl<G: PrimeGroup> Opened<G> {
    /// The last round: from the openings that each party broadcast, in the order of parties, this one's share of the key.
    ///
    /// # Errors
    /// With the first dealer whose opening does not fit the share that it sent here, or who does not know its number.
    pub fn finish(self, group: &G, openings: &[Opening<G>]) -> Result<KeyShare<G>, ThresholdError> {
        self.quorum.check_messages(openings.len())?;
        let expected = group.multiply_generator(&self.shares);
        for ((dealer, opening), expected) in (1..).zip(openings).zip(&expected) {
            let coefficients = &opening.coefficients;
            if coefficients.len() != self.quorum.coefficients()
                || !equal(group, expected, &value_at(group, coefficients, self.party))
            {
                return Err(ThresholdError::WrongOpening { dealer });
            }
            let bases = [group.generator()];
            let statement = possession(&self.quorum, dealer, &bases, &coefficients[..1]);
            if !statement.holds(group, &opening.proof) {
                return Err(ThresholdError::WrongProof { party: dealer });
            }
        }
        let mut sums = vec![group.identity(); self.quorum.coefficients()];
        openings.iter().for_each(|opening| group.add(&mut sums, &opening.coefficients));
        let joint = JointKey::new(group, &self.quorum, &sums)?;
        let x = self.shares.iter().fold(group.field().zero(), |x, y| group.field().add(&x, y));
        Ok(KeyShare::new(self.party, Zeroizing::new(x), joint))
    }
}

impl Quorum {
    pub(super) fn check(&self, party: u16) -> Result<(), ThresholdError> {
        let parties = self.parties;
        let known = (1..=parties).contains(&party);
        known.then_some(()).ok_or(ThresholdError::NoParty { party, parties })
    }

    fn check_messages(&self, messages: usize) -> Result<(), ThresholdError> {
        let parties = self.parties;
        let each = messages == usize::from(parties);
        each.then_some(()).ok_or(ThresholdError::Messages { parties, messages })
    }
}

fn possession<'a, G: PrimeGroup>(
    quorum: &'a Quorum,
    party: u16,
    bases: &'a [G::Element],
    images: &'a [G::Element],
) -> Statement<'a, G> {
    Statement { context: POSSESSION, quorum, party, bases, images }
}

/// Pedersen's commitments to pairs of numbers.
fn commit<G: PrimeGroup>(group: &G, a: &[G::Scalar], b: &[G::Scalar]) -> Vec<G::Element> {
    let mut commitments = group.multiply_generator(a);
    let mut blinding = vec![second_generator(group); b.len()];
    group.multiply(b, &mut blinding);
    group.add(&mut commitments, &blinding);
    blinding.zeroize();
    commitments
}

/// H, of which nobody knows what multiple of G it is: the first of a sequence of hashes that is an encoding.
fn second_generator<G: PrimeGroup>(group: &G) -> G::Element {
    let mut generator = Vec::new();
    group.encode(&[group.generator()], &mut generator);
    let mut encoded = vec![0; group.encoded_len()];
    for attempt in 0u64.. {
        let mut hasher = Hasher::new_derive_key(SECOND_GENERATOR);
        hasher.update(&generator).update(&attempt.to_le_bytes());
        hasher.finalize_xof().fill(&mut encoded);
        if let Ok(elements) = group.decode(&encoded)
            && !group.are_identity(&elements)[0]
        {
            return elements[0].clone();
        }
    }
    unreachable!("a part of all byte strings is encodings")
}

fn horner<G: PrimeGroup>(group: &G, polynomial: &[G::Scalar], x: &G::Scalar) -> G::Scalar {
    let field = group.field();
    let step = |sum: G::Scalar, a: &G::Scalar| field.add(&field.mul(&sum, x), a);
    polynomial.iter().rev().fold(field.zero(), step)
}
