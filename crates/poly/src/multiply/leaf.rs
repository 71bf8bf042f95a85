//! Each coefficient by each.

use super::problem::{Form, Problem};
use super::split::Lengths;
use crate::coefficients::Wiped;
use crate::coefficients::add_at;
use crate::{Module, Scalar};

/// What one call of the module scales. A leaf with the plain coefficients a_0, a_1, … has a row for each of them: its
/// products with the whole of the other factor, or, transposed, with the part of it that the result needs.
pub(super) struct Leaves<M: Module> {
    scalars: Wiped<Scalar<M>>,
    elements: Wiped<M::Element>,
}

impl<M: Module> Leaves<M> {
    /// Room for all of a batch, since vectors that grow leave copies behind.
    pub(super) fn with_capacity(products: usize) -> Self {
        Self {
            scalars: Wiped::new(Vec::with_capacity(products)),
            elements: Wiped::new(Vec::with_capacity(products)),
        }
    }

    pub(super) fn push(&mut self, problem: &Problem<'_, M>) {
        let row = problem.lengths.poly;
        if row == 0 {
            return;
        }
        for (index, scalar) in problem.plain.iter().enumerate() {
            let from = match problem.form {
                Form::Product => 0,
                Form::Transposed => index,
            };
            self.scalars.extend(std::iter::repeat_n(scalar, row).cloned());
            self.elements.extend_from_slice(&problem.poly[from..from + row]);
        }
    }

    pub(super) fn scale(mut self, module: &M) -> Wiped<M::Element> {
        module.scale(&self.scalars, &mut self.elements);
        self.elements
    }
}

/// Takes the rows of a leaf from the front of `products` and adds them up.
pub(super) fn sum<M: Module>(
    module: &M,
    form: Form,
    lengths: Lengths,
    products: &mut &[M::Element],
) -> Wiped<M::Element> {
    let (leaf, rest) = products.split_at(lengths.pairs());
    *products = rest;
    let (len, step) = match form {
        Form::Product => (lengths.product(), 1),
        Form::Transposed => (lengths.poly, 0),
    };
    let mut sum = Wiped::new(Vec::with_capacity(len));
    for (index, row) in leaf.chunks(lengths.poly.max(1)).enumerate() {
        add_at(module, &mut sum, step * index, row);
    }
    sum
}
