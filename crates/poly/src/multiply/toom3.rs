//! Toom's step for three parts: with x^t = y, a = a_0 + a_1·y + a_2·y^2, and b likewise, the product
//! c_0 + c_1·y + c_2·y^2 + c_3·y^3 + c_4·y^4 is interpolated from its values at y = 0, 1, −1, 2 and ∞.
//!
//! The products here are X_0 = a(0)/2·b(0), X_1 = a(1)/2·b(1), X_2 = a(−1)/6·b(−1), X_3 = a(2)/6·b(2), X_4 = a_2·b_2: what
//! interpolation divides by is divided from the plain factor, and what remains are additions and doublings:
//!
//! c_0 = 2·X_0, c_4 = X_4, c_2 = X_1 + 3·X_2 − c_0 − X_4, c_3 = X_3 + X_0 − X_1 − X_2 − 2·X_4, c_1 = X_1 − 3·X_2 − c_3.
//!
//! t is a third of the longer factor's length, rounded up, and the shorter is longer than 2·t.

use super::problem::{Form, Problem};
use super::solver::Solver;
use super::split::Lengths;
use crate::coefficients::{Wiped, add_at, padded, sum};
use crate::{Itself, Module, PolyError};
use veilset_crypto::Field;

/// What values of the plain factor are multiplied by.
pub(crate) struct Fractions<S> {
    half: S,
    sixth: S,
}

impl<S: Clone> Fractions<S> {
    pub(super) fn new<F: Field<Element = S>>(field: &F) -> Result<Self, PolyError> {
        let fraction = |divisor| {
            let inverse = field.inverse(&field.element(divisor));
            inverse.ok_or(PolyError::Characteristic { divisor })
        };
        Ok(Self { half: fraction(2)?, sixth: fraction(6)? })
    }
}

/// The five products, in the order X_0 to X_4.
pub(super) fn split<'p, M: Module>(
    solver: &Solver<'_, M>,
    problem: &'p Problem<'_, M>,
    third: usize,
) -> Vec<Problem<'p, M>> {
    let module = solver.module;
    let plain = plain_values(&Itself(module.field()), &solver.fractions, &problem.plain, third);
    match problem.form {
        Form::Product => {
            let poly = values(module, &problem.poly, third);
            plain.into_iter().zip(poly).map(|(a, b)| Problem::product(a, b)).collect()
        }
        Form::Transposed => {
            let poly = distribute(module, &problem.poly, problem.lengths, third);
            plain.into_iter().zip(poly).map(|(a, c)| Problem::transposed(a, c)).collect()
        }
    }
}

/// The product from X_0 to X_4, or the transpose of [`values`] of b.
pub(super) fn join<M: Module>(
    module: &M,
    form: Form,
    lengths: Lengths,
    parts: &mut [Wiped<M::Element>],
    third: usize,
) -> Wiped<M::Element> {
    let [x_0, x_1, x_2, x_3, x_4] = parts else {
        unreachable!("Toom's step has five products");
    };
    match form {
        Form::Product => {
            let [c_0, c_1, c_2, c_3] =
                interpolate(module, [x_0, x_1, x_2, x_3, x_4], lengths, third);
            let mut product = Wiped::new(Vec::with_capacity(lengths.product()));
            for (index, c) in [&c_0, &c_1, &c_2, &c_3, x_4].into_iter().enumerate() {
                add_at(module, &mut product, index * third, c);
            }
            product
        }
        Form::Transposed => combine(module, [x_0, x_1, x_2, x_3, x_4], lengths),
    }
}

/// b(0), b(1), b(−1), b(2) and b_2.
fn values<M: Module>(module: &M, b: &[M::Element], third: usize) -> [Wiped<M::Element>; 5] {
    let (b_0, rest) = b.split_at(third);
    let (b_1, b_2) = rest.split_at(third);
    let outer = sum(module, b_0, b_2);
    let at_1 = sum(module, &outer, b_1);
    let mut at_minus_1 = outer;
    module.sub(&mut at_minus_1, b_1);
    // b(2) = 2·(b(1) + b_2) − b_0.
    let mut at_2 = sum(module, &at_1, b_2);
    module.double(&mut at_2);
    module.sub(&mut at_2, b_0);
    let [at_0, at_infinity] = [b_0, b_2].map(|part| Wiped::new(part.to_vec()));
    [at_0, at_1, at_minus_1, at_2, at_infinity]
}

/// The same of the plain factor, with the divisions.
fn plain_values<F: Field>(
    plain: &Itself<'_, F>,
    fractions: &Fractions<F::Element>,
    a: &[F::Element],
    third: usize,
) -> [Wiped<F::Element>; 5] {
    let mut values = values(plain, a, third);
    let Fractions { half, sixth } = fractions;
    for (value, fraction) in values.iter_mut().zip([half, half, sixth, sixth]) {
        plain.scale(&vec![fraction.clone(); value.len()], value);
    }
    values
}

/// c_0 to c_3; c_4 is X_4.
fn interpolate<M: Module>(
    module: &M,
    products: [&Wiped<M::Element>; 5],
    lengths: Lengths,
    third: usize,
) -> [Wiped<M::Element>; 4] {
    let [x_0, x_1, x_2, x_3, x_4] = products;
    let mut c_0 = x_0.clone();
    module.double(&mut c_0);
    let x_2_thrice = thrice(module, x_2);
    let mut c_2 = sum(module, x_1, &x_2_thrice);
    module.sub(&mut c_2, &c_0);
    module.sub(&mut c_2[..x_4.len()], x_4);
    let mut x_4_twice = x_4.clone();
    module.double(&mut x_4_twice);
    let len = len_3(lengths, third);
    let mut c_3 = sum(module, &x_3[..len], &x_0[..len]);
    module.sub(&mut c_3, &x_1[..len]);
    module.sub(&mut c_3, &x_2[..len]);
    module.sub(&mut c_3[..x_4.len()], &x_4_twice);
    let mut c_1 = x_1.clone();
    module.sub(&mut c_1, &x_2_thrice);
    module.sub(&mut c_1[..len], &c_3);
    [c_0, c_1, c_2, c_3]
}

/// The transpose of [`interpolate`] and the sum of c_i·y^i: what goes into X_0 to X_4.
fn distribute<M: Module>(
    module: &M,
    poly: &[M::Element],
    lengths: Lengths,
    third: usize,
) -> [Wiped<M::Element>; 5] {
    let len = 2 * third - 1;
    let part = |index: usize| &poly[index * third..index * third + len];
    let [part_0, part_1, part_2] = [0, 1, 2].map(part);
    let part_3 = &poly[3 * third..3 * third + len_3(lengths, third)];
    let part_4 = &poly[4 * third..];
    let to_3 = difference(module, part_3, part_1);
    let mut to_0 = difference(module, part_0, part_2);
    module.double(&mut to_0);
    module.add(&mut to_0[..to_3.len()], &to_3);
    let mut to_1 = sum(module, part_1, part_2);
    module.sub(&mut to_1[..to_3.len()], &to_3);
    let mut to_2 = thrice(module, &difference(module, part_2, part_1));
    module.sub(&mut to_2[..to_3.len()], &to_3);
    let mut to_4 = difference(module, part_4, part_2);
    let mut to_3_twice = Wiped::new(to_3[..to_4.len()].to_vec());
    module.double(&mut to_3_twice);
    module.sub(&mut to_4, &to_3_twice);
    [to_0, to_1, to_2, padded(module, &to_3, len), to_4]
}

/// The transpose of [`values`]: b_0, b_1 and b_2, one after the other.
fn combine<M: Module>(
    module: &M,
    products: [&Wiped<M::Element>; 5],
    lengths: Lengths,
) -> Wiped<M::Element> {
    let [x_0, x_1, x_2, x_3, x_4] = products;
    let mut x_3_twice = x_3.clone();
    module.double(&mut x_3_twice);
    let from_1 = sum(module, x_1, &x_3_twice);
    let outer = sum(module, &from_1, x_2);
    let mut b = Wiped::new(Vec::with_capacity(lengths.poly));
    b.extend_from_slice(x_0);
    module.add(&mut b, &outer);
    module.sub(&mut b, x_3);
    b.extend_from_slice(&difference(module, &from_1, x_2));
    let mut b_2 = sum(module, x_4, &outer[..x_4.len()]);
    module.add(&mut b_2, &x_3_twice[..x_4.len()]);
    b.extend_from_slice(&b_2);
    b
}

/// The coefficients of a_1·b_2 + a_2·b_1, which may be fewer than those of X_3.
fn len_3(lengths: Lengths, third: usize) -> usize {
    lengths.longer() - third - 1
}

fn thrice<M: Module>(module: &M, poly: &[M::Element]) -> Wiped<M::Element> {
    let mut thrice = Wiped::new(poly.to_vec());
    module.double(&mut thrice);
    module.add(&mut thrice, poly);
    thrice
}

/// poly − other, as long as the former.
fn difference<M: Module>(
    module: &M,
    poly: &[M::Element],
    other: &[M::Element],
) -> Wiped<M::Element> {
    let mut difference = Wiped::new(poly.to_vec());
    module.sub(&mut difference, &other[..poly.len()]);
    difference
}
