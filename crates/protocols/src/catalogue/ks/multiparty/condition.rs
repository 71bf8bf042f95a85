//! Step 3: the condition, and the polynomials that say who meets it.

use veilset_crypto::PrimeGroup;
use veilset_crypto::threshold::KeyShare;

use super::PartyState;
use crate::MultipartyError;
use crate::catalogue::ks::algebra::EncryptedMultiset;
use crate::kit::parties::number;

/// Which of its own elements each party learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Those that all parties have; the same elements for all.
    InAll,
    /// Those that at least one other party has. Not which party, nor how many.
    InAnother,
}

impl Condition {
    /// Whether no element meets it, as sizes show.
    pub(super) fn is_settled(self, sizes: &[usize]) -> bool {
        match self {
            Self::InAll => sizes.contains(&0),
            Self::InAnother => sizes.iter().filter(|size| **size > 0).count() < 2,
        }
    }

    /// Which query answers the party in this place.
    pub(super) fn query_of(self, place: usize) -> usize {
        match self {
            Self::InAll => 0,
            Self::InAnother => place,
        }
    }
}

impl<G: PrimeGroup> PartyState<'_, '_, G> {
    /// The operands of each query: all sets in one; or for each party the others' union and its own set, whose intersection
    /// has each element once, so that the answer does not tell how many of the others have it.
    pub(super) fn queries(
        &mut self,
        condition: Condition,
        key: &KeyShare<G>,
        roots: &[G::Scalar],
        sets: Vec<EncryptedMultiset<G>>,
    ) -> Result<Vec<Vec<EncryptedMultiset<G>>>, MultipartyError> {
        if condition == Condition::InAll {
            return Ok(vec![sets]);
        }
        let product = self.product_of_others(key, roots, &sets)?;
        let products = self.products(&product)?;
        Ok(products.into_iter().zip(sets).map(<[_; 2]>::from).map(Vec::from).collect())
    }

    /// The union of all sets but that of the next party on the ring: begun two places after this one, and handed on from
    /// there to here, each party multiplying by its own.
    fn product_of_others(
        &mut self,
        key: &KeyShare<G>,
        roots: &[G::Scalar],
        sets: &[EncryptedMultiset<G>],
    ) -> Result<EncryptedMultiset<G>, MultipartyError> {
        let public = key.joint().public(self.group);
        let mut product = sets[self.around(-1)].union(self.group, &public, roots, self.rng)?;
        for handed in 0..self.sizes.len() - 3 {
            // The one before has multiplied its set and those of `handed + 1` before it.
            let behind = (1..=handed + 2).map(|back| self.sizes[self.around(-(back as isize))]);
            let len = self.ciphertexts_len(behind.sum());
            let encoded = self.encoded_low(&product);
            let mut outgoing: Vec<&[u8]> = vec![&[]; self.sizes.len()];
            outgoing[self.around(1)] = &encoded;
            let mut lens = vec![0; self.sizes.len()];
            let before = self.around(-1);
            lens[before] = len;
            let incoming = self.channels.swap(outgoing, &lens)?;
            let low = self.decoded(number(before), &incoming[before])?;
            product = EncryptedMultiset::monic(self.group, low);
            product = product.union(self.group, &public, roots, self.rng)?;
        }
        Ok(product)
    }

    /// For each party the union of the others' sets, which the one before it on the ring has and broadcasts.
    fn products(
        &mut self,
        own: &EncryptedMultiset<G>,
    ) -> Result<Vec<EncryptedMultiset<G>>, MultipartyError> {
        let (parties, total) = (self.sizes.len(), self.sizes.iter().sum::<usize>());
        let next = |place: usize| (place + 1) % parties;
        let lens = (0..parties).map(|place| self.ciphertexts_len(total - self.sizes[next(place)]));
        let lens: Vec<_> = lens.collect();
        let encoded = self.channels.broadcast(self.encoded_low(own), &lens)?;
        let mut products = self.decoded_low(&encoded)?;
        products.rotate_right(1);
        Ok(products)
    }

    /// The place so many steps on, or back, on the ring.
    fn around(&self, steps: isize) -> usize {
        let parties = self.sizes.len() as isize;
        (self.channels.own() as isize + steps).rem_euclid(parties) as usize
    }
}
