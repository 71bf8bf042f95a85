//! Multiplication modulo an odd number of any length, one product at a time.
//!
//! A residue a is kept as a·R, where R is a power of the digits' base: 2^64 in plain Rust, 2^52 with AVX-512 IFMA.

#[cfg(target_arch = "x86_64")]
mod ifma;
mod residue;
mod scalar;

#[cfg(test)]
mod tests;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Kernel;

pub use residue::Residue;

/// An odd modulus of at least 2 words, with what multiplication needs.
///
/// No time depends on residues or on the modulus, only on its number of words; of numbers that are handed over as words
/// lengths count. Wiped when dropped, since moduli can be secret.
#[derive(ZeroizeOnDrop)]
pub struct Montgomery {
    /// The modulus in words of 64 bits.
    words: Vec<u64>,
    /// And in digits of the kernel's base.
    digits: Vec<u64>,
    /// −1/m modulo the digits' base.
    inverse: u64,
    #[zeroize(skip)]
    base: Base,
    /// Digits that count; a residue may have more, which are 0.
    count: usize,
    /// R and R² modulo m.
    one: Residue,
    square: Residue,
}

/// The digits' base.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Words,
    #[cfg(target_arch = "x86_64")]
    Ifma,
}

impl Base {
    fn of(kernel: Kernel, words: usize) -> Self {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Ifma if ifma::fits(words) && kernel.runs_here() => Self::Ifma,
            _ if words == 0 => unreachable!("a modulus has words"),
            _ => Self::Words,
        }
    }

    fn bits(self) -> usize {
        match self {
            Self::Words => 64,
            #[cfg(target_arch = "x86_64")]
            Self::Ifma => ifma::BITS,
        }
    }
}

impl Montgomery {
    /// The modulus with these words, the lowest first. A kernel that does not run here, or knows no modulus of that length,
    /// gives way to [`Kernel::Scalar`].
    ///
    /// # Panics
    /// When the modulus is even, or the highest word is 0.
    #[must_use]
    pub fn new(kernel: Kernel, words: &[u64]) -> Self {
        assert!(words.first().is_some_and(|low| low % 2 == 1), "an odd modulus");
        assert!(words.last() != Some(&0), "a modulus of that many words");
        let base = Base::of(kernel, words.len());
        // Two bits more than the modulus has keep products of loosely reduced residues loosely reduced.
        let (count, len) = match base {
            Base::Words => (words.len(), words.len()),
            #[cfg(target_arch = "x86_64")]
            Base::Ifma => ifma::lengths(words.len()),
        };
        let inverse = negated_inverse(words[0]) & (u64::MAX >> (64 - base.bits()));
        let empty = || Residue::zero(len);
        let (one, square) = (empty(), empty());
        let mut modulus =
            Self { words: words.to_vec(), digits: vec![0; len], inverse, base, count, one, square };
        modulus.digits = modulus.split(words).0.to_vec();
        modulus.prepare();
        modulus
    }

    /// Finds R and R².
    fn prepare(&mut self) {
        let (bits, len) = (self.base.bits(), self.words.len());
        let top = 63 - self.words[len - 1].leading_zeros() as usize;
        let mut power = vec![0; len];
        power[len - 1] = 1 << top;
        let double = |power: &mut Vec<u64>, times| {
            (0..times).for_each(|_| scalar::double(power, &self.words));
        };
        double(&mut power, bits * self.count - (64 * (len - 1) + top));
        let one = self.split(&power);
        // R·2^bits is the base in Montgomery form, and its power with the number of digits is R.
        double(&mut power, bits);
        let base = self.split(&power);
        power.zeroize();
        self.square = one.clone();
        self.one = one;
        for bit in (0..usize::BITS - self.count.leading_zeros()).rev() {
            self.square = self.multiply(&self.square, &self.square);
            if self.count >> bit & 1 == 1 {
                self.square = self.multiply(&self.square, &base);
            }
        }
    }

    /// Words of the modulus.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// 1.
    #[must_use]
    pub fn one(&self) -> &Residue {
        &self.one
    }

    /// The residue of the number with these words, the lowest first, which may exceed the modulus.
    ///
    /// # Panics
    /// When there are more words than the modulus has.
    #[must_use]
    pub fn residue(&self, words: &[u64]) -> Residue {
        assert!(words.len() <= self.words.len(), "no more words than the modulus");
        self.multiply(&self.split(words), &self.square)
    }

    /// The least non-negative number of a residue, as many words as the modulus has.
    #[must_use]
    pub fn integer(&self, residue: &Residue) -> Vec<u64> {
        let mut unit = Residue::zero(self.digits.len());
        unit.0[0] = 1;
        let product = self.multiply(residue, &unit);
        let mut words = self.join(&product.0);
        scalar::reduce(&mut words, &self.words);
        words.truncate(self.words.len());
        words
    }

    /// a·b.
    #[must_use]
    pub fn multiply(&self, a: &Residue, b: &Residue) -> Residue {
        let mut product = Residue::zero(self.digits.len());
        match self.base {
            Base::Words => {
                scalar::multiply(&a.0, &b.0, &self.digits, self.inverse, &mut product.0);
            }
            #[cfg(target_arch = "x86_64")]
            Base::Ifma => {
                let (a, b, modulus) = (&a.0, &b.0[..], &self.digits);
                // SAFETY: the base was chosen for a processor that has the instructions.
                unsafe {
                    ifma::multiply(a, &b[..self.count], modulus, self.inverse, &mut product.0);
                }
            }
        }
        product
    }

    /// The one of `choices` whose place is `index`: all are read. 0 if there is none.
    #[must_use]
    pub fn select(&self, choices: &[Residue], index: usize) -> Residue {
        let mut chosen = Residue::zero(self.digits.len());
        match self.base {
            Base::Words => scalar::select(choices, index, &mut chosen.0),
            #[cfg(target_arch = "x86_64")]
            Base::Ifma => {
                // SAFETY: the base was chosen for a processor that has the instructions.
                unsafe { ifma::select(choices, index, &mut chosen.0) };
            }
        }
        chosen
    }

    /// The digits of a number below 2^(64·words).
    fn split(&self, words: &[u64]) -> Residue {
        let mut digits = Residue::zero(self.digits.len());
        let bits = self.base.bits();
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        for (index, digit) in digits.0.iter_mut().take(self.count).enumerate() {
            let (at, shift) = (index * bits / 64, index * bits % 64);
            let both = u128::from(word(at)) | u128::from(word(at + 1)) << 64;
            *digit = (both >> shift) as u64 & (u64::MAX >> (64 - bits));
        }
        digits
    }

    /// The words of a number with these digits: one more than the modulus has.
    fn join(&self, digits: &[u64]) -> Vec<u64> {
        let bits = self.base.bits();
        let mut words = vec![0; self.words.len() + 2];
        for (index, digit) in digits.iter().take(self.count).enumerate() {
            let (at, shift) = (index * bits / 64, index * bits % 64);
            let both = u128::from(*digit) << shift;
            words[at] |= both as u64;
            words[at + 1] |= (both >> 64) as u64;
        }
        words.truncate(self.words.len() + 1);
        words
    }
}

/// −1/m modulo 2^64 for an odd m: each step doubles the bits that are right, of which 1/m = m has three.
fn negated_inverse(m: u64) -> u64 {
    let right = (0..5).fold(m, |x, _| x.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(x))));
    right.wrapping_neg()
}
