//! Products.

use std::collections::HashMap;

use super::Operations;
use crate::Multiplication;
use crate::multiply::{Cyclic, Form, Lengths, Split, Step, toom4};

/// What [`multiply`](crate::multiply) takes for factors of so many coefficients.
#[must_use]
pub fn multiply(how: Multiplication, plain: usize, poly: usize) -> Operations {
    Recurrence::new(how, Form::Product).solve(Lengths::new(plain, poly))
}

/// What [`transposed_multiply`](crate::transposed_multiply) takes for so many plain coefficients and results.
#[must_use]
pub fn transposed_multiply(how: Multiplication, plain: usize, results: usize) -> Operations {
    Recurrence::new(how, Form::Transposed).solve(Lengths::new(plain, results))
}

/// The costs of all lengths that came up; there are few different ones.
pub(super) struct Recurrence {
    how: Multiplication,
    form: Form,
    known: HashMap<(Multiplication, Lengths), Operations>,
}

impl Recurrence {
    pub(super) fn new(how: Multiplication, form: Form) -> Self {
        Self { how, form, known: HashMap::new() }
    }

    pub(super) fn solve(&mut self, lengths: Lengths) -> Operations {
        if lengths.shorter() == 0 {
            Operations::default()
        } else {
            self.solve_by(self.how, lengths)
        }
    }

    fn solve_by(&mut self, how: Multiplication, lengths: Lengths) -> Operations {
        let how = how.resolve(lengths);
        if let Some(known) = self.known.get(&(how, lengths)) {
            return *known;
        }
        let operations = match how.step(lengths) {
            Step::Leaf => leaf(lengths, self.form),
            Step::Transform(cyclic) => transform(cyclic, self.form),
            Step::Split(split) => {
                let parts: Operations =
                    split.parts(lengths).into_iter().map(|part| self.solve_by(how, part)).sum();
                parts + around(split, lengths, self.form)
            }
        };
        self.known.insert((how, lengths), operations);
        operations
    }
}

/// Each by each; all rows but one, or all terms but the first of each result, are added.
fn leaf(lengths: Lengths, form: Form) -> Operations {
    let Lengths { plain, poly } = lengths;
    match form {
        Form::Product => Operations::new(lengths.pairs(), (plain - 1) * (poly - 1)),
        Form::Transposed => Operations::new(lengths.pairs(), (plain - 1) * poly),
    }
}

/// What a split adds to its parts.
fn around(split: Split, lengths: Lengths, form: Form) -> Operations {
    let Lengths { plain, poly } = lengths;
    match (split, form) {
        // Where the parts of the product overlap.
        (Split::Plain(_), Form::Product) => Operations::new(0, poly - 1),
        (Split::Poly(_), Form::Product) => Operations::new(0, plain - 1),
        (Split::Plain(_), Form::Transposed) => Operations::new(0, poly),
        (Split::Poly(_), Form::Transposed) => Operations::default(),
        (Split::Karatsuba(half), _) => karatsuba(lengths, form, half),
        (Split::Toom3(third), _) => toom3(lengths, form, third),
        (Split::Toom4(quarter), _) => toom4::around(lengths, form, quarter),
    }
}

fn karatsuba(lengths: Lengths, form: Form, half: usize) -> Operations {
    let middle = lengths.longer() - 1;
    let high = lengths.product() - 2 * half;
    let sums = lengths.poly - half;
    let subtractions = middle + high;
    let others = match form {
        // Where z_0 and the middle, and the middle and z_2, overlap.
        Form::Product => sums + (half - 1) + (middle - half),
        Form::Transposed => half + sums,
    };
    Operations::new(0, subtractions + others).subtracting(subtractions)
}

fn toom3(lengths: Lengths, form: Form, third: usize) -> Operations {
    // Coefficients of X_0 to X_3, of c_3, of X_4 and of b_2.
    let len = 2 * third - 1;
    let len_3 = lengths.longer() - third - 1;
    let len_4 = lengths.product() - 4 * third;
    let high = lengths.poly - 2 * third;
    let evaluation = Operations::new(0, 4 * third + 2 * high).subtracting(2 * third);
    let interpolation = Operations::new(0, 6 * len + 4 * len_3 + 3 * len_4)
        .subtracting(2 * len + 3 * len_3 + 2 * len_4);
    match form {
        // Where c_0 to c_4 overlap, and a term more of c_3.
        Form::Product => {
            let overlaps = 3 * (third - 1) + (len_3 - third);
            evaluation + interpolation + Operations::new(0, overlaps)
        }
        // b_0 and b_1 have two terms more than they have in the evaluation.
        Form::Transposed => evaluation + interpolation + Operations::new(0, 2 * third),
    }
}

/// Two transforms, each of log n steps that add and subtract n/2 elements; the product by values; what wraps around.
fn transform(cyclic: Cyclic, form: Form) -> Operations {
    let steps = cyclic.size() / 2 * cyclic.log_size as usize;
    let transforms = Operations::new(cyclic.scalings(), 4 * steps).subtracting(2 * steps);
    let Cyclic { wrapped, .. } = cyclic;
    let pairs = cyclic.wrapped_pairs();
    let additions = match form {
        Form::Product => pairs,
        Form::Transposed => pairs + wrapped,
    };
    transforms + Operations::new(0, additions).subtracting(wrapped)
}
