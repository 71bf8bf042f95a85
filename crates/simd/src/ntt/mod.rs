//! Products of polynomials with coefficients of many words, by number-theoretic transforms modulo several primes below
//! 2^50 and the Chinese remainder theorem.

#[cfg(target_arch = "x86_64")]
mod ifma;
mod lanes;
mod modulo;
mod primes;
mod recombine;
mod residues;
mod tables;
mod transform;
mod wide;
mod works;

#[cfg(test)]
mod tests;

use self::recombine::Recombination;
use self::residues::Digits;
use self::tables::{Pair, Roots};
use self::works::{Add, Backward, Forward, Multiply, Recombine, Work};
use crate::Kernel;
use crate::vector::V1;
#[cfg(target_arch = "x86_64")]
use crate::vector::V8Ifma;

/// The fewest words that a transform has.
pub const FEWEST: usize = 64;

/// The most bits of a modulus: two numbers have 124 primes then, and sums over all of them are below 2^57 times P.
const MOST_BITS: u32 = 3072;

/// Transforms of polynomials with coefficients below a modulus P.
///
/// A polynomial is transformed modulo x^n − 1, n a power of two from [`FEWEST`] on. Its *spectrum* has a row of n words
/// for each of the primes, one row after the other; what is in a row depends on the kernel. Functions that take some rows
/// can run for different rows at the same time. A product's coefficients are integers as long as their residues are known
/// modulo all primes; what comes back is modulo P.
///
/// The time depends on sizes and on the modulus, on nothing else. What is stored on the way is wiped, but not what is left
/// on the stack.
pub struct Transforms {
    kernel: Kernel,
    /// 64-bit words of a coefficient.
    words: usize,
    digits: Digits,
    primes: Vec<Prime>,
    recombination: Recombination,
}

/// A prime and its constants.
struct Prime {
    p: u64,
    /// 2^52.
    shift: Pair,
    /// What a digit counts.
    weights: Vec<u64>,
    forward: Roots,
    backward: Roots,
    /// (M/p)^−1/n for n = 2^i.
    scales: Vec<Pair>,
}

impl Transforms {
    /// The most coefficients that a transform can have, as a power of two.
    pub const MOST_LOG: u32 = primes::MOST_LOG;

    /// Transforms of up to 2^`log_size` words, for numbers below the modulus, least word first. What comes back is
    /// multiplied by `factor`, also below the modulus: 1, or for numbers in Montgomery form, whose factor products have
    /// twice, the inverse of that.
    ///
    /// There are so many primes that half of their product exceeds the coefficients of a sum of two products. A kernel
    /// that does not run here, or has no lanes for this, gives way to [`Kernel::Scalar`].
    ///
    /// # Panics
    /// When the modulus has less than 2 or more than 3,072 bits, or another number of words than `factor`, and for
    /// transforms of less than [`FEWEST`] or more than 2^[`MOST_LOG`](Self::MOST_LOG) words.
    #[must_use]
    pub fn new(kernel: Kernel, modulus: &[u64], factor: &[u64], log_size: u32) -> Self {
        let bits = wide::bits(modulus);
        assert!((2..=MOST_BITS).contains(&bits), "a modulus of 2 to {MOST_BITS} bits");
        assert_eq!(modulus.len(), factor.len(), "a factor of as many words as the modulus");
        assert!((FEWEST.ilog2()..=Self::MOST_LOG).contains(&log_size), "a size for transforms");
        let kernel = if kernel == Kernel::Avx512Ifma && kernel.runs_here() {
            kernel
        } else {
            Kernel::Scalar
        };
        let lanes = if kernel == Kernel::Avx512Ifma { 8 } else { 1 };
        // A sum has coefficients below 2·2^log_size·P^2.
        let all = primes::largest(primes::count(2 * bits + log_size + 2));
        let digits = Digits::new(bits);
        let prime = |p: &u64| Prime {
            p: *p,
            shift: pair((1 << 52) % p, *p),
            weights: digits.weights(*p),
            forward: Roots::new(*p, primes::root(*p), log_size, lanes),
            backward: Roots::new(*p, primes::inverse(primes::root(*p), *p), log_size, lanes),
            scales: recombine::scales(&all, *p, log_size),
        };
        let used = bits.div_ceil(64) as usize;
        let recombination =
            Recombination::new(&all, &modulus[..used], &factor[..used], modulus.len());
        let primes = all.iter().map(prime).collect();
        Self { kernel, words: modulus.len(), digits, primes, recombination }
    }

    /// Rows of a spectrum.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.primes.len()
    }

    /// The residues of a number modulo all primes, in a time that depends on it.
    #[must_use]
    pub fn residues(&self, number: &[u64]) -> Vec<u64> {
        let residue = |prime: &Prime| {
            let step =
                |rest: u128, word: &u64| (rest << 64 | u128::from(*word)) % u128::from(prime.p);
            number.iter().rev().fold(0, step) as u64
        };
        self.primes.iter().map(residue).collect()
    }

    /// Puts into `rows`, of `size` words and beginning with that of prime `first`, the transforms of the polynomial with
    /// these coefficients, followed by one that has the [residues](Self::residues) `leading`, or by nothing. There are at
    /// most `size` in all.
    ///
    /// # Panics
    /// When sizes do not fit.
    pub fn forward(
        &self,
        first: usize,
        coefficients: &[u64],
        leading: &[u64],
        size: usize,
        rows: &mut [u64],
    ) {
        assert!(coefficients.len().is_multiple_of(self.words), "whole numbers");
        assert!(leading.is_empty() || leading.len() == self.primes.len(), "a residue a prime");
        let count = coefficients.len() / self.words + usize::from(!leading.is_empty());
        assert!(count <= size, "coefficients fit");
        self.check(first, rows, size);
        self.on_lanes(Forward { transforms: self, first, coefficients, leading, size, rows });
    }

    /// Replaces `rows` by their products with those of another spectrum.
    ///
    /// # Panics
    /// When sizes do not fit.
    pub fn multiply(&self, first: usize, size: usize, rows: &mut [u64], others: &[u64]) {
        self.check(first, rows, size);
        assert_eq!(rows.len(), others.len(), "as many rows");
        self.on_lanes(Multiply { transforms: self, first, size, rows, others });
    }

    /// Adds other rows, which came from [`multiply`](Self::multiply) as these did.
    ///
    /// # Panics
    /// When sizes do not fit.
    pub fn add(&self, first: usize, size: usize, rows: &mut [u64], others: &[u64]) {
        self.check(first, rows, size);
        assert_eq!(rows.len(), others.len(), "as many rows");
        self.on_lanes(Add { transforms: self, first, size, rows, others });
    }

    /// Transforms rows back that came from [`multiply`](Self::multiply) or [`add`](Self::add), but for constant factors.
    ///
    /// # Panics
    /// When sizes do not fit.
    pub fn backward(&self, first: usize, size: usize, rows: &mut [u64]) {
        self.check(first, rows, size);
        self.on_lanes(Backward { transforms: self, first, size, rows });
    }

    /// The coefficients from `from` on of what [`backward`](Self::backward) made of a whole spectrum, modulo P.
    ///
    /// # Panics
    /// When sizes do not fit.
    pub fn recombine(&self, rows: &[u64], from: usize, coefficients: &mut [u64]) {
        let size = rows.len() / self.primes.len();
        self.check(0, rows, size);
        assert_eq!(rows.len(), size * self.primes.len(), "all rows");
        let end = from + coefficients.len() / self.words;
        assert!(coefficients.len().is_multiple_of(self.words), "whole numbers");
        assert!(end <= size, "coefficients there are");
        self.on_lanes(Recombine { transforms: self, rows, from, coefficients });
    }

    fn check(&self, first: usize, rows: &[u64], size: usize) {
        let most = self.primes[0].scales.len() as u32 - 1;
        assert!(size.is_power_of_two() && (FEWEST..=1 << most).contains(&size), "a size it has");
        assert!(rows.len().is_multiple_of(size), "whole rows");
        assert!(first + rows.len() / size <= self.primes.len(), "rows of primes");
    }

    fn on_lanes(&self, work: impl Work) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Ifma => {
                // SAFETY: `new` asked whether the processor has the instructions.
                unsafe { with_ifma(work) }
            }
            _ => work.run(V1),
        }
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
unsafe fn with_ifma(work: impl Work) {
    // SAFETY: as asked of the caller.
    work.run(unsafe { V8Ifma::new() });
}

fn pair(factor: u64, p: u64) -> Pair {
    [factor, primes::quotient(factor, p)]
}
