//! Fields whose modulus is known at run time.

use veilset_crypto::{PrimeField, Residue};

use crate::Field;

impl<const LIMBS: usize> Field for PrimeField<LIMBS> {
    type Element = Residue<LIMBS>;

    fn zero(&self) -> Residue<LIMBS> {
        Self::zero(self)
    }

    fn one(&self) -> Residue<LIMBS> {
        Self::one(self)
    }

    fn element(&self, value: u64) -> Residue<LIMBS> {
        Self::element(self, value)
    }

    fn add(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::add(self, a, b)
    }

    fn sub(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::sub(self, a, b)
    }

    fn mul(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::mul(self, a, b)
    }

    fn neg(&self, a: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::neg(self, a)
    }

    fn inverse(&self, a: &Residue<LIMBS>) -> Option<Residue<LIMBS>> {
        Self::inverse(self, a)
    }

    fn root_of_unity(&self, log_size: u32) -> Option<Residue<LIMBS>> {
        Self::root_of_unity(self, log_size)
    }
}
