//! Work on several field elements at once, for any field.

/// What the fields of both curves offer here, in constant time.
pub(crate) trait Field: Copy {
    const ONE: Self;

    fn mul(self, other: Self) -> Self;

    fn square(self) -> Self;

    /// The inverse; 0 for 0.
    fn invert(self) -> Self;
}

/// Each squared `times` times.
///
/// Several chains run side by side, for each alone waits on its own carries.
pub(crate) fn squares<F: Field, const N: usize>(mut x: [F; N], times: u32) -> [F; N] {
    for _ in 0..times {
        for lane in &mut x {
            *lane = lane.square();
        }
    }
    x
}

pub(crate) fn products<F: Field, const N: usize>(mut x: [F; N], y: [F; N]) -> [F; N] {
    for (left, right) in x.iter_mut().zip(y) {
        *left = left.mul(right);
    }
    x
}

/// Each to the power whose bits are those of `x`'s exponent followed by those of `y`'s, which are `length`.
pub(crate) fn append<F: Field, const N: usize>(x: [F; N], length: u32, y: [F; N]) -> [F; N] {
    products(squares(x, length), y)
}

/// Replaces each of `values`, none of them 0, by its inverse, with one inversion (Montgomery's trick); `scratch` is
/// as long.
pub(crate) fn invert_all<F: Field>(values: &mut [F], scratch: &mut [F]) {
    let mut product = F::ONE;
    for (value, before) in values.iter().zip(scratch.iter_mut()) {
        *before = product;
        product = product.mul(*value);
    }
    let mut inverse = product.invert();
    for (value, before) in values.iter_mut().zip(scratch).rev() {
        let next = inverse.mul(*value);
        *value = inverse.mul(*before);
        inverse = next;
    }
}
