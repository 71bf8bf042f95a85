//! TLS 1.3, and nothing else: one key exchange, raw public keys, no resumption.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::{CryptoProvider, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage};
use rustls::sign::CertifiedKey;
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{
    CertificateError, CipherSuite, ClientConfig, DigitallySignedStruct, DistinguishedName, Error,
    PeerIncompatible, ServerConfig, SignatureScheme,
};
use veilset_party::{Identity, PublicKey};

use crate::signer::HandshakeKey;

/// The application protocol both ends must name.
pub(crate) const ALPN: &[u8] = b"veilset/1";

/// The name every client asks for: it says nothing, since the key says who the server is.
const SERVER_NAME: &str = "veilset";

/// What precedes the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410, section 4).
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// This party's key, as it presents it in handshakes. Its clones are one.
#[derive(Clone)]
pub(crate) struct OwnKey {
    pub(crate) public: PublicKey,
    certified: Arc<CertifiedKey>,
}

impl OwnKey {
    pub(crate) fn of(identity: &Identity) -> Self {
        let public = identity.public_key();
        let spki = [&SPKI[..], public.as_bytes()].concat();
        let key = HandshakeKey::of(identity);
        Self {
            public,
            certified: Arc::new(CertifiedKey::new(vec![CertificateDer::from(spki)], key)),
        }
    }

    fn certified(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.certified)
    }
}

/// The side that connects; `pin` holds the expected key.
pub(crate) fn client(own: &OwnKey, pin: &Arc<PinnedKey>) -> ClientConfig {
    let mut config =
        ClientConfig::builder_with_details(Arc::clone(&pin.provider), Arc::new(NoTime))
            .with_protocol_versions(&[&TLS13])
            .expect("the provider has TLS 1.3")
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(pin) as Arc<dyn ServerCertVerifier>)
            .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(
                own.certified(),
            )));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.resumption = Resumption::disabled();
    config
}

/// The side that listens; `pin` holds the expected keys.
pub(crate) fn server(own: &OwnKey, pin: &Arc<PinnedKey>) -> ServerConfig {
    let mut config =
        ServerConfig::builder_with_details(Arc::clone(&pin.provider), Arc::new(NoTime))
            .with_protocol_versions(&[&TLS13])
            .expect("the provider has TLS 1.3")
            .with_client_cert_verifier(Arc::clone(pin) as Arc<dyn ClientCertVerifier>)
            .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(own.certified())));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.ignore_client_order = lacks_aes(&pin.provider);
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    config
}

pub(crate) fn server_name() -> ServerName<'static> {
    ServerName::try_from(SERVER_NAME).expect("a DNS name")
}

/// Both ends are this program, so nothing weaker than the hybrid post-quantum key exchange is ever offered.
/// ChaCha20 is for processors without AES instructions.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn provider() -> Arc<CryptoProvider> {
    use rustls::crypto::aws_lc_rs;

    Arc::new(CryptoProvider {
        cipher_suites: vec![
            aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256,
            aws_lc_rs::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
        ],
        kx_groups: vec![aws_lc_rs::kx_group::X25519MLKEM768],
        ..aws_lc_rs::default_provider()
    })
}

/// The same from pure Rust, since aws-lc is not there.
#[cfg(target_family = "wasm")]
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(crate::provider::provider())
}

/// Whether AES is slow here. Such an end puts ChaCha20 first, and holds to it as a server; the others follow the client, who may
/// be one.
fn lacks_aes(provider: &CryptoProvider) -> bool {
    let first = provider.cipher_suites.first().map(|suite| suite.suite());
    first == Some(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256)
}

/// No check needs the time: keys do not expire, and nothing is resumed. A browser's standard library has no clock, and panics.
#[derive(Debug)]
struct NoTime;

impl TimeProvider for NoTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::ZERO))
    }
}

/// The keys of which the other end must prove to hold one, for one handshake.
#[derive(Debug)]
pub(crate) struct PinnedKey {
    expected: Vec<PublicKey>,
    /// The key that was presented.
    presented: OnceLock<PublicKey>,
    /// What computes the handshake. The configuration with this pin has it, too.
    provider: Arc<CryptoProvider>,
}

impl PinnedKey {
    /// One key alone.
    pub(crate) fn new(expected: PublicKey) -> Arc<Self> {
        Self::any(vec![expected])
    }

    /// Any of these.
    pub(crate) fn any(expected: Vec<PublicKey>) -> Arc<Self> {
        Self::by(provider(), expected)
    }

    /// Any of these, in a handshake that this provider computes.
    pub(crate) fn by(provider: Arc<CryptoProvider>, expected: Vec<PublicKey>) -> Arc<Self> {
        Arc::new(Self { expected, presented: OnceLock::new(), provider })
    }

    /// The key that the other end has proven to hold, once the handshake is complete.
    pub(crate) fn proven(&self) -> PublicKey {
        let key = self.presented.get().filter(|key| self.expected.contains(key));
        *key.expect("no handshake is complete without an expected key")
    }

    /// The key that the other end presented, when it is not an expected one.
    pub(crate) fn other(&self) -> Option<PublicKey> {
        self.presented.get().copied().filter(|key| !self.expected.contains(key))
    }

    fn check(
        &self,
        presented: &CertificateDer<'_>,
        more: &[CertificateDer<'_>],
    ) -> Result<(), Error> {
        let key = presented.strip_prefix(&SPKI).and_then(|key| <[u8; 32]>::try_from(key).ok());
        let key = key.map(PublicKey::from_bytes).ok_or(CertificateError::BadEncoding)?;
        let key = *self.presented.get_or_init(|| key);
        if !self.expected.contains(&key) {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        if more.is_empty() { Ok(()) } else { Err(CertificateError::BadEncoding.into()) }
    }

    fn check_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let spki = SubjectPublicKeyInfoDer::from(key.as_ref());
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &spki, signed, algorithms)
    }
}

/// TLS 1.2 is never negotiated.
fn no_tls12() -> Error {
    PeerIncompatible::Tls12NotOfferedOrEnabled.into()
}

impl ServerCertVerifier for PinnedKey {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end_entity, intermediates).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(no_tls12())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for PinnedKey {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(end_entity, intermediates).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(no_tls12())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
