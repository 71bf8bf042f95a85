//! Toom's step for four parts: with x^t = y, a = a_0 + a_1·y + a_2·y^2 + a_3·y^3, and b likewise, the product
//! c_0 + c_1·y + … + c_6·y^6 is interpolated from its values at y = 0, 1, −1, 2, −2, 1/2 and ∞, that at 1/2 times 2^6.
//!
//! What interpolation divides the value at a point by is divided from the plain factor there, so that all other factors are
//! the small integers of two matrices. The transpose takes the matrices' transposes in the other order.
//!
//! t is a quarter of the longer factor's length, rounded up, and the shorter is longer than 3·t.

use super::matrix::{Matrix, combination, combine, turned};
use super::problem::{Form, Problem};
use super::split::Lengths;
use crate::coefficients::{Wiped, add_at, concatenate};
use crate::cost::Operations;
use crate::{Itself, Module, PolyError, Scalar};
use veilset_crypto::Field;

/// Parts of a factor.
const PARTS: usize = 4;

/// Points, and parts of the product.
const POINTS: usize = 2 * PARTS - 1;

/// A row for each point: what its value has of each part; half a power of 2 is raised to an integer.
const VALUES: Matrix<PARTS, POINTS> = [
    [1, 0, 0, 0],
    [1, 1, 1, 1],
    [1, -1, 1, -1],
    [1, 2, 4, 8],
    [1, -2, 4, -8],
    [8, 4, 2, 1],
    [0, 0, 0, 1],
];

/// A row for each part of the product: what it has of each point's value, divided by the point's divisor.
const PRODUCT: Matrix<POINTS, POINTS> = [
    [4, 0, 0, 0, 0, 0, 0],
    [-8, -4, -4, 2, 2, 4, -4],
    [-5, 4, 12, -3, -5, 0, 8],
    [10, 9, -7, -4, 0, -5, 5],
    [1, -1, -3, 3, 5, 0, -10],
    [-2, -2, 2, 2, -2, 1, -1],
    [0, 0, 0, 0, 0, 0, 2],
];

/// What the product at each point is divided by, 360 over these.
const DIVISOR: u64 = 360;
const FRACTIONS: [u64; POINTS] = [90, 60, 20, 5, 3, 4, 180];

/// What values of the plain factor are multiplied by.
pub(crate) struct Fractions<S>([S; POINTS]);

impl<S: Clone> Fractions<S> {
    pub(super) fn new<F: Field<Element = S>>(field: &F) -> Result<Self, PolyError> {
        let inverse = field.inverse(&field.element(DIVISOR));
        let inverse = inverse.ok_or(PolyError::Characteristic { divisor: DIVISOR })?;
        Ok(Self(FRACTIONS.map(|fraction| field.mul(&inverse, &field.element(fraction)))))
    }
}

/// The seven products, in the order of the points.
pub(super) fn split<'p, M: Module>(
    module: &M,
    fractions: &Fractions<Scalar<M>>,
    problem: &'p Problem<'_, M>,
    quarter: usize,
) -> Vec<Problem<'p, M>> {
    let (itself, lengths) = (Itself(module.field()), problem.lengths);
    let parts = parts(&problem.plain, quarter, factor_parts(lengths.plain, quarter));
    let mut plain = combine(&itself, &VALUES, &parts, factor_values(lengths.plain, quarter));
    for (value, fraction) in plain.iter_mut().zip(&fractions.0) {
        itself.scale(&vec![fraction.clone(); value.len()], value);
    }
    let plain = plain.into_iter();
    match problem.form {
        Form::Product => {
            let parts = self::parts(&problem.poly, quarter, factor_parts(lengths.poly, quarter));
            let poly = combine(module, &VALUES, &parts, factor_values(lengths.poly, quarter));
            plain.zip(poly).map(|(a, b)| Problem::product(a, b)).collect()
        }
        Form::Transposed => {
            let parts = self::parts(&problem.poly, quarter, product_parts(lengths, quarter));
            let to = combine(module, &turned(&PRODUCT), &parts, product_values(lengths, quarter));
            plain.zip(to).map(|(a, c)| Problem::transposed(a, c)).collect()
        }
    }
}

/// The product from those at the points, or the transpose of the values of b.
pub(super) fn join<M: Module>(
    module: &M,
    form: Form,
    lengths: Lengths,
    solved: &[Wiped<M::Element>],
    quarter: usize,
) -> Wiped<M::Element> {
    let solved: Vec<_> = solved.iter().map(|product| &product[..]).collect();
    match form {
        Form::Product => {
            let mut product = Wiped::new(Vec::with_capacity(lengths.product()));
            let parts = combine(module, &PRODUCT, &solved, product_parts(lengths, quarter));
            for (index, part) in parts.iter().enumerate() {
                add_at(module, &mut product, index * quarter, part);
            }
            product
        }
        Form::Transposed => {
            let lens = factor_parts(lengths.poly, quarter);
            Wiped::new(concatenate(&combine(module, &turned(&VALUES), &solved, lens)))
        }
    }
}

/// What a step adds to its parts.
pub(crate) fn around(lengths: Lengths, form: Form, quarter: usize) -> Operations {
    let (parts, values) =
        (factor_parts(lengths.poly, quarter), factor_values(lengths.poly, quarter));
    let (of_product, at_points) =
        (product_parts(lengths, quarter), product_values(lengths, quarter));
    match form {
        Form::Product => {
            let overlaps = of_product.iter().sum::<usize>() - lengths.product();
            combination(&VALUES, parts, values)
                + combination(&PRODUCT, at_points, of_product)
                + Operations::new(0, overlaps)
        }
        Form::Transposed => {
            combination(&turned(&PRODUCT), of_product, at_points)
                + combination(&turned(&VALUES), values, parts)
        }
    }
}

/// The lengths of a factor's parts.
fn factor_parts(len: usize, quarter: usize) -> [usize; PARTS] {
    ending(quarter, len - (PARTS - 1) * quarter)
}

/// Those of its values at the points.
fn factor_values(len: usize, quarter: usize) -> [usize; POINTS] {
    ending(quarter, len - (PARTS - 1) * quarter)
}

/// Those of the product's parts, of which the last but one lacks what a_3 or b_3 lacks.
fn product_parts(lengths: Lengths, quarter: usize) -> [usize; POINTS] {
    let mut lens = product_values(lengths, quarter);
    lens[POINTS - 2] = lengths.longer() - 2 * quarter - 1;
    lens
}

/// Those of the products at the points.
fn product_values(lengths: Lengths, quarter: usize) -> [usize; POINTS] {
    ending(2 * quarter - 1, lengths.product() - (POINTS - 1) * quarter)
}

/// The same for all but the last.
fn ending<const COUNT: usize>(len: usize, last: usize) -> [usize; COUNT] {
    let mut lens = [len; COUNT];
    lens[COUNT - 1] = last;
    lens
}

/// As many coefficients from each multiple of a quarter on.
fn parts<const COUNT: usize, E>(poly: &[E], quarter: usize, lens: [usize; COUNT]) -> Vec<&[E]> {
    lens.iter().enumerate().map(|(index, len)| &poly[index * quarter..][..*len]).collect()
}
