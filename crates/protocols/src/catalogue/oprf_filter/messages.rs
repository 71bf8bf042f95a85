//! What crosses the wire, beside the fingerprints and the blinded elements.

use veilset_channel::{Blob, Malformed, Message, Reader, Tag};
use veilset_crypto::oprf::{Encoded, Proof, PublicKey};

/// The key that belongs to the fingerprints.
pub(super) struct Key(pub(super) PublicKey);

impl Message for Key {
    const TAG: Tag = Tag::FingerprintKey;
    type Context = ();

    fn max_len((): &()) -> usize {
        size_of::<Encoded>()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_bytes());
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        PublicKey::from_bytes(&reader.array()?).map(Self).ok_or(Malformed::NotAnElement)
    }
}

/// A piece of the sealed labels.
pub(super) type Seals = Blob<{ Tag::SealedLabels.byte() }>;

/// That the elements before it are under the key.
pub(super) struct ProofOfKey(pub(super) Proof);

impl Message for ProofOfKey {
    const TAG: Tag = Tag::KeyProof;
    type Context = ();

    fn max_len((): &()) -> usize {
        Proof::LEN
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_bytes());
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        Proof::from_bytes(&reader.array()?).map(Self).ok_or(Malformed::OutOfRange)
    }
}
