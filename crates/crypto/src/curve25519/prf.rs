//! The commutative weak pseudorandom function on x-coordinates.

use std::sync::Arc;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_simd::Kernel;
use zeroize::Zeroizing;

use super::kernel::{Scalar, map_batch, multiply_batch};
use super::{Point, VALUES_A_TASK, is_canonical};
use crate::accelerator::{accelerator, accelerator_for, in_order};
use crate::tasks::{refusing_tasks, tasks};
use crate::{Accelerator, CommutativePrf, Element, Evaluating, NotAnElement, Underway};

/// `F_k(P) = k·P` on Curve25519, x-coordinates only. The key is wiped when dropped.
///
/// # The group
///
/// The group is the subgroup of prime order ℓ. `k` is clamped as in X25519: a multiple of 8, with `k/8` uniform in
/// 2^251..2^252, below ℓ. Elligator 2 maps an element to a point of the full curve, the sum of a point `H(x)` of the
/// group and one whose order divides 8. The first multiplication annuls the second and leaves `k·H(x)`, so clearing
/// the cofactor costs nothing. `H(x)` is the suite's `encode_to_curve(x)`, which multiplies by 8, divided by 8 modulo
/// ℓ: a bijection of the group. One map does not give the uniform distribution on the group; the proof needs no more
/// than that a simulator can sample a point together with a preimage, and Elligator 2 is easily inverted.
///
/// # No twist bit
///
/// A u-coordinate belongs to the curve if u³ + Au² + u is a square, else to its quadratic twist, and multiplication
/// leaves it where it is. A digest taken for a coordinate would therefore carry one bit, visible through the
/// blinding: curve or twist. Elligator's images are all on the curve, so all blinded values are, and being in the
/// subgroup of order ℓ they carry no such bit of the torsion either.
///
/// # What the peer sends
///
/// Refused are encodings that are not canonical (the top bit set, or at least 2^255 − 19) and points of small order.
/// Multiples of 8 annul all points of small order, also of the twist, whose cofactor is 4; those give 0. A point of
/// mixed order, or of the twist, is a peer's deviation that costs the key nothing: its image lies in a group of large
/// prime order again.
pub struct Curve25519Prf {
    key: Scalar,
}

impl CommutativePrf for Curve25519Prf {
    type Point = Point;

    const LEN: usize = 32;

    fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(bytes.as_mut_slice());
        Self { key: Scalar::new(&bytes) }
    }

    fn batch() -> usize {
        accelerator().map_or(1, |device| device.batch())
    }

    fn ahead() -> usize {
        accelerator().map_or(0, |device| device.batches())
    }

    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<Point> {
        map_and_multiply(&self.key, elements)
    }

    fn evaluate(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
        check_and_multiply(&self.key, points)
    }

    fn start_hashing(&self, elements: Zeroizing<Vec<Element>>) -> Underway<'_, Vec<Point>> {
        match accelerator_for(elements.len()) {
            Some(device) => hashing(&self.key, device, elements),
            None => Underway::new(move || map_and_multiply_here(&self.key, &elements)),
        }
    }

    fn start_evaluating(&self, points: Vec<Point>) -> Evaluating<'_, Point> {
        match accelerator_for(points.len()) {
            Some(device) => evaluating(&self.key, device, points),
            None => Underway::new(move || check_and_multiply_here(&self.key, &points)),
        }
    }
}

pub(super) fn map_and_multiply(key: &Scalar, elements: &[Element]) -> Vec<Point> {
    let Some(device) = accelerator_for(elements.len()) else {
        return map_and_multiply_here(key, elements);
    };
    let batches = elements.chunks(device.batch());
    let mut points = Vec::with_capacity(elements.len());
    in_order(
        batches.map(|batch| hashing(key, device, Zeroizing::new(batch.to_vec()))),
        device.batches(),
        |images| points.extend(images),
    );
    points
}

pub(super) fn check_and_multiply(
    key: &Scalar,
    points: &[Point],
) -> Result<Vec<Point>, NotAnElement> {
    let Some(device) = accelerator_for(points.len()) else {
        return check_and_multiply_here(key, points);
    };
    let batches = points.chunks(device.batch());
    let mut images = Ok(Vec::with_capacity(points.len()));
    in_order(
        batches.map(|batch| evaluating(key, device, batch.to_vec())),
        device.batches(),
        |next: Result<Vec<Point>, NotAnElement>| match (&mut images, next) {
            (Ok(images), Ok(next)) => images.extend(next),
            (Ok(before), Err(NotAnElement { index })) => {
                images = Err(NotAnElement { index: before.len() + index });
            }
            (Err(_), _) => {}
        },
    );
    images
}

/// Has a device map and multiply, and this processor if the device fails.
fn hashing<'a>(
    key: &'a Scalar,
    device: &dyn Accelerator,
    elements: Zeroizing<Vec<Element>>,
) -> Underway<'a, Vec<Point>> {
    let elements = Arc::new(elements);
    let points = device.map_and_multiply(key.bytes(), Arc::clone(&elements));
    Underway::new(move || points.recv().unwrap_or_else(|_| map_and_multiply_here(key, &elements)))
}

/// Has a device multiply what the peer sent, and this processor if the device fails.
fn evaluating<'a>(
    key: &'a Scalar,
    device: &dyn Accelerator,
    points: Vec<Point>,
) -> Evaluating<'a, Point> {
    let points = Arc::new(points);
    let images = device.multiply(key.bytes(), Arc::clone(&points));
    Underway::new(move || match images.recv() {
        Ok(images) => checked(&points, images),
        Err(_) => check_and_multiply_here(key, &points),
    })
}

fn map_and_multiply_here(key: &Scalar, elements: &[Element]) -> Vec<Point> {
    tasks::<VALUES_A_TASK, _, _>(elements, [0; 32], |elements, points| {
        // In place: nothing unblinded stays behind. An element of H(x) = 0 has probability 2^-249.
        map_batch(Kernel::best(), elements, points);
        multiply_batch(Kernel::best(), key, points);
    })
}

fn check_and_multiply_here(key: &Scalar, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
    refusing_tasks::<VALUES_A_TASK, _, _>(points, [0; 32], |points, images| {
        let canonical = points.iter().position(|p| !is_canonical(p)).unwrap_or(points.len());
        // Those before the first that is not canonical may be of small order.
        let images = &mut images[..canonical];
        images.copy_from_slice(&points[..canonical]);
        multiply_batch(Kernel::best(), key, images);
        match images.iter().position(|image| *image == [0; 32]) {
            Some(small) => Err(small),
            None if canonical < points.len() => Err(canonical),
            None => Ok(()),
        }
    })
}

/// The images of points that a device multiplied, unless one of these was not canonical or was of small order.
fn checked(points: &[Point], images: Vec<Point>) -> Result<Vec<Point>, NotAnElement> {
    let pairs = points.par_iter().zip(&images).with_min_len(VALUES_A_TASK);
    match pairs.position_first(|(point, image)| !is_canonical(point) || *image == [0; 32]) {
        Some(index) => Err(NotAnElement { index }),
        None => Ok(images),
    }
}
