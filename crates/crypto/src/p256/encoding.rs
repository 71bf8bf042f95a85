//! The two forms in which points of P-256 cross the wire.

use veilset_simd::Kernel;

use super::kernel::{
    Point, Scalar, X, check_batch, lift_batch, multiply_batch, multiply_to_x_batch,
};

/// A form of points of P-256 on the wire: [`Compressed`] or [`Uncompressed`].
pub trait Encoding: form::Form {}

/// The x-coordinate alone: 32 bytes, big-endian. Whoever receives a point takes the root that gives y.
pub enum Compressed {}

/// x and y: 64 bytes, both big-endian, y even. Whoever receives a point checks the curve's equation.
pub enum Uncompressed {}

impl<F: form::Form> Encoding for F {}

pub(super) mod form {
    use super::{Kernel, Point, Scalar};

    /// What an encoding does, out of reach for other crates.
    pub trait Form: Sync {
        /// A point as it crosses the wire.
        type Point: Copy + Send + Sync + PartialEq + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

        /// Bytes of a point.
        const LEN: usize;

        /// What stands for a point before there is one.
        const VACANT: Self::Point;

        /// Puts the points that a peer sent into `lifted`, as long; fails with the place of the first that is refused.
        fn lift(kernel: Kernel, points: &[Self::Point], lifted: &mut [Point]) -> Result<(), usize>;

        /// Puts the products of `points` and the key, as they cross the wire, into `products`, as long.
        fn multiply(
            kernel: Kernel,
            key: &Scalar,
            points: &mut [Point],
            products: &mut [Self::Point],
        );
    }
}

impl form::Form for Compressed {
    type Point = X;

    const LEN: usize = 32;
    const VACANT: X = [0; 32];

    fn lift(kernel: Kernel, points: &[X], lifted: &mut [Point]) -> Result<(), usize> {
        lift_batch(kernel, points, lifted)
    }

    fn multiply(kernel: Kernel, key: &Scalar, points: &mut [Point], products: &mut [X]) {
        multiply_to_x_batch(kernel, key, points, products);
    }
}

impl form::Form for Uncompressed {
    type Point = Point;

    const LEN: usize = 64;
    const VACANT: Point = [0; 64];

    fn lift(kernel: Kernel, points: &[Point], lifted: &mut [Point]) -> Result<(), usize> {
        check_batch(kernel, points)?;
        lifted.copy_from_slice(points);
        Ok(())
    }

    fn multiply(kernel: Kernel, key: &Scalar, points: &mut [Point], products: &mut [Point]) {
        multiply_batch(kernel, key, points);
        products.copy_from_slice(points);
    }
}
