//! The commutative weak pseudorandom function on x-coordinates.

use std::marker::PhantomData;

use rand_core::CryptoRng;
use veilset_simd::Kernel;
use zeroize::Zeroizing;

use super::kernel::{Scalar, map_batch};
use super::{Encoding, VALUES_A_TASK};
use crate::tasks::{refusing_tasks, tasks};
use crate::{CommutativePrf, Element, NotAnElement};

/// `F_k(±P) = ±k·P` on P-256, for a key uniform in 1 to n − 1. The key is wiped when dropped.
///
/// # On x-coordinates
///
/// An x-coordinate stands for a point and its negative, and k·(−P) = −(k·P), so multiplication by k is a function of
/// x-coordinates. It commutes because multiplication of points does. It is one-to-one, since n is prime and k is not 0
/// modulo n. And it is a weak pseudorandom function if decisional Diffie–Hellman is hard on P-256: a distinguisher of
/// the pairs x(P), x(k·P) from x(P), x(R), for random points P and R, is one of the pairs P, k·P from P, R, as x is
/// computed from a point and nothing else is needed.
///
/// So no form of a point carries a sign. Of the two y that belong to x, [`Uncompressed`](crate::Uncompressed) sends the even
/// one, a function of x.
///
/// # What compression costs
///
/// A multiplication wants y, and in lanes it gives y, so the two forms trade bytes against the time of a root, as the paper
/// has it (section 7.5):
///
/// | | bytes a point | [`hash_and_evaluate`](CommutativePrf::hash_and_evaluate) | [`evaluate`](CommutativePrf::evaluate) |
/// |---|---|---|---|
/// | [`Compressed`](crate::Compressed) | 32 | no root, as the map gives y | one, of what the peer sent |
/// | [`Uncompressed`](crate::Uncompressed) | 64 | no root | the curve's equation, of what the peer sent |
///
/// Without lanes the library below multiplies, whose Diffie–Hellman function returns x alone: then a root is taken for each
/// point of an [`Uncompressed`](crate::Uncompressed) result, at about a seventh of the time of a multiplication.
///
/// # Elements
///
/// `H` is `encode_to_curve` of RFC 9380's suite `P256_XMD:SHA-256_SSWU_NU_`. One map does not give the uniform
/// distribution on the group; the proof needs no more than that a simulator can sample a point together with a
/// preimage, and the map is easily inverted.
///
/// # What the peer sends
///
/// A number that is at least p, one with which the curve has no point, an odd y and a pair that is off the curve are
/// refused before the key touches them. The neutral element has no encoding. All other points have the large order n.
pub struct P256Prf<C> {
    key: Scalar,
    encoding: PhantomData<C>,
}

impl<C: Encoding> CommutativePrf for P256Prf<C> {
    type Point = C::Point;

    const LEN: usize = C::LEN;

    fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        loop {
            // A number out of range has probability 2^-32; it says nothing of the one drawn after it.
            rng.fill_bytes(bytes.as_mut_slice());
            if let Some(key) = Scalar::new(&bytes) {
                return Self { key, encoding: PhantomData };
            }
        }
    }

    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<C::Point> {
        tasks::<VALUES_A_TASK, _, _>(elements, C::VACANT, |elements, images| {
            let mut points = Zeroizing::new([[0; 64]; VALUES_A_TASK]);
            let points = &mut points[..elements.len()];
            map_batch(Kernel::best(), elements, points);
            C::multiply(Kernel::best(), &self.key, points, images);
        })
    }

    fn evaluate(&self, points: &[C::Point]) -> Result<Vec<C::Point>, NotAnElement> {
        refusing_tasks::<VALUES_A_TASK, _, _>(points, C::VACANT, |points, images| {
            let mut lifted = [[0; 64]; VALUES_A_TASK];
            let lifted = &mut lifted[..points.len()];
            C::lift(Kernel::best(), points, lifted)?;
            C::multiply(Kernel::best(), &self.key, lifted, images);
            Ok(())
        })
    }
}
