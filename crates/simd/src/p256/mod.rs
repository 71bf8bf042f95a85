//! P-256 for many points at once: multiplication by one scalar, the way from an x-coordinate to a point, and the
//! simplified map of Shallue, van de Woestijne and Ulas.
//!
//! The lanes multiply 52 bits with AVX-512 IFMA. Other kernels have the twin in plain Rust, which is there to be
//! compared with: aws-lc is several times as fast.

mod curve;
mod field;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod lanes;
mod multiply;
mod point;
mod powers;
mod sswu;
#[cfg(test)]
mod tests;

use zeroize::Zeroizing;

use crate::Kernel;
use crate::vector::V1;
#[cfg(target_arch = "x86_64")]
use crate::vector::V8Ifma;
use crate::works::works_on_lanes;
use lanes::Lanes;
use multiply::End;

/// An x-coordinate, big-endian, below p.
pub type X = [u8; 32];

/// The coordinates x and y, both big-endian and below p.
pub type Point = [u8; 64];

/// Groups of lanes that share an inversion.
const GROUPS: usize = 16;

/// Replaces each point by its product with ±`scalar`, of the two the one with an even y. The scalar is big-endian and one of 1
/// to n − 1, where n is the order of the group; the points are on the curve.
///
/// The time depends on the number of points only. A kernel that does not run here gives way to [`Kernel::Scalar`].
pub fn multiply(kernel: Kernel, scalar: &[u8; 32], points: &mut [Point]) {
    let windows = &Zeroizing::new(multiply::windows(scalar));
    on_lanes(kernel, Multiply { windows, points, end: End::Even });
}

/// Replaces each point by its product with `scalar`, whichever its y. The scalar is big-endian and one of 1 to n − 1, where n is
/// the order of the group; the points are on the curve.
///
/// The time depends on the number of points only. A kernel that does not run here gives way to [`Kernel::Scalar`].
pub fn multiply_signed(kernel: Kernel, scalar: &[u8; 32], points: &mut [Point]) {
    let windows = &Zeroizing::new(multiply::windows(scalar));
    let even = Zeroizing::new(u64::from(scalar[31] & 1).wrapping_sub(1));
    on_lanes(kernel, Multiply { windows, points, end: End::Signed { opposite: &even } });
}

/// Puts the points with these x-coordinates and an even y into `points`. The x-coordinates are public.
///
/// # Errors
/// With the place of the first that is not below p, or with which the curve has no point.
///
/// # Panics
/// When the two differ in length.
pub fn lift(kernel: Kernel, xs: &[X], points: &mut [Point]) -> Result<(), usize> {
    assert_eq!(xs.len(), points.len(), "each coordinate has its point");
    let mut lifted = Ok(());
    on_lanes(kernel, Lift { xs, points, lifted: &mut lifted });
    lifted
}

/// Puts those of the points with these x-coordinates and an even y that there are into `points`, and whether there is one into
/// `lifted`. The x-coordinates may be secret; the time depends on their number only.
///
/// # Panics
/// When the three differ in length.
pub fn lift_each(kernel: Kernel, xs: &[X], points: &mut [Point], lifted: &mut [bool]) {
    assert!(xs.len() == points.len() && xs.len() == lifted.len(), "each coordinate has its point");
    on_lanes(kernel, LiftEach { xs, points, lifted });
}

/// Whether all points are on the curve and have an even y. They are public.
///
/// # Errors
/// With the place of the first that does not, or a coordinate of which is not below p.
pub fn check(kernel: Kernel, points: &[Point]) -> Result<(), usize> {
    let mut checked = Ok(());
    on_lanes(kernel, Check { points, checked: &mut checked });
    checked
}

/// Puts into `points` where the simplified map (RFC 9380, section 6.6.2, Z = −10) takes the numbers `uniform`, big-endian.
///
/// The time depends on their number only. A kernel that does not run here gives way to [`Kernel::Scalar`].
///
/// # Panics
/// When the two differ in length.
pub fn map(kernel: Kernel, uniform: &[[u8; 48]], points: &mut [Point]) {
    assert_eq!(uniform.len(), points.len(), "each number has its point");
    on_lanes(kernel, Map { uniform, points });
}

struct Multiply<'a> {
    windows: &'a multiply::Windows,
    points: &'a mut [Point],
    end: End<'a>,
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for points in self.points.chunks_mut(GROUPS * L::LANES) {
            multiply::multiply_all(l, self.windows, points, self.end);
        }
    }
}

struct Lift<'a> {
    xs: &'a [X],
    points: &'a mut [Point],
    lifted: &'a mut Result<(), usize>,
}

impl Work for Lift<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        *self.lifted = curve::lift_all(l, self.xs, self.points);
    }
}

struct LiftEach<'a> {
    xs: &'a [X],
    points: &'a mut [Point],
    lifted: &'a mut [bool],
}

impl Work for LiftEach<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        curve::lift_each(l, self.xs, self.points, self.lifted);
    }
}

struct Check<'a> {
    points: &'a [Point],
    checked: &'a mut Result<(), usize>,
}

impl Work for Check<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        *self.checked = curve::check_all(l, self.points);
    }
}

struct Map<'a> {
    uniform: &'a [[u8; 48]],
    points: &'a mut [Point],
}

impl Work for Map<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let most = GROUPS * L::LANES;
        for (uniform, points) in self.uniform.chunks(most).zip(self.points.chunks_mut(most)) {
            sswu::map_all(l, uniform, points);
        }
    }
}

works_on_lanes! {
    // Mostly the multiples of all points that share an inversion.
    lanes Lanes, plain V1, stack 224 << 10;
    Avx512Ifma, "avx512f,avx512ifma" => V8Ifma::new();
}
