//! The proof that one key made all answers (section 2.2): equality of discrete logarithms, batched.

use curve25519_dalek::traits::VartimeMultiscalarMul;
use curve25519_dalek::{RistrettoPoint, Scalar};
use rand_core::CryptoRng;
use sha2::{Digest, Sha512};

use super::{Encoded, PublicKey, SecretKey, TO_SCALAR, encode, length, random_scalar, scalar_of};

/// Elements as they travel, and as points.
type Elements<'a> = (&'a [Encoded], &'a [RistrettoPoint]);

/// A challenge and a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    c: Scalar,
    s: Scalar,
}

impl Proof {
    /// Bytes of a proof.
    pub const LEN: usize = 64;

    /// The proof with these bytes; `None` if one of the scalars is not in its canonical encoding.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let [c, s] = [0, 32].map(|start| {
            let bytes = std::array::from_fn(|byte| bytes[start + byte]);
            Option::<Scalar>::from(Scalar::from_canonical_bytes(bytes))
        });
        Some(Self { c: c?, s: s? })
    }

    /// The proof's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..32].copy_from_slice(self.c.as_bytes());
        bytes[32..].copy_from_slice(self.s.as_bytes());
        bytes
    }

    /// GenerateProof (section 2.2.1) for the generator and `key`'s public key.
    pub(super) fn new(
        key: &SecretKey,
        blinded: Elements<'_>,
        evaluated: &[Encoded],
        rng: &mut dyn CryptoRng,
    ) -> Self {
        let coefficients = coefficients(&key.public, blinded.0, evaluated);
        let m = RistrettoPoint::vartime_multiscalar_mul(&coefficients, blinded.1);
        let z = m * *key.scalar;
        let r = random_scalar(rng);
        let c = challenge(&key.public, [m, z, RistrettoPoint::mul_base(&r), m * *r]);
        Self { c, s: *r - c * *key.scalar }
    }

    /// VerifyProof (section 2.2.2).
    pub(super) fn holds(
        &self,
        public: &PublicKey,
        blinded: Elements<'_>,
        evaluated: Elements<'_>,
    ) -> bool {
        let coefficients = coefficients(public, blinded.0, evaluated.0);
        let sum = |points| RistrettoPoint::vartime_multiscalar_mul(&coefficients, points);
        let (m, z) = (sum(blinded.1), sum(evaluated.1));
        let t2 = RistrettoPoint::mul_base(&self.s) + public.point * self.c;
        let t3 = m * self.s + z * self.c;
        challenge(public, [m, z, t2, t3]) == self.c
    }
}

/// The coefficients of ComputeComposites (section 2.2.1): one for each pair, from all that both sides know.
fn coefficients(public: &PublicKey, blinded: &[Encoded], evaluated: &[Encoded]) -> Vec<Scalar> {
    const SEED_DST: &[u8] = b"Seed-OPRFV1-\x01-ristretto255-SHA512";
    let seed = Sha512::new()
        .chain_update(length(&public.encoded))
        .chain_update(public.encoded)
        .chain_update(length(SEED_DST))
        .chain_update(SEED_DST)
        .finalize();
    let coefficient = |(index, (c, d)): (u16, (&Encoded, &Encoded))| {
        let parts: [&[u8]; 8] = [
            &length(&seed),
            &seed,
            &index.to_be_bytes(),
            &length(c),
            c,
            &length(d),
            d,
            b"Composite",
        ];
        scalar_of(&TO_SCALAR, &parts.concat())
    };
    (0u16..).zip(blinded.iter().zip(evaluated)).map(coefficient).collect()
}

fn challenge(public: &PublicKey, [m, z, t2, t3]: [RistrettoPoint; 4]) -> Scalar {
    let mut transcript = Vec::new();
    for encoded in [public.encoded, encode(&m), encode(&z), encode(&t2), encode(&t3)] {
        transcript.extend_from_slice(&length(&encoded));
        transcript.extend_from_slice(&encoded);
    }
    transcript.extend_from_slice(b"Challenge");
    scalar_of(&TO_SCALAR, &transcript)
}
