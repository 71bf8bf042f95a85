//! Powers modulo an odd number of 2048 bits, for many numbers at once.
//!
//! Montgomery's multiplication: with AVX-512 IFMA on 40 limbs of 52 bits and R = 2^2080, a number in each of eight lanes; in
//! plain Rust, which the other kernels use too, on 32 words and R = 2^2048, one number at a time. No function's time depends on
//! anything but the modulus and how many numbers and exponents there are.

mod base;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod multiply;
#[cfg(any(test, target_arch = "x86_64"))]
mod narrow;
mod power;
mod scalar;
#[cfg(test)]
mod tests;

use crate::Kernel;
use crate::vector::V1;
#[cfg(target_arch = "x86_64")]
use crate::vector::V8Ifma;
use lanes::{Constants, Lanes, Limbs};

pub use base::PowerBase;

/// A number of 2048 bits in words, least first.
pub type Number = [u64; 32];

/// A number of 256 bits, little-endian.
pub type Exponent = [u8; 32];

/// The modulus p with what multiplication needs to know of it.
pub struct Modulus {
    number: Number,
    /// For 32 words.
    words: Constants,
    /// For 40 limbs of 52 bits.
    #[cfg(target_arch = "x86_64")]
    limbs: Constants,
}

impl Modulus {
    /// `None` for a modulus that is even or has less than 2048 bits.
    #[must_use]
    pub fn new(number: &Number) -> Option<Self> {
        if number[0] & 1 == 0 || number[31] >> 63 == 0 {
            return None;
        }
        // Newton's iteration: each step doubles the bits of the inverse that are right, of which 3 are at first.
        let step = |inverse: u64, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(number[0].wrapping_mul(inverse)))
        };
        let factor = (0..5).fold(number[0], step).wrapping_neg();
        let words = Constants::new(number, factor, 2048, scalar::limbs);
        Some(Self {
            number: *number,
            words,
            #[cfg(target_arch = "x86_64")]
            limbs: Constants::new(number, factor, 2080, narrow::limbs),
        })
    }

    /// Replaces each number by its power with this exponent, below p. Numbers from p on are reduced.
    pub fn power(&self, kernel: Kernel, exponent: &Exponent, numbers: &mut [Number]) {
        on_lanes(kernel, power::Power { modulus: self, exponent, numbers });
    }

    /// Whether a number is below p.
    #[must_use]
    pub fn exceeds(&self, number: &Number) -> bool {
        subtract(number, &self.number).1 == 1
    }

    /// p − a for a below p and other than 0.
    #[must_use]
    pub fn negative(&self, number: &Number) -> Number {
        subtract(&self.number, number).0
    }
}

impl Constants {
    /// For R = 2^`bits`, at least 2^2048.
    fn new(p: &Number, factor: u64, bits: usize, limbs: impl Fn(&Number) -> Limbs) -> Self {
        // 2^2048 modulo p.
        let mut power = subtract(&[0; 32], p).0;
        let mut double = |times: usize| {
            (0..times).for_each(|_| power = doubled(&power, p));
            limbs(&power)
        };
        let (one, square) = (double(bits - 2048), double(bits));
        Self { factor, p: limbs(p), one, square }
    }
}

/// a − b modulo 2^2048, and 1 if b is larger.
fn subtract(a: &Number, b: &Number) -> (Number, u64) {
    let mut difference = [0; 32];
    let mut borrow = 0;
    for ((difference, a), b) in difference.iter_mut().zip(a).zip(b) {
        let wide = u128::from(*a).wrapping_sub(u128::from(*b)).wrapping_sub(u128::from(borrow));
        (*difference, borrow) = (wide as u64, (wide >> 127) as u64);
    }
    (difference, borrow)
}

/// 2·a modulo p, for a below p.
fn doubled(a: &Number, p: &Number) -> Number {
    let mut twice = [0; 32];
    let mut carry = 0;
    for (twice, a) in twice.iter_mut().zip(a) {
        (*twice, carry) = (a << 1 | carry, a >> 63);
    }
    let (less, borrow) = subtract(&twice, p);
    select(carry | (borrow ^ 1), &less, &twice)
}

/// `yes` for 1, `no` for 0.
fn select(choice: u64, yes: &Number, no: &Number) -> Number {
    let mask = choice.wrapping_neg();
    std::array::from_fn(|index| no[index] ^ (mask & (yes[index] ^ no[index])))
}

/// Work that any lanes can do.
trait Work {
    fn run<L: Lanes>(self, l: L);
}

/// Bytes of stack that are wiped after the work: mostly 16 powers in each lane.
const STACK: usize = 96 << 10;

fn on_lanes(kernel: Kernel, work: impl Work) {
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
        _ => work.run(V1),
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn with_ifma(work: impl Work) {
    // SAFETY: as asked of the caller.
    work.run(unsafe { V8Ifma::new() });
}
