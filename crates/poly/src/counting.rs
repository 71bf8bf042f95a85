//! A module that counts what is done with it.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::cost::Operations;
use crate::{Module, Scalar};

/// A module together with the number of its operations since it was made. Operations on plain polynomials are not the
/// module's and are not counted.
pub struct Counting<M> {
    module: M,
    scalings: AtomicU64,
    additions: AtomicU64,
    negations: AtomicU64,
}

impl<M> Counting<M> {
    /// Counts from 0.
    pub const fn new(module: M) -> Self {
        Self {
            module,
            scalings: AtomicU64::new(0),
            additions: AtomicU64::new(0),
            negations: AtomicU64::new(0),
        }
    }

    /// What was done so far.
    pub fn operations(&self) -> Operations {
        Operations {
            scalings: self.scalings.load(Relaxed),
            additions: self.additions.load(Relaxed),
            negations: self.negations.load(Relaxed),
        }
    }
}

fn count(counter: &AtomicU64, operations: usize) {
    counter.fetch_add(operations as u64, Relaxed);
}

impl<M: Module> Module for Counting<M> {
    type Field = M::Field;
    type Element = M::Element;

    fn field(&self) -> &M::Field {
        self.module.field()
    }

    fn zero(&self) -> M::Element {
        self.module.zero()
    }

    fn add(&self, into: &mut [M::Element], other: &[M::Element]) {
        count(&self.additions, into.len());
        self.module.add(into, other);
    }

    fn sub(&self, from: &mut [M::Element], other: &[M::Element]) {
        count(&self.additions, from.len());
        count(&self.negations, from.len());
        self.module.sub(from, other);
    }

    fn negate(&self, elements: &mut [M::Element]) {
        count(&self.negations, elements.len());
        self.module.negate(elements);
    }

    fn double(&self, elements: &mut [M::Element]) {
        count(&self.additions, elements.len());
        self.module.double(elements);
    }

    fn scale(&self, scalars: &[Scalar<M>], elements: &mut [M::Element]) {
        count(&self.scalings, elements.len());
        self.module.scale(scalars, elements);
    }

    fn sum_of_products(&self, scalars: &[Scalar<M>], elements: &[M::Element]) -> M::Element {
        count(&self.scalings, elements.len());
        count(&self.additions, elements.len().saturating_sub(1));
        self.module.sum_of_products(scalars, elements)
    }
}
