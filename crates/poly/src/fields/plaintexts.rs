//! The ring of Paillier's plaintexts, which passes for a field: who finds a number that is neither 0 nor a unit has
//! factored the key.

use veilset_crypto::paillier::{Integer, Plaintexts};

use crate::Field;

impl Field for Plaintexts {
    type Element = Integer;

    fn zero(&self) -> Integer {
        self.element(0)
    }

    fn one(&self) -> Integer {
        self.element(1)
    }

    fn element(&self, value: u64) -> Integer {
        Self::element(self, value)
    }

    fn add(&self, a: &Integer, b: &Integer) -> Integer {
        Self::add(self, a, b)
    }

    fn sub(&self, a: &Integer, b: &Integer) -> Integer {
        Self::sub(self, a, b)
    }

    fn mul(&self, a: &Integer, b: &Integer) -> Integer {
        Self::mul(self, a, b)
    }

    fn neg(&self, a: &Integer) -> Integer {
        Self::neg(self, a)
    }

    fn inverse(&self, a: &Integer) -> Option<Integer> {
        Self::inverse(self, a)
    }

    /// There is −1. Other roots would take the factors of N.
    fn root_of_unity(&self, log_size: u32) -> Option<Integer> {
        match log_size {
            0 => Some(self.one()),
            1 => Some(Self::neg(self, &self.one())),
            _ => None,
        }
    }
}
