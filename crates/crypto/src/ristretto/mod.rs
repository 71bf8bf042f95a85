//! The commutative weak pseudorandom permutation on ristretto255.

pub mod kernel;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::traits::Identity;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use self::kernel::{
    Scalar, decode_batch, encode_doubled_batch, map_batch, multiply_and_halve_batch,
};
use crate::tasks::{VALUES_A_TASK, refusing_tasks, tasks};
use crate::{CommutativePrf, CommutativePrp, Element, NotAnElement};

/// `F_k(P) = k·P` on ristretto255 (RFC 9496), for a key uniform in 1 to ℓ − 1. The keys are wiped when dropped.
///
/// The group has prime order ℓ, and each of its elements one encoding, so `F_k` is a permutation of the encodings, and
/// its inverse is multiplication by k^-1 modulo ℓ. It is weakly pseudorandom if decisional Diffie–Hellman is hard.
///
/// `H` is `hash_to_ristretto255` of RFC 9380 (appendix B) with SHA-512: indifferentiable from a random oracle into the
/// group, as the permuted OPRF (section 5.2) takes it to be.
///
/// Encodings that are not canonical are refused, and so is the neutral element; all others have the order ℓ.
pub struct RistrettoPrp {
    key: Scalar,
    inverse: Scalar,
}

impl RistrettoPrp {
    fn decode_and_multiply(
        key: &Scalar,
        points: &[[u8; 32]],
    ) -> Result<Vec<[u8; 32]>, NotAnElement> {
        refusing_tasks::<VALUES_A_TASK, _, _>(points, [0; 32], |points, images| {
            let mut decoded = [RistrettoPoint::identity(); VALUES_A_TASK];
            let decoded = &mut decoded[..points.len()];
            decode_batch(points, decoded)?;
            multiply_and_halve_batch(key, decoded);
            encode_doubled_batch(decoded, images);
            Ok(())
        })
    }
}

impl CommutativePrf for RistrettoPrp {
    type Point = [u8; 32];

    const LEN: usize = 32;

    fn generate(rng: &mut dyn CryptoRng) -> Self {
        let key = Scalar::generate(rng);
        Self { inverse: key.inverse(), key }
    }

    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<[u8; 32]> {
        tasks::<VALUES_A_TASK, _, _>(elements, [0; 32], |elements, images| {
            let mut points = Zeroizing::new([RistrettoPoint::identity(); VALUES_A_TASK]);
            let points = &mut points[..elements.len()];
            map_batch(elements, points);
            multiply_and_halve_batch(&self.key, points);
            encode_doubled_batch(points, images);
        })
    }

    fn evaluate(&self, points: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, NotAnElement> {
        Self::decode_and_multiply(&self.key, points)
    }
}

impl CommutativePrp for RistrettoPrp {
    fn invert(&self, points: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, NotAnElement> {
        Self::decode_and_multiply(&self.inverse, points)
    }
}
