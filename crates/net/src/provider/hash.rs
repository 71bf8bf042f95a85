//! SHA-256 and HMAC with it, of which rustls makes HKDF.

use hmac::{Hmac, KeyInit, Mac};
use rustls::crypto::{hash, hmac as tls};
use sha2::{Digest, Sha256};

/// Bytes of a hash and of a tag.
const LENGTH: usize = 32;

/// SHA-256 (FIPS 180-4).
pub(super) struct Hash;

impl hash::Hash for Hash {
    fn start(&self) -> Box<dyn hash::Context> {
        Box::new(Running(Sha256::new()))
    }

    fn hash(&self, data: &[u8]) -> hash::Output {
        hash::Output::new(&Sha256::digest(data))
    }

    fn output_len(&self) -> usize {
        LENGTH
    }

    fn algorithm(&self) -> hash::HashAlgorithm {
        hash::HashAlgorithm::SHA256
    }
}

/// A hash of what has come so far, such as a handshake's transcript.
#[derive(Clone)]
struct Running(Sha256);

impl hash::Context for Running {
    fn fork_finish(&self) -> hash::Output {
        hash::Output::new(&self.0.clone().finalize())
    }

    fn fork(&self) -> Box<dyn hash::Context> {
        Box::new(self.clone())
    }

    fn finish(self: Box<Self>) -> hash::Output {
        hash::Output::new(&self.0.finalize())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

/// HMAC-SHA-256 (RFC 2104).
pub(super) struct HmacSha256;

impl tls::Hmac for HmacSha256 {
    fn with_key(&self, key: &[u8]) -> Box<dyn tls::Key> {
        Box::new(Key(Hmac::new_from_slice(key).expect("a key of HMAC has any length")))
    }

    fn hash_output_len(&self) -> usize {
        LENGTH
    }
}

/// HMAC's state after the key.
struct Key(Hmac<Sha256>);

impl tls::Key for Key {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> tls::Tag {
        let mut mac = self.0.clone();
        mac.update(first);
        for part in middle {
            mac.update(part);
        }
        mac.update(last);
        tls::Tag::new(&mac.finalize().into_bytes())
    }

    fn tag_len(&self) -> usize {
        LENGTH
    }
}
