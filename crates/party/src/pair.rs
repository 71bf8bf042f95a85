//! What two parties can compute from each other's keys, and nobody else.

use curve25519_dalek::edwards::CompressedEdwardsY;
use hkdf::Hkdf;
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

use crate::PublicKey;

/// What the secret is extracted with.
const SALT: &[u8] = b"veilset pair of keys";

/// The Diffie-Hellman secret of two parties' keys, from which names are derived that nobody else can tell from random ones.
///
/// The keys sign on Ed25519; here the same secret numbers act on the same curve as in X25519 (RFC 7748). Both uses of one key
/// together are secure where what is signed and what is derived are kept apart (Thormarker, IACR ePrint 2021/509), as they are:
/// signatures have a context, and the derivation this salt and the two keys.
pub struct PairSecret(Zeroizing<[u8; 32]>, [PublicKey; 2]);

impl PairSecret {
    /// From the secret seed of `own` and the key of the other. For bytes that are no point of the curve, which no party has as
    /// its key, it is one that nobody else computes.
    pub(crate) fn of(seed: &[u8; 32], own: PublicKey, other: PublicKey) -> Self {
        let mut both = [own, other];
        both.sort_unstable();
        let mut expanded = Zeroizing::new([0; 64]);
        Sha512::new().chain_update(seed).finalize_into((&mut *expanded).into());
        let scalar = Zeroizing::new(*expanded.first_chunk().expect("half"));
        let point = CompressedEdwardsY(*other.as_bytes()).decompress();
        let shared = point.map(|point| point.mul_clamped(*scalar).to_montgomery().to_bytes());
        Self(Zeroizing::new(shared.unwrap_or(*scalar)), both)
    }

    /// 32 bytes for a purpose within a context: both parties derive the same.
    #[must_use]
    pub fn derive(&self, context: &str, purpose: &[u8]) -> [u8; 32] {
        let [one, other] = &self.1;
        let info = [context.as_bytes(), &[0], one.as_bytes(), other.as_bytes(), purpose];
        let mut derived = [0; 32];
        Hkdf::<Sha256>::new(Some(SALT), &*self.0)
            .expand_multi_info(&info, &mut derived)
            .expect("32 bytes are not too many");
        derived
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};

    use aws_lc_rs::digest::{SHA512, digest};

    use super::*;
    use crate::Identity;

    #[test]
    fn both_derive_the_same_and_nobody_else_does() {
        let [ann, ben, eve] = [(); 3].map(|()| Identity::ephemeral());
        let keys = [&ann, &ben, &eve].map(Identity::public_key);
        let derived = ann.shared_with(&keys[1]).derive("veilset test", b"x");
        assert_eq!(ben.shared_with(&keys[0]).derive("veilset test", b"x"), derived);
        assert_ne!(ben.shared_with(&keys[0]).derive("veilset test", b"y"), derived);
        assert_ne!(ben.shared_with(&keys[0]).derive("veilset tests", b"x"), derived);
        assert_ne!(eve.shared_with(&keys[0]).derive("veilset test", b"x"), derived);
        assert_ne!(eve.shared_with(&keys[1]).derive("veilset test", b"x"), derived);
    }

    /// X25519 of another library, on the keys' Montgomery forms.
    #[test]
    fn the_secret_is_that_of_x25519() {
        let seeds = [[7u8; 32], [9; 32]];
        let scalar = |seed: &[u8; 32]| -> [u8; 32] {
            digest(&SHA512, seed).as_ref()[..32].try_into().expect("half")
        };
        let publics = seeds.map(|seed| {
            let pair = aws_lc_rs::signature::Ed25519KeyPair::from_seed_unchecked(&seed);
            let pair = pair.expect("any seed is one");
            let public = aws_lc_rs::signature::KeyPair::public_key(&pair).as_ref().try_into();
            PublicKey::from_bytes(public.expect("32 bytes"))
        });
        let secret = PairSecret::of(&seeds[0], publics[0], publics[1]);
        let own = PrivateKey::from_private_key(&X25519, &scalar(&seeds[0])).expect("any 32 bytes");
        let point = CompressedEdwardsY(*publics[1].as_bytes()).decompress().expect("a key");
        let other = UnparsedPublicKey::new(&X25519, point.to_montgomery().to_bytes());
        agree(&own, other, (), |shared| {
            assert_eq!(shared, &*secret.0);
            Ok(())
        })
        .expect("they agree");
    }
}
