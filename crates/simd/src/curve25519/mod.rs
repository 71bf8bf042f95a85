//! Curve25519 for many points at once: the ladder with one scalar, Elligator 2, and ristretto255.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512f;
mod canonical;
mod elligator;
mod field;
pub mod field25519;
#[cfg(any(test, all(target_arch = "wasm32", target_feature = "simd128")))]
mod floats;
#[cfg(target_arch = "x86_64")]
mod fma;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod ladder;
mod powers;
pub mod ristretto255;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod symbol;
mod words;

#[cfg(test)]
mod tests;

use field::Field;
use scalar::Scalar;

use crate::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::vector::{V4, V8};
use crate::works::works_on_lanes;

/// A u-coordinate, little-endian.
pub type Point = [u8; 32];

/// Groups of lanes that share an inversion.
const GROUPS: usize = 32;

/// Replaces each point by its product with `scalar`, as X25519 of RFC 7748 has it: the scalar is clamped, the top bit
/// of a point is ignored and its number reduced; the neutral element becomes 0, which no other point does.
///
/// The time depends on the number of points and on whether some product is the neutral element, on nothing else.
/// A kernel that does not run here gives way to [`Kernel::Scalar`].
pub fn x25519(kernel: Kernel, scalar: &[u8; 32], points: &mut [Point]) {
    on_lanes(kernel, Multiply { scalar, points });
}

/// Puts into `points` where Elligator 2 (RFC 9380, section 6.7.1, Z = 2) takes the numbers `uniform`, big-endian, on
/// Curve25519: u-coordinates, not yet cleared of the cofactor.
///
/// The time depends on their number only. A kernel that does not run here gives way to [`Kernel::Scalar`].
///
/// # Panics
/// When the two differ in length.
pub fn elligator2(kernel: Kernel, uniform: &[[u8; 48]], points: &mut [Point]) {
    assert_eq!(uniform.len(), points.len(), "each number has its point");
    on_lanes(kernel, Map { uniform, points });
}

struct Multiply<'a> {
    scalar: &'a [u8; 32],
    points: &'a mut [Point],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        for points in self.points.chunks_mut(GROUPS * F::LANES) {
            ladder::multiply_all(f, self.scalar, points);
        }
    }
}

struct Map<'a> {
    uniform: &'a [[u8; 48]],
    points: &'a mut [Point],
}

impl Work for Map<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = GROUPS * F::LANES;
        for (uniform, points) in self.uniform.chunks(most).zip(self.points.chunks_mut(most)) {
            elligator::map_all(f, uniform, points);
        }
    }
}

works_on_lanes! {
    // What found no register lies there.
    lanes Field, plain Scalar, simd128 floats::Floats::new(crate::vector::V2), stack 48 << 10;
    Avx512Ifma, "avx512f,avx512dq,avx512ifma" => ifma::Ifma(V8::new());
    Avx512f, "avx512f,avx512dq" => fma::Fma(V8::<false>::new());
    Avx2, "avx2,fma" => fma::Fma(V4::new());
}
