//! Ed25519 signatures (RFC 8032), the only ones in a handshake.

use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};

pub(super) static ALGORITHMS: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[&Ed25519],
    mapping: &[(SignatureScheme::ED25519, &[&Ed25519])],
};

/// Accepts what aws-lc accepts, so that a signature is good on both ends or on neither.
#[derive(Debug)]
struct Ed25519;

impl SignatureVerificationAlgorithm for Ed25519 {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let key = key(public_key).ok_or(InvalidSignature)?;
        let signature = Signature::from_slice(signature).map_err(|_| InvalidSignature)?;
        // This computes R anew, without the cofactor, compares its bytes, and refuses an S that is not reduced (section 5.1.7).
        key.verify(message, &signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }
}

/// The key of these bytes, when they are the one encoding of their point: y is reduced, and an x of zero has no sign (section
/// 5.1.3). The library does not check it.
fn key(bytes: &[u8]) -> Option<VerifyingKey> {
    let key = VerifyingKey::try_from(bytes).ok()?;
    (key.to_edwards().compress().as_bytes() == bytes).then_some(key)
}
