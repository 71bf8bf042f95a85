//! The relay's own certificate, which is read again while it runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::RelayError;

/// A certificate with its chain, and its key, from two PEM files.
#[derive(Debug)]
pub struct Certificates {
    chain: PathBuf,
    key: PathBuf,
    provider: Arc<CryptoProvider>,
    certified: RwLock<Arc<CertifiedKey>>,
}

impl Certificates {
    /// Reads both files.
    ///
    /// # Errors
    /// When one cannot be read, or the key is not that of the certificate.
    pub fn read(chain: &Path, key: &Path) -> Result<Arc<Self>, RelayError> {
        let provider = Arc::new(default_provider());
        let certified = RwLock::new(Arc::new(certified(chain, key, &provider)?));
        let (chain, key) = (chain.to_owned(), key.to_owned());
        Ok(Arc::new(Self { chain, key, provider, certified }))
    }

    /// Reads both files again. Connections that stand go on as they are.
    ///
    /// # Errors
    /// As [`read`](Self::read); the certificate that there was then stays.
    pub fn read_again(&self) -> Result<(), RelayError> {
        let new = Arc::new(certified(&self.chain, &self.key, &self.provider)?);
        *self.certified.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    pub(crate) fn config(self: &Arc<Self>) -> Arc<ServerConfig> {
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .expect("the provider has the default versions")
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(Resolver(Arc::clone(self))));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Arc::new(config)
    }
}

fn certified(
    chain: &Path,
    key: &Path,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, RelayError> {
    let wrong = |path: &Path, why: String| RelayError::Certificate { path: path.to_owned(), why };
    let certificates = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|why| wrong(chain, why.to_string()))?;
    if certificates.is_empty() {
        return Err(wrong(chain, "it has no certificate in PEM form".to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| wrong(key, why.to_string()))?;
    let secret = provider.key_provider.load_private_key(secret);
    let secret = secret.map_err(|why| wrong(key, why.to_string()))?;
    let certified = CertifiedKey::new(certificates, secret);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => {
            Ok(certified)
        }
        Err(why) => Err(wrong(key, format!("it is not the key of {}: {why}", chain.display()))),
    }
}

/// Hands out what was read last.
#[derive(Debug)]
struct Resolver(Arc<Certificates>);

impl ResolvesServerCert for Resolver {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let certified = self.0.certified.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&certified))
    }
}
