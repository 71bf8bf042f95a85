//! Multiplication of points of P-256 by a key, and back, as protocols of others have it.

use crypto_bigint::{Odd, U256};
use rand_core::CryptoRng;
use veilset_simd::Kernel;
use zeroize::{Zeroize, Zeroizing};

use super::kernel::{Point, SignedScalar, lift_batch, multiply_signed_batch};
use super::signed::negate;
use super::{ORDER, VALUES_A_TASK};
use crate::NotAnElement;
use crate::tasks::{refusing_tasks, tasks};

/// A point in the compressed form of SEC 1: 2 or 3 by the parity of y, and x, big-endian.
pub type Sec1 = [u8; 33];

/// F_k(P) = k·P on the points of P-256 with their sign, which whoever has the key also inverts. The key is wiped when dropped.
///
/// It commutes, and under decisional Diffie–Hellman it is pseudorandom at random points, as [`P256Prf`](crate::P256Prf) is.
/// What maps items to points comes from outside: a protocol of others has its own map.
pub struct P256Prp {
    bytes: Zeroizing<[u8; 32]>,
    key: SignedScalar,
    inverse: SignedScalar,
}

impl P256Prp {
    /// Under a fresh key.
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        loop {
            // A number out of range has probability 2^-32; it says nothing of the one drawn after it.
            rng.fill_bytes(bytes.as_mut_slice());
            if let Some(function) = Self::new(&bytes) {
                return function;
            }
        }
    }

    /// Under the key of these big-endian bytes; `None` unless it is one of 2 to n − 2, where n is the order of the group.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        let key = SignedScalar::new(bytes)?;
        let order = Odd::new(U256::from_be_slice(&ORDER)).into_option()?;
        let number = Zeroizing::new(U256::from_be_slice(bytes));
        let inverse = Zeroizing::new(number.invert_odd_mod(&order).into_option()?);
        let mut inverse_bytes = Zeroizing::new([0; 32]);
        let mut encoded = inverse.to_be_bytes();
        inverse_bytes.copy_from_slice(encoded.as_ref());
        encoded.as_mut().zeroize();
        let inverse = SignedScalar::new(&inverse_bytes)?;
        Some(Self { bytes: Zeroizing::new(*bytes), key, inverse })
    }

    /// The key, big-endian.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// F_k of what `map` makes of each item, in order; it puts the points of some items in place of as many others.
    pub fn map_and_evaluate<I: Sync>(
        &self,
        items: &[I],
        map: impl Fn(&[I], &mut [Point]) + Sync,
    ) -> Vec<Sec1> {
        tasks::<VALUES_A_TASK, _, _>(items, [0; 33], |items, images| {
            let mut points = Zeroizing::new([[0; 64]; VALUES_A_TASK]);
            let points = &mut points[..items.len()];
            map(items, points);
            multiply(&self.key, points, images);
        })
    }

    /// F_k(p) for each point that the peer sent, in order.
    ///
    /// # Errors
    /// With the first that is not the compressed encoding of a point; the neutral one has no such encoding.
    pub fn evaluate(&self, points: &[Sec1]) -> Result<Vec<Sec1>, NotAnElement> {
        apply(&self.key, points)
    }

    /// The p with F_k(p) = q for each q that the peer sent, in order.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn invert(&self, points: &[Sec1]) -> Result<Vec<Sec1>, NotAnElement> {
        apply(&self.inverse, points)
    }
}

/// Refuses the first that is not the compressed encoding of a point.
///
/// # Errors
/// With its place.
pub fn check_sec1(points: &[Sec1]) -> Result<(), NotAnElement> {
    refusing_tasks::<VALUES_A_TASK, _, _>(points, (), |points, _| {
        lift(points, &mut [[0; 64]; VALUES_A_TASK][..points.len()])
    })?;
    Ok(())
}

fn apply(scalar: &SignedScalar, points: &[Sec1]) -> Result<Vec<Sec1>, NotAnElement> {
    refusing_tasks::<VALUES_A_TASK, _, _>(points, [0; 33], |points, images| {
        let mut lifted = Zeroizing::new([[0; 64]; VALUES_A_TASK]);
        let lifted = &mut lifted[..points.len()];
        lift(points, lifted)?;
        multiply(scalar, lifted, images);
        Ok(())
    })
}

/// At most as many points as a task has.
fn lift(points: &[Sec1], lifted: &mut [Point]) -> Result<(), usize> {
    let signless = points.iter().position(|point| !matches!(point[0], 2 | 3));
    let mut xs = [[0; 32]; VALUES_A_TASK];
    for (x, point) in xs.iter_mut().zip(points) {
        x.copy_from_slice(&point[1..]);
    }
    // The first that is refused for whichever reason.
    let sound = signless.unwrap_or(points.len());
    lift_batch(Kernel::best(), &xs[..sound], &mut lifted[..sound])?;
    if let Some(place) = signless {
        return Err(place);
    }
    for (point, _) in lifted.iter_mut().zip(points).filter(|(_, point)| point[0] == 3) {
        negate(point);
    }
    Ok(())
}

/// What is left of the points is wiped by the caller.
fn multiply(scalar: &SignedScalar, points: &mut [Point], images: &mut [Sec1]) {
    multiply_signed_batch(Kernel::best(), scalar, points);
    for (point, image) in points.iter().zip(images) {
        image[0] = 2 | (point[63] & 1);
        image[1..].copy_from_slice(&point[..32]);
    }
}

#[cfg(test)]
mod tests {
    use p256::elliptic_curve::Group;
    use p256::elliptic_curve::sec1::ToSec1Point;
    use p256::{NonZeroScalar, ProjectivePoint};

    use super::*;

    fn sec1(point: ProjectivePoint) -> Sec1 {
        point.to_affine().to_sec1_point(true).as_bytes().try_into().expect("33 bytes")
    }

    fn factors() -> Vec<ProjectivePoint> {
        let double = |point: &ProjectivePoint| Some(point.double());
        std::iter::successors(Some(ProjectivePoint::generator()), double)
            .flat_map(|point| [point, -point])
            .take(300)
            .collect()
    }

    #[test]
    fn it_agrees_with_another_library_and_inverts() {
        let bytes = [0x5b; 32];
        let theirs = *NonZeroScalar::from_repr(bytes.into()).expect("in range");
        let function = P256Prp::new(&bytes).expect("in range");
        let points: Vec<Sec1> = factors().into_iter().map(sec1).collect();
        let expected: Vec<Sec1> = factors().into_iter().map(|point| sec1(point * theirs)).collect();
        let images = function.evaluate(&points).expect("points");
        assert_eq!(images, expected);
        assert_eq!(function.invert(&images).expect("points"), points);
        assert_eq!(function.key(), &bytes);
    }

    #[test]
    fn what_is_no_point_is_refused_by_its_place() {
        let function = P256Prp::new(&[0x77; 32]).expect("in range");
        let points: Vec<Sec1> = factors().into_iter().map(sec1).collect();
        let not_on_curve = (0..=255_u8).map(|x| {
            let mut point = [2; 33];
            point[1..].copy_from_slice(blake3::hash(&[x]).as_bytes());
            point
        });
        let off =
            not_on_curve.into_iter().find(|point| check_sec1(&[*point]).is_err()).expect("half");
        let mut beyond = [0xff; 33];
        beyond[0] = 3;
        let [mut signless, neutral] = [points[0], [0; 33]];
        signless[0] = 4;
        for bad in [off, beyond, signless, neutral] {
            for place in [0, 1, 127, 128, 299] {
                let mut points = points.clone();
                points[place] = bad;
                let refused = Err(NotAnElement { index: place });
                assert_eq!(function.evaluate(&points), refused);
                assert_eq!(function.invert(&points).map(drop), refused.clone().map(|_| ()));
                assert_eq!(check_sec1(&points), refused.map(|_| ()));
            }
        }
    }
}
