//! The two forms in which points of P-256 cross the wire.

use subtle::ConstantTimeEq;

use super::X;
use super::field::Fe;
use super::kernel::{SecPoint, curve_equation, lift_batch};
use crate::lanes::Field;

/// A form of points of P-256 on the wire: [`Compressed`] or [`Uncompressed`].
pub trait Encoding: form::Form {}

/// The x-coordinate alone: 32 bytes, big-endian. Whoever receives a point takes the root that gives y.
pub enum Compressed {}

/// x and y: 64 bytes, both big-endian, y even. Whoever sends a point takes the root that gives y.
pub enum Uncompressed {}

impl<F: form::Form> Encoding for F {}

pub(super) mod form {
    use super::{SecPoint, X};

    /// What an encoding does, out of reach for other crates.
    pub trait Form: Sync {
        /// A point as it crosses the wire.
        type Point: Copy + Send + Sync + PartialEq + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

        /// Bytes of a point.
        const LEN: usize;

        /// What stands for a point before there is one.
        const VACANT: Self::Point;

        /// Puts the points that a peer sent into `lifted`, as long; fails with the place of the first that is refused.
        fn lift(points: &[Self::Point], lifted: &mut [SecPoint]) -> Result<(), usize>;

        /// Puts the points with these x-coordinates into `points`, as long.
        fn encode(xs: &[X], points: &mut [Self::Point]);
    }
}

impl form::Form for Compressed {
    type Point = [u8; 32];

    const LEN: usize = 32;
    const VACANT: [u8; 32] = [0; 32];

    fn lift(points: &[[u8; 32]], lifted: &mut [SecPoint]) -> Result<(), usize> {
        lift_batch(points, lifted)
    }

    fn encode(xs: &[X], points: &mut [[u8; 32]]) {
        points.copy_from_slice(xs);
    }
}

impl form::Form for Uncompressed {
    type Point = [u8; 64];

    const LEN: usize = 64;
    const VACANT: [u8; 64] = [0; 64];

    fn lift(points: &[[u8; 64]], lifted: &mut [SecPoint]) -> Result<(), usize> {
        for (index, (point, lifted)) in points.iter().zip(lifted).enumerate() {
            *lifted = checked(point).ok_or(index)?;
        }
        Ok(())
    }

    fn encode(xs: &[X], points: &mut [[u8; 64]]) {
        let mut lifted = vec![[0; 65]; xs.len()];
        lift_batch(xs, &mut lifted).expect("products are points of the curve");
        for (point, lifted) in points.iter_mut().zip(&lifted) {
            point.copy_from_slice(&lifted[1..]);
        }
    }
}

/// The point, if both numbers are below p, y is even, and it is on the curve.
fn checked(point: &[u8; 64]) -> Option<SecPoint> {
    let coordinate = |start| Fe::from_canonical(&std::array::from_fn(|index| point[start + index]));
    let (x, y) = (coordinate(0)?, coordinate(32)?);
    let valid = y.square().ct_eq(&curve_equation(x)) & !y.is_odd();
    bool::from(valid).then(|| {
        let mut checked = [4; 65];
        checked[1..].copy_from_slice(point);
        checked
    })
}
