//! Inverses, and products side by side.

use super::field::Field;

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
    let [product] = f.multiply([a], [b]);
    f.carry(product)
}

/// x^(p − 2)
#[inline(always)]
fn invert<F: Field>(f: F, x: F::Element) -> F::Element {
    // p − 2 = (2^250 − 1)·2^5 + 11.
    let head = squares(f, power_2_250_1(f, x), 5);
    let five = append(f, x, 2, x);
    let eleven = append(f, five, 1, x);
    multiply(f, head, eleven)
}

/// x^(2^250 − 1)
#[inline(always)]
fn power_2_250_1<F: Field>(f: F, x: F::Element) -> F::Element {
    let ones_2 = append(f, x, 1, x);
    let ones_4 = append(f, ones_2, 2, ones_2);
    let ones_5 = append(f, ones_4, 1, x);
    let ones_10 = append(f, ones_5, 5, ones_5);
    let ones_20 = append(f, ones_10, 10, ones_10);
    let ones_40 = append(f, ones_20, 20, ones_20);
    let ones_50 = append(f, ones_40, 10, ones_10);
    let ones_100 = append(f, ones_50, 50, ones_50);
    let ones_200 = append(f, ones_100, 100, ones_100);
    append(f, ones_200, 50, ones_50)
}

/// To the power whose bits are those of `x`'s exponent followed by those of `y`'s, which are `length`.
#[inline(always)]
fn append<F: Field>(f: F, x: F::Element, length: u32, y: F::Element) -> F::Element {
    multiply(f, squares(f, x, length), y)
}

/// x, squared `times` times.
#[inline(always)]
fn squares<F: Field>(f: F, mut x: F::Element, times: u32) -> F::Element {
    for _ in 0..times {
        let [square] = f.square([x]);
        x = f.carry(square);
    }
    x
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
