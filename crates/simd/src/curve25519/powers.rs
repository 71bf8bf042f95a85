//! Inverses, and products side by side.

use super::field::{Field, Subroutine};

/// Replaces each of `values`, none of them 0 in any lane, by its inverse with one inversion a lane (Montgomery's
/// trick); `scratch` is as long.
#[inline(always)]
pub(super) fn invert_all<F: Field>(f: F, values: &mut [F::Element], scratch: &mut [F::Element]) {
    let product = running_products(f, values, scratch);
    invert_with(f, product, values, scratch);
}

/// Puts the product of all values before each into `before`, and returns that of all.
#[inline(always)]
pub(super) fn running_products<F: Field>(
    f: F,
    values: &[F::Element],
    before: &mut [F::Element],
) -> F::Element {
    let mut product = f.splat(1);
    for (value, before) in values.iter().zip(before) {
        *before = product;
        product = multiply(f, product, *value);
    }
    product
}

/// The second half of [`invert_all`], after [`running_products`] with its results.
#[inline(always)]
pub(super) fn invert_with<F: Field>(
    f: F,
    product: F::Element,
    values: &mut [F::Element],
    before: &[F::Element],
) {
    let mut inverse = invert(f, product);
    for (value, before) in values.iter_mut().zip(before).rev() {
        let next = multiply(f, inverse, *value);
        *value = multiply(f, inverse, *before);
        inverse = next;
    }
}

#[inline(always)]
pub(super) fn multiply<F: Field>(f: F, a: F::Element, b: F::Element) -> F::Element {
    let [product] = products(f, [a], [b]);
    product
}

/// x^(p − 2)
#[inline(always)]
fn invert<F: Field>(f: F, x: F::Element) -> F::Element {
    // p − 2 = (2^250 − 1)·2^5 + 11, and 11 = 2·(2^2 + 1) + 1.
    let head = squares(f, power_2_250_1(f, [x]), 5);
    let five = products_apart(f, squares(f, [x], 2), [x]);
    let eleven = products_apart(f, squares(f, five, 1), [x]);
    let [inverse] = products_apart(f, head, eleven);
    inverse
}

/// Each x^((p − 5)/8)
#[inline(always)]
pub(super) fn powers_p58<F: Field, const N: usize>(f: F, x: [F::Element; N]) -> [F::Element; N] {
    // (p − 5)/8 = (2^250 − 1)·2^2 + 1.
    products_apart(f, squares(f, power_2_250_1(f, x), 2), x)
}

/// The way to x^(2^250 − 1) from x, a power of x with an exponent of ones at each step: by how many ones the exponent
/// grows, and the step that had as many before, x itself being the first.
const STEPS: [(u32, usize); 10] =
    [(1, 0), (2, 1), (1, 0), (5, 3), (10, 4), (20, 5), (10, 4), (50, 7), (100, 8), (50, 7)];

/// Each x^(2^250 − 1)
#[inline(always)]
fn power_2_250_1<F: Field, const N: usize>(f: F, x: [F::Element; N]) -> [F::Element; N] {
    let mut before = [x; STEPS.len() + 1];
    for (index, (ones, step)) in STEPS.into_iter().enumerate() {
        before[index + 1] = products_apart(f, squares(f, before[index], ones), before[step]);
    }
    before[STEPS.len()]
}

/// Each x, squared `times` times.
#[inline(always)]
pub(super) fn squares<F: Field, const N: usize>(
    f: F,
    x: [F::Element; N],
    times: u32,
) -> [F::Element; N] {
    f.apart(Squares::<F, N> { x, times })
}

/// Each x·y, several side by side, for each alone waits on its own carries.
#[inline(always)]
pub(super) fn products<F: Field, const N: usize>(
    f: F,
    mut x: [F::Element; N],
    y: [F::Element; N],
) -> [F::Element; N] {
    let products = f.multiply(x, y);
    for n in 0..N {
        x[n] = f.carry(products[n]);
    }
    x
}

/// [`products`] with [`Field::apart`], for work that has many of them.
#[inline(always)]
pub(super) fn products_apart<F: Field, const N: usize>(
    f: F,
    x: [F::Element; N],
    y: [F::Element; N],
) -> [F::Element; N] {
    f.apart(Products::<F, N> { x: &x, y: &y })
}

struct Squares<F: Field, const N: usize> {
    x: [F::Element; N],
    times: u32,
}

impl<F: Field, const N: usize> Subroutine<F> for Squares<F, N> {
    type Output = [F::Element; N];

    #[inline(always)]
    fn run(mut self, f: F) -> [F::Element; N] {
        for _ in 0..self.times {
            let squares = f.square(self.x);
            for (x, square) in self.x.iter_mut().zip(squares) {
                *x = f.carry(square);
            }
        }
        self.x
    }
}

// By reference, for what is passed by value is copied.
struct Products<'a, F: Field, const N: usize> {
    x: &'a [F::Element; N],
    y: &'a [F::Element; N],
}

impl<F: Field, const N: usize> Subroutine<F> for Products<'_, F, N> {
    type Output = [F::Element; N];

    #[inline(always)]
    fn run(self, f: F) -> [F::Element; N] {
        products(f, *self.x, *self.y)
    }
}
