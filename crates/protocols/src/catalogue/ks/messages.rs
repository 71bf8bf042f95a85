//! What crosses the wire.

use veilset_channel::{
    Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Tag,
};
use veilset_crypto::PrimeGroup;
use veilset_crypto::elgamal::{Ciphertext, PublicKey};

use crate::ProtocolError;

/// Elements of a group one after the other.
type Encodings = Blob<{ Tag::EncryptedPolynomials.byte() }>;

pub(super) fn put_key<G: PrimeGroup>(
    channel: &mut dyn Channel,
    group: &G,
    key: &PublicKey<G>,
) -> Result<(), ProtocolError> {
    let mut encoded = Vec::new();
    key.encode(group, &mut encoded);
    Ok(channel.put::<Encodings>(&Blob(encoded))?)
}

pub(super) fn take_key<G: PrimeGroup>(
    channel: &mut dyn Channel,
    group: &G,
) -> Result<PublicKey<G>, ProtocolError> {
    let encoded = channel.take::<Encodings>(&group.encoded_len())?.0;
    PublicKey::decode(group, &encoded).map_err(|_| not_an_element().into())
}

/// The frames in which `count` ciphertexts travel.
pub(super) fn ciphertext_chunks<G: PrimeGroup>(group: &G, count: usize) -> Chunks {
    Chunks::new(count, MAX_BODY / (2 * group.encoded_len()))
}

pub(super) fn put_ciphertexts<G: PrimeGroup>(
    channel: &mut dyn Channel,
    group: &G,
    ciphertexts: &[Ciphertext<G::Element>],
) -> Result<(), ProtocolError> {
    for range in ciphertext_chunks(group, ciphertexts.len()).ranges() {
        let mut encoded = Vec::new();
        group.encode(ciphertexts[range].as_flattened(), &mut encoded);
        channel.put::<Encodings>(&Blob(encoded))?;
    }
    Ok(())
}

pub(super) fn take_ciphertexts<G: PrimeGroup>(
    channel: &mut dyn Channel,
    group: &G,
    count: usize,
) -> Result<Vec<Ciphertext<G::Element>>, ProtocolError> {
    let mut ciphertexts = Vec::new();
    for range in ciphertext_chunks(group, count).ranges() {
        let bytes = 2 * group.encoded_len() * range.len();
        let encoded = channel.take::<Encodings>(&bytes)?.0;
        let elements = group.decode(&encoded).map_err(|_| not_an_element())?;
        ciphertexts.extend_from_slice(elements.as_chunks().0);
    }
    Ok(ciphertexts)
}

fn not_an_element() -> PeerFault {
    PeerFault::Malformed { what: Encodings::TAG.name(), why: Malformed::NotAnElement }
}
