//! Curve25519 for many points at once: the ladder with one scalar, Elligator 2, and ristretto255.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512f;
mod canonical;
mod elligator;
mod field;
pub mod field25519;
#[cfg(target_arch = "x86_64")]
mod fma;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod ladder;
mod powers;
pub mod ristretto255;
mod scalar;
mod symbol;
mod words;

#[cfg(test)]
mod tests;

use field::Field;
use scalar::Scalar;

use crate::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::vector::{V4, V8};

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

/// Work on many points that any field's lanes can do.
trait Work {
    fn run<F: Field>(self, f: F);
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

/// Bytes of stack that are wiped after the work: what found no register lies there.
const STACK: usize = 48 << 10;

fn on_lanes(kernel: Kernel, work: impl Work) {
    on_lanes_with::<STACK>(kernel, work);
}

/// [`on_lanes`] for work that takes another amount of stack.
fn on_lanes_with<const STACK: usize>(kernel: Kernel, work: impl Work) {
    dispatch(kernel, work);
    zeroize::zeroize_stack::<STACK>();
}

/// Never inlined, so that what is below the caller's frame is what the work used.
#[inline(never)]
fn dispatch(kernel: Kernel, work: impl Work) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512Ifma if kernel.runs_here() => {
            // SAFETY: the processor has the instructions.
            unsafe { with_ifma(work) }
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512f if kernel.runs_here() => {
            // SAFETY: the processor has the instructions.
            unsafe { with_avx512f(work) }
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 if kernel.runs_here() => {
            // SAFETY: the processor has the instructions.
            unsafe { with_avx2(work) }
        }
        _ => work.run(Scalar),
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
unsafe fn with_ifma(work: impl Work) {
    // SAFETY: as asked of the caller.
    work.run(ifma::Ifma(unsafe { V8::new() }));
}

/// # Safety
/// The processor has AVX-512F, BW and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn with_avx512f(work: impl Work) {
    // SAFETY: as asked of the caller.
    work.run(fma::Fma(unsafe { V8::<false>::new() }));
}

/// # Safety
/// The processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2(work: impl Work) {
    // SAFETY: as asked of the caller.
    work.run(fma::Fma(unsafe { V4::new() }));
}
