//! X25519MLKEM768: a secret from ML-KEM-768 (FIPS 203) and one from X25519 (RFC 7748), so that both must be broken
//! (draft-ietf-tls-ecdhe-mlkem, section 4).
//!
//! | who | sends | bytes |
//! |---|---|---|
//! | client | encapsulation key, public value | 1184 + 32 |
//! | server | ciphertext, public value | 1088 + 32 |
//!
//! Their secret is ML-KEM's 32 bytes, then those of X25519.

use curve25519_dalek::MontgomeryPoint;
use curve25519_dalek::constants::X25519_BASEPOINT;
use curve25519_dalek::traits::Identity;
use ml_kem::ml_kem_768::{Ciphertext, DecapsulationKey, EncapsulationKey};
use ml_kem::{B32, Decapsulate, Key, KeyExport, Seed, SharedKey};
use rustls::crypto::{
    ActiveKeyExchange, CompletedKeyExchange, GetRandomFailed, SharedSecret, SupportedKxGroup,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved, ProtocolVersion};
use zeroize::Zeroizing;

/// Bytes of a public value of X25519.
const VALUE: usize = 32;

const INVALID: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);

/// The key exchange, of which every run draws new keys.
#[derive(Debug)]
pub(super) struct X25519MlKem768;

impl SupportedKxGroup for X25519MlKem768 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let mut seed = Zeroizing::new(Seed::default());
        fill(&mut seed)?;
        let (key, scalar) = (DecapsulationKey::from_seed(*seed), Scalar::random()?);
        let share = [&key.encapsulation_key().to_bytes()[..], &scalar.public()].concat();
        Ok(Box::new(Started { key, scalar, share }))
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let (key, value) = client_share.split_last_chunk().ok_or(INVALID)?;
        let key = Key::<EncapsulationKey>::try_from(key).map_err(|_| INVALID)?;
        // This checks that every number is reduced (FIPS 203, section 7.2).
        let key = EncapsulationKey::new(&key).map_err(|_| INVALID)?;
        let scalar = Scalar::random()?;
        let classical = scalar.agree(value)?;
        let mut message = Zeroizing::new(B32::default());
        fill(&mut message)?;
        let (ciphertext, secret) = key.encapsulate_deterministic(&message);
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: [&ciphertext[..], &scalar.public()].concat(),
            secret: join(&Zeroizing::new(secret), &classical),
        })
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

/// A client that waits for the server's share. The key wipes itself.
struct Started {
    key: DecapsulationKey,
    scalar: Scalar,
    share: Vec<u8>,
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let (ciphertext, value) = server_share.split_last_chunk().ok_or(INVALID)?;
        let ciphertext = Ciphertext::try_from(ciphertext).map_err(|_| INVALID)?;
        let classical = self.scalar.agree(value)?;
        // A ciphertext that nobody made for this key gives a secret that nobody else has (FIPS 203, section 6.3).
        Ok(join(&Zeroizing::new(self.key.decapsulate(&ciphertext)), &classical))
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }
}

/// A secret of X25519.
struct Scalar(Zeroizing<[u8; 32]>);

impl Scalar {
    fn random() -> Result<Self, Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        fill(bytes.as_mut_slice())?;
        Ok(Self(bytes))
    }

    fn public(&self) -> [u8; VALUE] {
        X25519_BASEPOINT.mul_clamped(*self.0).to_bytes()
    }

    /// The secret shared with the holder of `value`. One of small order gives zero, and is refused (RFC 8446,
    /// section 7.4.2).
    fn agree(&self, value: &[u8; VALUE]) -> Result<Zeroizing<MontgomeryPoint>, Error> {
        let shared = Zeroizing::new(MontgomeryPoint(*value).mul_clamped(*self.0));
        if *shared == MontgomeryPoint::identity() { Err(INVALID) } else { Ok(shared) }
    }
}

/// The secret of both; rustls wipes it. No second allocation leaves a copy behind.
fn join(quantum: &SharedKey, classical: &MontgomeryPoint) -> SharedSecret {
    SharedSecret::from([&quantum[..], classical.as_bytes()].concat())
}

fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|_| GetRandomFailed.into())
}
