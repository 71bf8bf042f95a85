//! What TLS computes with where aws-lc does not compile: pure Rust, and no more of it than two of these programs need.
//!
//! It speaks to aws-lc on the other end, so every choice is one that [`tls`](crate::tls) makes natively, too: both cipher
//! suites, the one key exchange, and the verdict on every signature.

mod aead;
mod exchange;
mod hash;
mod signature;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, GetRandomFailed, KeyProvider, SecureRandom};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::SigningKey;
use rustls::{Error, SupportedCipherSuite};

/// ChaCha20 comes first, since it is the faster one where the processor's AES instructions are out of reach.
pub(crate) fn provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: vec![
            SupportedCipherSuite::Tls13(&aead::CHACHA20_POLY1305),
            SupportedCipherSuite::Tls13(&aead::AES_128_GCM),
        ],
        kx_groups: vec![&exchange::X25519MlKem768],
        signature_verification_algorithms: signature::ALGORITHMS,
        secure_random: &SystemRandom,
        key_provider: &NoKeys,
    }
}

/// The system's generator.
#[derive(Debug)]
struct SystemRandom;

impl SecureRandom for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        getrandom::fill(bytes).map_err(|_| GetRandomFailed)
    }
}

/// Reads no private key: the key that signs is an identity's, and comes with the configuration.
#[derive(Debug)]
struct NoKeys;

impl KeyProvider for NoKeys {
    fn load_private_key(&self, _key: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        Err(Error::General("this provider reads no private keys".to_owned()))
    }
}
