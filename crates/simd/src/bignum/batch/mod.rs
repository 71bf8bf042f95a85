//! Powers modulo an odd number, for many numbers at once.
//!
//! Montgomery's multiplication: with AVX-512 IFMA on limbs of 52 bits, a number in each of eight lanes; in plain Rust, which the
//! other kernels use too, on words, one number at a time. 2048 bits have 40 limbs and R = 2^2080, 1024 bits 20 limbs and
//! R = 2^1040. No function's time depends on anything but the modulus and how many numbers and exponents there are.
//!
//! [`Modulus::power`] and [`PowerBase`] take numbers and give numbers; [`Residues`] keeps them in the form that
//! multiplication needs from one operation to the next.

mod base;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod multiply;
#[cfg(any(test, target_arch = "x86_64"))]
mod narrow;
mod power;
#[cfg(target_arch = "x86_64")]
mod quotient;
mod residues;
mod scalar;
#[cfg(test)]
mod tests;

use crate::Kernel;
use crate::vector::V1;
#[cfg(target_arch = "x86_64")]
use crate::vector::V8Ifma;
use crate::works::works_on_lanes;
use lanes::{Constants, Lanes};

pub use base::PowerBase;
pub use residues::{Residue, Residues, Row};

/// A number of 256 bits, little-endian.
pub type Exponent = [u8; 32];

/// The modulus p of so many words, with what multiplication needs to know of it.
pub struct Modulus<const WORDS: usize, const LIMBS: usize> {
    number: [u64; WORDS],
    /// For words.
    words: Constants<LIMBS>,
    /// For limbs of 52 bits.
    #[cfg(target_arch = "x86_64")]
    limbs: Constants<LIMBS>,
    #[cfg(target_arch = "x86_64")]
    quotients: quotient::Quotients<LIMBS>,
}

impl<const WORDS: usize, const LIMBS: usize> Modulus<WORDS, LIMBS> {
    /// Four bits more than the words have keep products of loosely reduced numbers loosely reduced.
    const FITS: () = assert!(
        64 * WORDS + 4 <= 52 * LIMBS && LIMBS.is_multiple_of(5),
        "limbs in blocks of five, with four bits to spare"
    );

    /// `None` for a modulus that is even, or 1.
    #[must_use]
    pub fn new(number: &[u64; WORDS]) -> Option<Self> {
        const { Self::FITS };
        let top = number.iter().rposition(|word| *word != 0)?;
        if number[0] & 1 == 0 || (top == 0 && number[0] == 1) {
            return None;
        }
        // Newton's iteration: each step doubles the bits of the inverse that are right, of which 3 are at first.
        let step = |inverse: u64, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(number[0].wrapping_mul(inverse)))
        };
        let factor = (0..5).fold(number[0], step).wrapping_neg();
        Some(Self {
            number: *number,
            words: Constants::new(number, factor, 64 * WORDS, scalar::limbs),
            #[cfg(target_arch = "x86_64")]
            limbs: Constants::new(number, factor, 52 * LIMBS, narrow::limbs),
            #[cfg(target_arch = "x86_64")]
            quotients: quotient::Quotients::new(number, factor),
        })
    }

    /// Whether a number is below p.
    #[must_use]
    pub fn exceeds(&self, number: &[u64; WORDS]) -> bool {
        subtract(number, &self.number).1 == 1
    }

    /// p − a for a below p and other than 0.
    #[must_use]
    pub fn negative(&self, number: &[u64; WORDS]) -> [u64; WORDS] {
        subtract(&self.number, number).0
    }
}

/// What takes time is not generic, so that its code is this crate's.
impl Modulus<32, 40> {
    /// Replaces each number by its power with this exponent, below p. Numbers from p on are reduced.
    pub fn power(&self, kernel: Kernel, exponent: &Exponent, numbers: &mut [[u64; 32]]) {
        on_lanes(kernel, power::Power { modulus: self, exponent, numbers });
    }
}

impl<const LIMBS: usize> Constants<LIMBS> {
    /// For R = 2^`bits`, at least as large as the words.
    fn new<const WORDS: usize>(
        p: &[u64; WORDS],
        factor: u64,
        bits: usize,
        limbs: impl Fn(&[u64; WORDS]) -> [u64; LIMBS],
    ) -> Self {
        // The largest power of 2 below p.
        let top = p.iter().rposition(|word| *word != 0).expect("p is not 0");
        let log = p[top].ilog2() as usize;
        let mut power = [0; WORDS];
        power[top] = 1 << log;
        let mut double = |times: usize| {
            (0..times).for_each(|_| power = doubled(&power, p));
            limbs(&power)
        };
        let (one, square) = (double(bits - 64 * top - log), double(bits));
        Self { factor, p: limbs(p), one, square }
    }
}

/// a − b modulo 2^(64·words), and 1 if b is larger.
fn subtract<const WORDS: usize>(a: &[u64; WORDS], b: &[u64; WORDS]) -> ([u64; WORDS], u64) {
    let mut difference = [0; WORDS];
    let mut borrow = 0;
    for ((difference, a), b) in difference.iter_mut().zip(a).zip(b) {
        let wide = u128::from(*a).wrapping_sub(u128::from(*b)).wrapping_sub(u128::from(borrow));
        (*difference, borrow) = (wide as u64, (wide >> 127) as u64);
    }
    (difference, borrow)
}

/// 2·a modulo p, for a below p.
fn doubled<const WORDS: usize>(a: &[u64; WORDS], p: &[u64; WORDS]) -> [u64; WORDS] {
    let mut twice = [0; WORDS];
    let mut carry = 0;
    for (twice, a) in twice.iter_mut().zip(a) {
        (*twice, carry) = (a << 1 | carry, a >> 63);
    }
    let (less, borrow) = subtract(&twice, p);
    select(carry | (borrow ^ 1), &less, &twice)
}

/// `yes` for 1, `no` for 0.
fn select<const WORDS: usize>(choice: u64, yes: &[u64; WORDS], no: &[u64; WORDS]) -> [u64; WORDS] {
    let mask = choice.wrapping_neg();
    std::array::from_fn(|index| no[index] ^ (mask & (yes[index] ^ no[index])))
}

works_on_lanes! {
    // Mostly 16 powers in each lane.
    lanes Lanes, plain V1, stack 96 << 10;
    Avx512Ifma, "avx512f,avx512ifma" => V8Ifma::new();
}
