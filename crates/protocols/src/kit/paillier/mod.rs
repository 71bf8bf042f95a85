//! Keys and ciphertexts of Paillier's encryption on the wire, and what their work costs.

pub(crate) mod packing;

use veilset_channel::{
    Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Tag,
};
use veilset_crypto::paillier::{Ciphertext, KeyError, KeyProof, KeySize, PublicKey, SecretKey};

use crate::ProtocolError;
use crate::kit::wire::frames;

/// Numbers one after the other.
type Numbers = Blob<{ Tag::PaillierNumbers.byte() }>;

/// Work in multiplications modulo N², measured with keys of 2048 bits.
pub(crate) const ENCRYPTION: u64 = 350;
pub(crate) const DECRYPTION: u64 = 1500;
pub(crate) const RERANDOMISATION: u64 = 450;

/// Multiplications modulo N² in the time of a scalar multiplication on ristretto255, in lanes or not.
pub(crate) const PRODUCTS: f64 = 5.0;

/// Testing a peer's key and making tables for it, and finding a key, its tables and its proof, in multiplications modulo N².
pub(crate) const KEY_WORK: [f64; 2] = [50_000.0, 150_000.0];

/// Bytes of tables for a key, at most.
pub(crate) const KEY_MEMORY: f64 = 2e7;

/// Bytes of a residue modulo N² with its box.
pub(crate) const RESIDUE: f64 = 672.0;

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
