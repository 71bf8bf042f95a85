//! ElGamal keys that n parties share so that any t of them decrypt, made without a dealer.
//!
//! Keys are made as in Gennaro, Jarecki, Krawczyk and Rabin, "Secure distributed key generation for discrete-log based
//! cryptosystems" (Journal of Cryptology 2007), Figure 2: every party shares a number by a polynomial of degree t − 1,
//! first under Pedersen's commitments, which fix the numbers before anybody can see what the key will be, then under
//! Feldman's, which show it. Each also proves that it knows its number. Where the paper excludes a party or opens its
//! number, here the run ends with an error that names it; who claims to be wronged can publish its share, and everybody
//! checks it with [`Commitments::admits`].
//!
//! 1. [`deal`]: broadcast [`Commitments`], and send one [`Share`] to each party over a private channel;
//! 2. [`open`](Dealing::open): check the shares, then broadcast an [`Opening`];
//! 3. [`finish`](Opened::finish): check the openings; the party has its [`KeyShare`];
//! 4. [`KeyShare::decrypt`] gives a [`Partial`] decryption with a proof, and [`JointKey::combine`] makes plaintexts of t.
//!
//! Broadcasts must reach everybody alike: parties compare digests of what they received where the network does not see
//! to that. A key is used once all parties said that they have their shares. Up to t − 1 parties together learn nothing
//! about plaintexts, and decryption works while t answer. The group's order is larger than n.

mod decrypt;
mod error;
mod keygen;
mod messages;
mod proof;
#[cfg(test)]
mod tests;

use crate::{Field, PrimeGroup};

pub use decrypt::{JointKey, KeyShare, Partial};
pub use error::ThresholdError;
pub use keygen::{Commitments, Dealing, Dealt, Opened, Opening, Share, deal};
pub use proof::Proof;

/// Who shares a key: t of n parties, numbered from 1 to n, in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quorum {
    session: [u8; 32],
    threshold: u16,
    parties: u16,
}

impl Quorum {
    /// `threshold` of `parties` decrypt. All parties have agreed on `session`, which no other key has.
    ///
    /// # Errors
    /// When the threshold is 0 or larger than the number of parties.
    pub fn new(session: [u8; 32], threshold: u16, parties: u16) -> Result<Self, ThresholdError> {
        match (1..=parties).contains(&threshold) {
            true => Ok(Self { session, threshold, parties }),
            false => Err(ThresholdError::Quorum { threshold, parties }),
        }
    }

    /// t.
    #[must_use]
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// n.
    #[must_use]
    pub fn parties(&self) -> u16 {
        self.parties
    }

    fn coefficients(&self) -> usize {
        self.threshold.into()
    }
}

/// 1, x, …, x^(`count` − 1).
fn powers<G: PrimeGroup>(group: &G, x: &G::Scalar, count: usize) -> Vec<G::Scalar> {
    let next = |power: &G::Scalar| Some(group.field().mul(power, x));
    std::iter::successors(Some(group.field().one()), next).take(count).collect()
}

/// The value at `party` of a polynomial whose `coefficients` are elements.
fn value_at<G: PrimeGroup>(group: &G, coefficients: &[G::Element], party: u16) -> G::Element {
    let party = group.field().element(party.into());
    let powers = powers(group, &party, coefficients.len());
    group.sums_of_products(&powers, coefficients, coefficients.len()).remove(0)
}

/// Whether two elements are the same.
fn equal<G: PrimeGroup>(group: &G, left: &G::Element, right: &G::Element) -> bool {
    let mut difference = [left.clone()];
    group.subtract(&mut difference, std::slice::from_ref(right));
    group.are_identity(&difference)[0]
}
