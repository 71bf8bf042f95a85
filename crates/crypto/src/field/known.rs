//! Fields whose modulus the compiler knows.

use std::marker::PhantomData;

use zeroize::Zeroize;

use super::Field;

/// A field that a type of its elements defines.
pub struct KnownField<E>(PhantomData<fn() -> E>);

/// Integers modulo the order of ristretto255, 2^252 + 27742317777372353535851937790883648493. Its order less 1 is 4
/// times an odd number: no transform of any use.
pub type RistrettoScalars = KnownField<curve25519_dalek::Scalar>;

impl<E> KnownField<E> {
    /// The field.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E> Default for KnownField<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: ff::PrimeField + Zeroize> Field for KnownField<E> {
    type Element = E;

    fn zero(&self) -> E {
        E::ZERO
    }

    fn one(&self) -> E {
        E::ONE
    }

    fn element(&self, value: u64) -> E {
        E::from(value)
    }

    fn add(&self, a: &E, b: &E) -> E {
        *a + b
    }

    fn sub(&self, a: &E, b: &E) -> E {
        *a - b
    }

    fn mul(&self, a: &E, b: &E) -> E {
        *a * b
    }

    fn neg(&self, a: &E) -> E {
        -*a
    }

    fn inverse(&self, a: &E) -> Option<E> {
        a.invert().into_option()
    }

    fn root_of_unity(&self, log_size: u32) -> Option<E> {
        let squarings = E::S.checked_sub(log_size)?;
        Some((0..squarings).fold(E::ROOT_OF_UNITY, |root, _| root.square()))
    }
}
