//! Numbers of operations.

use std::iter::Sum;
use std::ops::{Add, Mul};

/// Operations on single elements of a module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operations {
    /// Products of a scalar and an element. A sum of n products counts as n, whatever the module makes of it.
    pub scalings: u64,
    /// Additions; a subtraction is also one, and so is a doubling. A sum of n products counts as n − 1.
    pub additions: u64,
    /// Multiplications by −1, one for each subtraction, too: a − b is counted as a + (−1)·b.
    pub negations: u64,
}

impl Operations {
    /// So many additions and scalings.
    pub(crate) const fn new(scalings: usize, additions: usize) -> Self {
        Self { scalings: scalings as u64, additions: additions as u64, negations: 0 }
    }

    /// Of the additions, so many are subtractions.
    pub(super) const fn subtracting(self, subtractions: usize) -> Self {
        Self { negations: subtractions as u64, ..self }
    }

    /// Beside the additions so many elements are multiplied by −1.
    pub(crate) const fn negating(self, elements: usize) -> Self {
        Self { negations: self.negations + elements as u64, ..self }
    }
}

impl Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            scalings: self.scalings + other.scalings,
            additions: self.additions + other.additions,
            negations: self.negations + other.negations,
        }
    }
}

impl Mul<u64> for Operations {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            scalings: self.scalings * times,
            additions: self.additions * times,
            negations: self.negations * times,
        }
    }
}

impl Sum for Operations {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}
