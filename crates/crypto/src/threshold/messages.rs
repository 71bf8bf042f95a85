//! Encodings of messages: their lengths follow from the quorum and the number of ciphertexts, so that a message of
//! another length is refused before anything is read.

use zeroize::Zeroizing;

use super::{Commitments, Opening, Partial, Proof, Quorum, Share, ThresholdError};
use crate::PrimeGroup;

/// What is left of a message.
struct Reader<'a, G> {
    group: &'a G,
    rest: &'a [u8],
    what: &'static str,
}

impl<'a, G: PrimeGroup> Reader<'a, G> {
    fn new(
        group: &'a G,
        what: &'static str,
        elements: usize,
        scalars: usize,
        encoded: &'a [u8],
    ) -> Result<Self, ThresholdError> {
        let length = elements * group.encoded_len() + scalars * group.scalar_len();
        match encoded.len() == length {
            true => Ok(Self { group, rest: encoded, what }),
            false => Err(ThresholdError::Malformed { what, unit: "such message" }),
        }
    }

    fn elements(&mut self, count: usize) -> Result<Vec<G::Element>, ThresholdError> {
        let (encoded, rest) = self.rest.split_at(count * self.group.encoded_len());
        self.rest = rest;
        let malformed = ThresholdError::Malformed { what: self.what, unit: "element" };
        self.group.decode(encoded).map_err(|_| malformed)
    }

    fn scalars(&mut self) -> Result<[G::Scalar; 2], ThresholdError> {
        let (encoded, rest) = self.rest.split_at(2 * self.group.scalar_len());
        self.rest = rest;
        let scalars = self.group.decode_scalars(encoded).and_then(|pair| pair.try_into().ok());
        scalars.ok_or(ThresholdError::Malformed { what: self.what, unit: "scalar" })
    }
}

impl<G: PrimeGroup> Proof<G> {
    fn encode(&self, group: &G, out: &mut Vec<u8>) {
        group.encode_scalars(&[self.challenge.clone(), self.response.clone()], out);
    }

    fn read(reader: &mut Reader<'_, G>) -> Result<Self, ThresholdError> {
        let [challenge, response] = reader.scalars()?;
        Ok(Self { challenge, response })
    }
}

impl<G: PrimeGroup> Commitments<G> {
    /// Appends t elements.
    pub fn encode(&self, group: &G, out: &mut Vec<u8>) {
        group.encode(&self.0, out);
    }

    /// Reads t elements.
    ///
    /// # Errors
    /// When `encoded` is anything else.
    pub fn decode(group: &G, quorum: &Quorum, encoded: &[u8]) -> Result<Self, ThresholdError> {
        let count = quorum.coefficients();
        Reader::new(group, "a commitment", count, 0, encoded)?.elements(count).map(Self)
    }
}

impl<G: PrimeGroup> Share<G> {
    /// Appends two scalars, which are secret.
    pub fn encode(&self, group: &G, out: &mut Vec<u8>) {
        group.encode_scalars(&*self.values, out);
    }

    /// Reads two scalars.
    ///
    /// # Errors
    /// When `encoded` is anything else.
    pub fn decode(group: &G, encoded: &[u8]) -> Result<Self, ThresholdError> {
        let values = Reader::new(group, "a share", 0, 2, encoded)?.scalars()?;
        Ok(Self { values: Zeroizing::new(values) })
    }
}

impl<G: PrimeGroup> Opening<G> {
    /// Appends t elements and two scalars.
    pub fn encode(&self, group: &G, out: &mut Vec<u8>) {
        group.encode(&self.coefficients, out);
        self.proof.encode(group, out);
    }

    /// Reads t elements and two scalars.
    ///
    /// # Errors
    /// When `encoded` is anything else.
    pub fn decode(group: &G, quorum: &Quorum, encoded: &[u8]) -> Result<Self, ThresholdError> {
        let count = quorum.coefficients();
        let mut reader = Reader::new(group, "an opening", count, 2, encoded)?;
        let coefficients = reader.elements(count)?;
        Ok(Self { coefficients, proof: Proof::read(&mut reader)? })
    }
}

impl<G: PrimeGroup> Partial<G> {
    /// Who decrypted.
    #[must_use]
    pub fn party(&self) -> u16 {
        self.party
    }

    /// Appends an element for each ciphertext and two scalars. The sender's number is not among them: the receiver knows
    /// whom it hears.
    pub fn encode(&self, group: &G, out: &mut Vec<u8>) {
        group.encode(&self.elements, out);
        self.proof.encode(group, out);
    }

    /// Reads what `party` made of so many ciphertexts.
    ///
    /// # Errors
    /// When `encoded` is anything else.
    pub fn decode(
        group: &G,
        party: u16,
        ciphertexts: usize,
        encoded: &[u8],
    ) -> Result<Self, ThresholdError> {
        let mut reader = Reader::new(group, "a partial decryption", ciphertexts, 2, encoded)?;
        let elements = reader.elements(ciphertexts)?;
        Ok(Self { party, elements, proof: Proof::read(&mut reader)? })
    }
}
