//! The salted hash and the commutative cipher.

use rand_core::CryptoRng;
use rayon::prelude::*;
use sha2::{Digest, Sha256, Sha512};
use veilset_crypto::{CommutativePrf, CommutativePrp, NotAnElement, RistrettoPrp, permutation};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// An identifier under one key or both: a point in its canonical encoding.
pub type Encrypted = [u8; 32];

/// Identifiers that are hashed at a time, so that their uniform bytes take little memory.
const AT_A_TIME: usize = 1 << 14;

/// Ks: whoever has it can test guesses of what it hashed.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Salt([u8; 32]);

/// h = SHA-256(Ks ‖ identifier).
#[derive(Clone, Copy, Zeroize)]
pub struct Hashed([u8; 32]);

impl Salt {
    /// These bytes.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(*bytes)
    }

    /// The hash of an identifier.
    #[must_use]
    pub fn hash(&self, identifier: &[u8]) -> Hashed {
        Hashed(Sha256::new().chain_update(self.0).chain_update(identifier).finalize().into())
    }
}

/// Kp or Ka. Wiped when dropped.
pub struct CipherKey(RistrettoPrp);

impl CipherKey {
    /// A fresh one.
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        Self(RistrettoPrp::generate(rng))
    }

    /// The one with this canonical encoding; `None` of bytes that are no scalar from 1 to ℓ − 1.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        RistrettoPrp::from_bytes(bytes).map(Self)
    }

    /// Its canonical encoding.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        self.0.to_bytes()
    }

    /// The hashes under this key, in their order: whoever sends them shuffles them. Runs on the threads of the caller's rayon pool, as everything here.
    #[must_use]
    pub fn encrypt(&self, hashes: &[Hashed]) -> Vec<Encrypted> {
        let mut encrypted = Vec::with_capacity(hashes.len());
        for hashes in hashes.chunks(AT_A_TIME) {
            let uniform = |hashed: &Hashed| -> [u8; 64] { Sha512::digest(hashed.0).into() };
            let uniform: Vec<[u8; 64]> = hashes.par_iter().map(uniform).collect();
            let uniform = Zeroizing::new(uniform);
            encrypted.extend(self.0.derive_and_evaluate(&uniform));
        }
        encrypted
    }

    /// The other room's list under this key, too, in a fresh random order.
    ///
    /// # Errors
    /// With the first entry that is no point of the group, or the neutral element.
    pub fn encrypt_again(
        &self,
        theirs: &[Encrypted],
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<Encrypted>, NotAnElement> {
        Ok(shuffled(&self.0.evaluate(theirs)?, rng))
    }

    /// What entries were before this key was put on them, in their order.
    ///
    /// # Errors
    /// As [`encrypt_again`](Self::encrypt_again).
    pub fn remove(&self, encrypted: &[Encrypted]) -> Result<Vec<Encrypted>, NotAnElement> {
        self.0.invert(encrypted)
    }
}

/// A list in a fresh random order; all are equally likely.
///
/// # Panics
/// When there are more than 2^32 entries.
#[must_use]
pub fn shuffled(list: &[Encrypted], rng: &mut dyn CryptoRng) -> Vec<Encrypted> {
    permutation(list.len(), rng).iter().map(|place| list[*place as usize]).collect()
}
