//! Ciphertexts as they cross.

use veilset_channel::{Malformed, Message, PeerFault};
use veilset_crypto::PrimeGroup;
use veilset_crypto::elgamal::Ciphertext;

use super::PartyState;
use crate::MultipartyError;
use crate::catalogue::ks::algebra::EncryptedMultiset;
use crate::kit::parties::RoundChunk;

impl<G: PrimeGroup> PartyState<'_, '_, G> {
    pub(super) fn encoded(&self, ciphertexts: &[Ciphertext<G::Element>]) -> Vec<u8> {
        let mut encoded = Vec::with_capacity(self.ciphertexts_len(ciphertexts.len()));
        self.group.encode(ciphertexts.as_flattened(), &mut encoded);
        encoded
    }

    /// Without the leading coefficient, which is known to be 1.
    pub(super) fn encoded_low(&self, set: &EncryptedMultiset<G>) -> Vec<u8> {
        self.encoded(&set.coefficients()[..set.degree()])
    }

    /// What `party` sent.
    pub(super) fn decoded(
        &self,
        party: u16,
        encoded: &[u8],
    ) -> Result<Vec<Ciphertext<G::Element>>, MultipartyError> {
        let fault =
            PeerFault::Malformed { what: RoundChunk::TAG.name(), why: Malformed::NotAnElement };
        let source = |_| MultipartyError::Party { party, source: fault.into() };
        let elements = self.group.decode(encoded).map_err(source)?;
        Ok(elements.as_chunks().0.to_vec())
    }

    /// The monic polynomials that each party sent, in order.
    pub(super) fn decoded_low(
        &self,
        encoded: &[Vec<u8>],
    ) -> Result<Vec<EncryptedMultiset<G>>, MultipartyError> {
        let set = |(party, encoded): (u16, &Vec<u8>)| {
            Ok(EncryptedMultiset::monic(self.group, self.decoded(party, encoded)?))
        };
        (1..).zip(encoded).map(set).collect()
    }
}
