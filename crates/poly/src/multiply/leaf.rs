//! Each coefficient by each.

use veilset_crypto::Row;

use super::problem::{Form, Problem};
use super::split::Lengths;
use crate::coefficients::Wiped;
use crate::coefficients::add_at;
use crate::{Module, Scalar};

/// What one call of the module computes for the leaves of a batch.
///
/// A leaf with the plain coefficients a_0, a_1, … has scaled, for each of them, the whole of the other factor, or, transposed,
/// the part of it that the result needs. If the module prefers, a leaf is the sums of rows instead: a row for each coefficient
/// of the other factor, by all plain ones that it meets.
pub(super) struct Leaves<M: Module> {
    scaled: Pairs<M>,
    summed: Pairs<M>,
    rows: Vec<Row>,
    sums: usize,
}

/// Scalars, and elements: as many, or those of rows.
struct Pairs<M: Module> {
    scalars: Wiped<Scalar<M>>,
    elements: Wiped<M::Element>,
}

/// What came out, of which each leaf takes its part.
pub(super) struct Products<M: Module> {
    scaled: Wiped<M::Element>,
    summed: Wiped<M::Element>,
}

/// What is left of it.
pub(super) struct Rest<'a, E> {
    scaled: &'a [E],
    summed: &'a [E],
}

impl<M: Module> Pairs<M> {
    fn with_capacity(count: usize) -> Self {
        Self {
            scalars: Wiped::new(Vec::with_capacity(count)),
            elements: Wiped::new(Vec::with_capacity(count)),
        }
    }
}

/// Whether a leaf is sums of rows.
fn has_rows<M: Module>(module: &M, lengths: Lengths) -> bool {
    let long = |least| lengths.plain >= least && lengths.poly > 0;
    module.least_row().is_some_and(long)
}

/// Coefficients of a leaf's result.
fn results(form: Form, lengths: Lengths) -> usize {
    match form {
        Form::Product => lengths.product(),
        Form::Transposed => lengths.poly,
    }
}

impl<M: Module> Leaves<M> {
    /// Room for all of a batch, since vectors that grow leave copies behind.
    pub(super) fn with_capacity(module: &M, products: usize) -> Self {
        // A leaf has fewer coefficients than pairs of them.
        let summed = if module.least_row().is_some() { 2 * products } else { 0 };
        Self {
            scaled: Pairs::with_capacity(products),
            summed: Pairs::with_capacity(summed),
            rows: Vec::new(),
            sums: 0,
        }
    }

    pub(super) fn push(&mut self, module: &M, problem: &Problem<'_, M>) {
        if has_rows(module, problem.lengths) {
            return self.push_rows(problem);
        }
        let row = problem.lengths.poly;
        if row == 0 {
            return;
        }
        for (index, scalar) in problem.plain.iter().enumerate() {
            let from = match problem.form {
                Form::Product => 0,
                Form::Transposed => index,
            };
            self.scaled.scalars.extend(std::iter::repeat_n(scalar, row).cloned());
            self.scaled.elements.extend_from_slice(&problem.poly[from..from + row]);
        }
    }

    /// b_j goes with a_0, a_1, … to the results j, j + 1, …; transposed, c_s goes with the last plain coefficient to the result
    /// s less their number, and with those before it to the following ones, as far as there are results.
    fn push_rows(&mut self, problem: &Problem<'_, M>) {
        let Lengths { plain, poly } = problem.lengths;
        let (element, from, to) =
            (self.summed.elements.len(), self.summed.scalars.len(), self.sums);
        for index in 0..problem.poly.len() {
            let (first, last) = match problem.form {
                Form::Product => (0, plain),
                Form::Transposed => {
                    ((plain - 1).saturating_sub(index), plain.min(poly + plain - 1 - index))
                }
            };
            let place = match problem.form {
                Form::Product => index,
                Form::Transposed => index + first + 1 - plain,
            };
            self.rows.push(Row {
                element: element + index,
                from: from + first,
                count: last - first,
                to: to + place,
            });
        }
        self.summed.elements.extend_from_slice(&problem.poly);
        match problem.form {
            Form::Product => self.summed.scalars.extend_from_slice(&problem.plain),
            Form::Transposed => self.summed.scalars.extend(problem.plain.iter().rev().cloned()),
        }
        self.sums += results(problem.form, problem.lengths);
    }

    pub(super) fn compute(mut self, module: &M) -> Products<M> {
        module.scale(&self.scaled.scalars, &mut self.scaled.elements);
        let Pairs { scalars, elements } = self.summed;
        let summed = if self.rows.is_empty() {
            Vec::new()
        } else {
            module.sums_of_rows(&scalars, &elements, &self.rows, self.sums)
        };
        Products { scaled: self.scaled.elements, summed: Wiped::new(summed) }
    }
}

impl<M: Module> Products<M> {
    pub(super) fn all(&self) -> Rest<'_, M::Element> {
        Rest { scaled: &self.scaled, summed: &self.summed }
    }
}

/// Takes what belongs to a leaf from the front of `rest`, and adds it up.
pub(super) fn sum<M: Module>(
    module: &M,
    form: Form,
    lengths: Lengths,
    rest: &mut Rest<'_, M::Element>,
) -> Wiped<M::Element> {
    let len = results(form, lengths);
    if has_rows(module, lengths) {
        let (sums, others) = rest.summed.split_at(len);
        rest.summed = others;
        return Wiped::new(sums.to_vec());
    }
    let (leaf, others) = rest.scaled.split_at(lengths.pairs());
    rest.scaled = others;
    let step = match form {
        Form::Product => 1,
        Form::Transposed => 0,
    };
    let mut sum = Wiped::new(Vec::with_capacity(len));
    for (index, row) in leaf.chunks(lengths.poly.max(1)).enumerate() {
        add_at(module, &mut sum, step * index, row);
    }
    sum
}
