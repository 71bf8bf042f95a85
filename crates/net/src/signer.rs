//! What signs a TLS handshake with a party's key.

use std::sync::Arc;

use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use veilset_party::{HandshakeSigner, Identity};

/// An identity's key pair, which knows one scheme.
#[derive(Debug, Clone)]
pub(crate) struct HandshakeKey(HandshakeSigner);

impl HandshakeKey {
    pub(crate) fn of(identity: &Identity) -> Arc<dyn SigningKey> {
        Arc::new(Self(identity.handshake_signer()))
    }
}

impl SigningKey for HandshakeKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let offers = offered.contains(&SignatureScheme::ED25519);
        offers.then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ED25519
    }
}

impl Signer for HandshakeKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.0.sign(message).to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ED25519
    }
}
