//! Karatsuba's step: with a = a_0 + x^h·a_1 and b = b_0 + x^h·b_1,
//! a·b = z_0 + x^h·(z_1 − z_0 − z_2) + x^(2h)·z_2 where z_0 = a_0·b_0, z_1 = (a_0 + a_1)·(b_0 + b_1), z_2 = a_1·b_1.
//!
//! Equation (1) of Kim and Kim. h is half of the longer factor's length, rounded up, and the shorter is longer than h.

use super::problem::{Form, Problem};
use super::split::Lengths;
use crate::coefficients::{Wiped, add_at, padded, sum};
use crate::{Itself, Module};

/// The three products, in the order z_0, z_1, z_2.
pub(super) fn split<'p, M: Module>(
    module: &M,
    problem: &'p Problem<'_, M>,
    half: usize,
) -> Vec<Problem<'p, M>> {
    let (low, high) = problem.plain.split_at(half);
    let both = sum(&Itself(module.field()), low, high);
    match problem.form {
        Form::Product => {
            let (b_0, b_1) = problem.poly.split_at(half);
            vec![
                Problem::product(low, b_0),
                Problem::product(both, sum(module, b_0, b_1)),
                Problem::product(high, b_1),
            ]
        }
        Form::Transposed => {
            let [to_0, to_1, to_2] = distribute(module, &problem.poly, problem.lengths, half);
            vec![
                Problem::transposed(low, to_0),
                Problem::transposed(both, to_1),
                Problem::transposed(high, to_2),
            ]
        }
    }
}

/// The product from z_0, z_1 and z_2, or the transpose of [`split`]'s sums of b_0 and b_1.
pub(super) fn join<M: Module>(
    module: &M,
    form: Form,
    lengths: Lengths,
    parts: &mut [Wiped<M::Element>],
    half: usize,
) -> Wiped<M::Element> {
    let [z_0, z_1, z_2] = parts else {
        unreachable!("Karatsuba's step has three products");
    };
    match form {
        Form::Product => {
            let middle = &mut z_1[..middle_len(lengths)];
            module.sub(middle, &z_0[..middle.len()]);
            module.sub(&mut middle[..z_2.len()], z_2);
            let mut product = Wiped::new(Vec::with_capacity(lengths.product()));
            product.extend_from_slice(z_0);
            add_at(module, &mut product, half, middle);
            add_at(module, &mut product, 2 * half, z_2);
            product
        }
        Form::Transposed => {
            let mut product = Wiped::new(Vec::with_capacity(lengths.poly));
            product.extend_from_slice(z_1);
            module.add(&mut product, z_0);
            let high = z_2.len();
            module.add(z_2, &z_1[..high]);
            product.extend_from_slice(z_2);
            product
        }
    }
}

/// The transpose of [`join`]: what goes into z_0, z_1 and z_2.
fn distribute<M: Module>(
    module: &M,
    poly: &[M::Element],
    lengths: Lengths,
    half: usize,
) -> [Wiped<M::Element>; 3] {
    let low = 2 * half - 1;
    let middle = &poly[half..half + middle_len(lengths)];
    let mut to_0 = Wiped::new(poly[..low].to_vec());
    module.sub(&mut to_0[..middle.len()], middle);
    let mut to_2 = Wiped::new(poly[2 * half..].to_vec());
    let high = to_2.len();
    module.sub(&mut to_2, &middle[..high]);
    [to_0, padded(module, middle, low), to_2]
}

/// The coefficients of a_0·b_1 + a_1·b_0, which may be one fewer than z_1 has.
fn middle_len(lengths: Lengths) -> usize {
    lengths.longer() - 1
}
