//! The two cipher suites, and how they protect records (RFC 8446, section 5.2).

use std::marker::PhantomData;

use aes_gcm::Aes128Gcm;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use chacha20poly1305::ChaCha20Poly1305;
use rustls::crypto::CipherSuiteCommon;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter,
    Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
use rustls::crypto::tls13::HkdfUsingHmac;
use rustls::{
    CipherSuite, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion, Tls13CipherSuite,
};

use super::hash::{Hash, HmacSha256};

/// Bytes of a tag, of either cipher.
const TAG: usize = 16;

/// TLS_CHACHA20_POLY1305_SHA256. No number of records makes a key of it weak (RFC 8446, section 5.5).
pub(super) static CHACHA20_POLY1305: Tls13CipherSuite = Tls13CipherSuite {
    common: common(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, u64::MAX),
    hkdf_provider: &HkdfUsingHmac(&HmacSha256),
    aead_alg: &Aead::<ChaCha20Poly1305>(PhantomData),
    quic: None,
};

/// TLS_AES_128_GCM_SHA256. After 2^24 records rustls takes a new key (RFC 8446, section 5.5).
pub(super) static AES_128_GCM: Tls13CipherSuite = Tls13CipherSuite {
    common: common(CipherSuite::TLS13_AES_128_GCM_SHA256, 1 << 24),
    hkdf_provider: &HkdfUsingHmac(&HmacSha256),
    aead_alg: &Aead::<Aes128Gcm>(PhantomData),
    quic: None,
};

const fn common(suite: CipherSuite, confidentiality_limit: u64) -> CipherSuiteCommon {
    CipherSuiteCommon { suite, hash_provider: &Hash, confidentiality_limit }
}

/// A cipher with the nonces and tags of TLS.
trait Cipher: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + Send + Sync + 'static {
    /// This key for a program that protects records itself.
    fn secrets(key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets;
}

impl Cipher for ChaCha20Poly1305 {
    fn secrets(key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv }
    }
}

impl Cipher for Aes128Gcm {
    fn secrets(key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv }
    }
}

/// Makes what protects the records of one direction. The marker keeps it `Send` and `Sync` whatever the cipher is.
struct Aead<C>(PhantomData<fn() -> C>);

impl<C: Cipher> Tls13AeadAlgorithm for Aead<C> {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records::<C>::new(&key, iv))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records::<C>::new(&key, iv))
    }

    fn key_len(&self) -> usize {
        C::key_size()
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(C::secrets(key, iv))
    }
}

/// The records of one direction under one key.
struct Records<C> {
    cipher: C,
    iv: Iv,
}

impl<C: Cipher> Records<C> {
    fn new(key: &AeadKey, iv: Iv) -> Self {
        let cipher = C::new_from_slice(key.as_ref()).expect("rustls asks how long a key is");
        Self { cipher, iv }
    }

    /// The nonce of record `seq` (RFC 8446, section 5.3).
    fn nonce(&self, seq: u64) -> [u8; 12] {
        Nonce::new(&self.iv, seq).0
    }
}

impl<C: Cipher> MessageEncrypter for Records<C> {
    /// The one copy is that into the buffer which goes out; the cipher works there.
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        seq: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let total = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(total);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&message.typ.to_array());
        let (nonce, header) = (self.nonce(seq).into(), make_tls13_aad(total));
        let sealed = self.cipher.encrypt_inout_detached(&nonce, &header, payload.as_mut().into());
        payload.extend_from_slice(&sealed.map_err(|_| Error::EncryptError)?);
        // Every protected record says that it is of TLS 1.2 (RFC 8446, section 5.2).
        let version = ProtocolVersion::TLSv1_2;
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, version, payload))
    }

    /// The byte more is the type of the content.
    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG
    }
}

impl<C: Cipher> MessageDecrypter for Records<C> {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let header = make_tls13_aad(message.payload.len());
        let (sealed, tag) =
            message.payload.split_last_chunk_mut::<TAG>().ok_or(Error::DecryptError)?;
        let (nonce, tag) = (self.nonce(seq).into(), (*tag).into());
        let length = sealed.len();
        self.cipher
            .decrypt_inout_detached(&nonce, &header, sealed.into(), &tag)
            .map_err(|_| Error::DecryptError)?;
        message.payload.truncate(length);
        message.into_tls13_unpadded_message()
    }
}
