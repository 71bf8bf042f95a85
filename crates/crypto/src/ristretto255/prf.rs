//! The commutative weak pseudorandom permutation on ristretto255.

use rand_core::CryptoRng;
use veilset_simd::Kernel;
use zeroize::Zeroizing;

use super::kernel::{
    Point, Scalar, decode_batch, encode_doubled_batch, map_batch, multiply_and_halve_batch,
};
use crate::tasks::{refusing_tasks, tasks};
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
    /// The permutation under the key with this canonical encoding: a number from 1 to ℓ − 1, little-endian; `None` of any other
    /// bytes.
    #[must_use]
    pub fn from_bytes(key: &[u8; 32]) -> Option<Self> {
        let key = Scalar::from_bytes(key)?;
        Some(Self { inverse: key.inverse(), key })
    }

    /// The canonical encoding of its key.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        self.key.to_bytes()
    }

    /// `F_k` of the elements of the group that are derived from uniform bytes (RFC 9496, section 4.3.4), in order.
    #[must_use]
    pub fn derive_and_evaluate(&self, uniform: &[[u8; 64]]) -> Vec<[u8; 32]> {
        tasks::<VALUES_A_TASK, _, _>(uniform, [0; 32], |uniform, images| {
            let kernel = Kernel::best();
            let mut points = Zeroizing::new(vec![Point::IDENTITY; uniform.len()]);
            veilset_simd::ristretto255::map(kernel, uniform, &mut points);
            multiply_and_halve_batch(kernel, &self.key, &mut points);
            encode_doubled_batch(kernel, &points, images);
        })
    }

    fn decode_and_multiply(
        key: &Scalar,
        points: &[[u8; 32]],
    ) -> Result<Vec<[u8; 32]>, NotAnElement> {
        refusing_tasks::<VALUES_A_TASK, _, _>(points, [0; 32], |points, images| {
            let kernel = Kernel::best();
            let mut decoded = vec![Point::IDENTITY; points.len()];
            decode_batch(kernel, points, &mut decoded)?;
            multiply_and_halve_batch(kernel, key, &mut decoded);
            encode_doubled_batch(kernel, &decoded, images);
            Ok(())
        })
    }
}

/// Values that one task takes: twice all groups of eight lanes that share an inversion.
const VALUES_A_TASK: usize = 256;

impl CommutativePrf for RistrettoPrp {
    type Point = [u8; 32];

    const LEN: usize = 32;

    fn generate(rng: &mut dyn CryptoRng) -> Self {
        let key = Scalar::generate(rng);
        Self { inverse: key.inverse(), key }
    }

    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<[u8; 32]> {
        tasks::<VALUES_A_TASK, _, _>(elements, [0; 32], |elements, images| {
            let kernel = Kernel::best();
            let mut points = Zeroizing::new(vec![Point::IDENTITY; elements.len()]);
            map_batch(kernel, elements, &mut points);
            multiply_and_halve_batch(kernel, &self.key, &mut points);
            encode_doubled_batch(kernel, &points, images);
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

#[cfg(test)]
mod tests {
    use curve25519_dalek::{RistrettoPoint, Scalar as DalekScalar};

    use super::*;

    #[test]
    fn derived_elements_are_those_of_another_library_and_the_inverse_undoes() {
        let key = DalekScalar::from(987_654_321u64);
        let own = RistrettoPrp::from_bytes(&key.to_bytes()).expect("a key");
        let uniform: Vec<[u8; 64]> = (0..300u32)
            .map(|index| *blake3::hash(&index.to_le_bytes()).as_bytes())
            .map(|half| [half, half.map(|byte| !byte)].concat().try_into().expect("64 bytes"))
            .collect();
        let derived = |uniform| RistrettoPoint::from_uniform_bytes(uniform);
        let expected: Vec<[u8; 32]> =
            uniform.iter().map(|uniform| (derived(uniform) * key).compress().0).collect();
        let images = own.derive_and_evaluate(&uniform);
        assert_eq!(images, expected);
        let plain: Vec<[u8; 32]> =
            uniform.iter().map(|uniform| derived(uniform).compress().0).collect();
        assert_eq!(own.invert(&images).expect("elements"), plain);
        assert_eq!(*own.to_bytes(), key.to_bytes());
    }
}
