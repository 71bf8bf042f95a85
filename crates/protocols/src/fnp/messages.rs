//! What crosses the wire.

use veilset_channel::{
    Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Tag,
};
use veilset_crypto::paillier::{Ciphertext, KeyError, KeyProof, KeySize, PublicKey, SecretKey};

use crate::ProtocolError;
use crate::wire::frames;

/// Numbers one after the other.
type Numbers = Blob<{ Tag::PaillierNumbers.byte() }>;

/// Sends the public key with the proof that it is well formed.
pub(crate) fn put_key(
    channel: &mut dyn Channel,
    key: &SecretKey,
    session: &[u8; 32],
) -> Result<(), ProtocolError> {
    let mut encoded = Vec::new();
    KeyProof::new(key, session).encode(key.public(), &mut encoded);
    Ok(channel.put::<Numbers>(&Blob(encoded))?)
}

/// Takes a public key and tests the proof.
pub(crate) fn take_key(
    channel: &mut dyn Channel,
    size: KeySize,
    session: &[u8; 32],
) -> Result<PublicKey, ProtocolError> {
    let encoded = channel.take::<Numbers>(&size.key_len())?.0;
    let fault = |error| match error {
        KeyError::Proof => PeerFault::CheckFailed("the proof that a Paillier key is well formed"),
        KeyError::Shape { .. } | KeyError::SmallFactor => {
            PeerFault::Malformed { what: Numbers::TAG.name(), why: Malformed::OutOfRange }
        }
    };
    KeyProof::decode(size, &encoded, session).map_err(|error| fault(error).into())
}

/// The frames in which `count` ciphertexts travel.
pub(crate) fn ciphertext_chunks(size: KeySize, count: usize) -> Chunks {
    Chunks::new(count, MAX_BODY / size.ciphertext_len())
}

/// The bytes of `count` ciphertexts on the wire.
pub(crate) fn ciphertext_bytes(size: KeySize, count: usize) -> f64 {
    (count * size.ciphertext_len()) as f64 + frames(ciphertext_chunks(size, count).count())
}

/// Sends ciphertexts that fill a frame at most.
pub(crate) fn put_frame(
    channel: &mut dyn Channel,
    key: &PublicKey,
    ciphertexts: &[Ciphertext],
) -> Result<(), ProtocolError> {
    let mut encoded = Vec::new();
    key.encode(ciphertexts, &mut encoded);
    Ok(channel.put::<Numbers>(&Blob(encoded))?)
}

/// Takes a frame of `count` ciphertexts.
pub(crate) fn take_frame(
    channel: &mut dyn Channel,
    key: &PublicKey,
    count: usize,
) -> Result<Vec<Ciphertext>, ProtocolError> {
    let encoded = channel.take::<Numbers>(&(key.size().ciphertext_len() * count))?.0;
    let fault = PeerFault::Malformed { what: Numbers::TAG.name(), why: Malformed::NotAnElement };
    key.decode(&encoded).map_err(|_| fault.into())
}
