//! What all engines answer alike: what the list is, and the function.

use rand_core::CryptoRng;
use veilset_crypto::oprf::{Encoded, SecretKey};
use veilset_party::Identity;

use crate::file::Contents;
use crate::{ListFile, Manifest, Refusal};

/// A list's key, and its manifest under its owner's signature.
pub(crate) struct Signed {
    key: SecretKey,
    pub(crate) manifest: Manifest,
    signed: Vec<u8>,
}

impl Signed {
    /// Signs the list in a file as this party's; returns what else the file holds.
    pub(crate) fn new(file: ListFile, identity: &Identity) -> (Self, Contents) {
        let ListFile { key, id, version, presets, capacity, format, count, contents } = file;
        let manifest = Manifest {
            list: id,
            version,
            key: *key.public(),
            presets,
            count: count as u64,
            capacity,
            format,
            length: contents.published.len() as u64,
            digest: *blake3::hash(&contents.published).as_bytes(),
        };
        let signed = manifest.sign(identity);
        (Self { key, manifest, signed }, contents)
    }

    /// The bytes of changes (8, little-endian; all ones if they are not kept), and the signed manifest.
    pub(crate) fn greet(&self, changes: Option<&[u8]>) -> Vec<u8> {
        let length = changes.map_or(u64::MAX, |changes| changes.len() as u64);
        [&length.to_le_bytes()[..], &self.signed].concat()
    }

    /// The function on blinded items, and the proof.
    ///
    /// # Errors
    /// When the list has another key by now, or the items are none.
    pub(crate) fn evaluate(
        &self,
        key: &Encoded,
        blinded: &[Encoded],
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<u8>, Refusal> {
        self.check_key(key)?;
        let evaluated = self.key.blind_evaluate(blinded, rng);
        let (evaluated, proof) = evaluated.map_err(|_| Refusal::Malformed)?;
        Ok([evaluated.as_flattened(), &proof.to_bytes()].concat())
    }

    /// # Errors
    /// When the list has another key by now.
    pub(crate) fn check_key(&self, key: &Encoded) -> Result<(), Refusal> {
        if key == self.key.public().as_bytes() { Ok(()) } else { Err(Refusal::Moved) }
    }
}
