//! A field as a module over itself.

use veilset_crypto::Field;

use crate::Module;

/// A field as a module over itself, so that plain polynomials are multiplied by the same code as encrypted ones.
pub struct Itself<'a, F>(pub &'a F);

impl<F: Field> Module for Itself<'_, F> {
    type Field = F;
    type Element = F::Element;

    fn field(&self) -> &F {
        self.0
    }

    fn zero(&self) -> F::Element {
        self.0.zero()
    }

    fn add(&self, into: &mut [F::Element], other: &[F::Element]) {
        for (a, b) in pairs(into, other) {
            *a = self.0.add(a, b);
        }
    }

    fn sub(&self, from: &mut [F::Element], other: &[F::Element]) {
        for (a, b) in pairs(from, other) {
            *a = self.0.sub(a, b);
        }
    }

    fn negate(&self, elements: &mut [F::Element]) {
        for a in elements {
            *a = self.0.neg(a);
        }
    }

    fn scale(&self, scalars: &[F::Element], elements: &mut [F::Element]) {
        for (a, b) in pairs(elements, scalars) {
            *a = self.0.mul(a, b);
        }
    }
}

fn pairs<'a, E>(into: &'a mut [E], other: &'a [E]) -> impl Iterator<Item = (&'a mut E, &'a E)> {
    assert_eq!(into.len(), other.len(), "slices of the same length");
    into.iter_mut().zip(other)
}
