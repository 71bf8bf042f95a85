//! The oracle is aws-lc: what one end computes here, aws-lc computes on the other.

mod exchange;
mod handshake;
mod signature;

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

use crate::tls;

/// This provider.
fn pure() -> Arc<CryptoProvider> {
    Arc::new(super::provider())
}

/// The oracle, as it is used natively.
fn oracle() -> Arc<CryptoProvider> {
    tls::provider()
}

/// Who computes for the client, and who for the server, wherever this provider takes part.
fn sides() -> [[Arc<CryptoProvider>; 2]; 3] {
    [[pure(), oracle()], [oracle(), pure()], [pure(), pure()]]
}
