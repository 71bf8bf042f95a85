//! One lane of plain integers, 64 by 64 bits to 128.
//!
//! # Bounds
//!
//! Products have limbs below 2^51 + 2^14, sums of three below 2^52.6. A difference of such sums has 4p added: it is
//! positive and below 2^53.82. So has a difference of two elements, which is below 2^54.47 even if the first is such a
//! difference. A multiplication takes both sizes at once, for a column has five products, some 19 times: below
//! 5·19·2^108.29 < 2^115.

use super::field::{Field, Limbs, MASK, P, Rows, Subroutine, column, each_limb, rows};
use crate::vector::V1;

/// Needs no instructions beyond the plain ones.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Field for Scalar {
    const LANES: usize = 1;
    type Element = Limbs;
    type Wide = Limbs;
    /// All bits, or none.
    type Mask = u64;
    type Words = V1;

    #[inline(always)]
    fn load(self, rows: &Rows) -> Limbs {
        reduce(column(rows, 0).map(u128::from))
    }

    #[inline(always)]
    fn store(self, element: Limbs) -> Rows {
        rows(&[reduce(element.map(u128::from))], |limbs| *limbs)
    }

    #[inline(always)]
    fn splat(self, number: u64) -> Limbs {
        [number, 0, 0, 0, 0]
    }

    #[inline(always)]
    fn multiply<const N: usize>(self, a: [Limbs; N], b: [Limbs; N]) -> [Limbs; N] {
        let mut products = a;
        for n in 0..N {
            products[n] = multiply(a[n], b[n]);
        }
        products
    }

    #[inline(always)]
    fn square<const N: usize>(self, a: [Limbs; N]) -> [Limbs; N] {
        let mut squares = a;
        for n in 0..N {
            squares[n] = square(a[n]);
        }
        squares
    }

    #[inline(always)]
    fn multiply_add(self, a: Limbs, b: Limbs, number: u64) -> Limbs {
        reduce(each_limb!(k => wide(b[k], number) + u128::from(a[k])))
    }

    #[inline(always)]
    fn widen(self, element: Limbs) -> Limbs {
        reduce(element.map(u128::from))
    }

    #[inline(always)]
    fn wide_add(self, a: Limbs, b: Limbs) -> Limbs {
        each_limb!(k => a[k] + b[k])
    }

    #[inline(always)]
    fn wide_subtract(self, a: Limbs, b: Limbs) -> Limbs {
        each_limb!(k => a[k] + 4 * P[k] - b[k])
    }

    #[inline(always)]
    fn carry(self, wide: Limbs) -> Limbs {
        wide
    }

    #[inline(always)]
    fn add(self, a: Limbs, b: Limbs) -> Limbs {
        self.wide_add(a, b)
    }

    #[inline(always)]
    fn subtract(self, a: Limbs, b: Limbs) -> Limbs {
        each_limb!(k => a[k] + 4 * P[k] - b[k])
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> u64 {
        u64::from(lanes & 1).wrapping_neg()
    }

    #[inline(always)]
    fn select(self, mask: u64, yes: Limbs, no: Limbs) -> Limbs {
        each_limb!(k => no[k] ^ (mask & (yes[k] ^ no[k])))
    }

    #[inline(always)]
    fn words(self) -> V1 {
        V1
    }

    #[inline(always)]
    fn to_words(self, element: Limbs) -> Limbs {
        element
    }

    #[inline(always)]
    fn of_words(self, words: Limbs) -> Limbs {
        words
    }

    #[inline(never)]
    fn apart<P: Subroutine<Self>>(self, subroutine: P) -> P::Output {
        subroutine.run(self)
    }
}

#[inline(always)]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[inline(always)]
fn reduce(mut c: [u128; 5]) -> Limbs {
    c[1] += u128::from((c[0] >> 51) as u64);
    c[2] += u128::from((c[1] >> 51) as u64);
    c[3] += u128::from((c[2] >> 51) as u64);
    c[4] += u128::from((c[3] >> 51) as u64);
    let l0 = (c[0] as u64 & MASK) + 19 * (c[4] >> 51) as u64;
    [
        l0 & MASK,
        (c[1] as u64 & MASK) + (l0 >> 51),
        c[2] as u64 & MASK,
        c[3] as u64 & MASK,
        c[4] as u64 & MASK,
    ]
}

#[inline(always)]
fn multiply(a: Limbs, b: Limbs) -> Limbs {
    let n = each_limb!(k => 19 * b[k]);
    reduce([
        wide(a[0], b[0])
            + wide(a[1], n[4])
            + wide(a[2], n[3])
            + wide(a[3], n[2])
            + wide(a[4], n[1]),
        wide(a[0], b[1])
            + wide(a[1], b[0])
            + wide(a[2], n[4])
            + wide(a[3], n[3])
            + wide(a[4], n[2]),
        wide(a[0], b[2])
            + wide(a[1], b[1])
            + wide(a[2], b[0])
            + wide(a[3], n[4])
            + wide(a[4], n[3]),
        wide(a[0], b[3])
            + wide(a[1], b[2])
            + wide(a[2], b[1])
            + wide(a[3], b[0])
            + wide(a[4], n[4]),
        wide(a[0], b[4])
            + wide(a[1], b[3])
            + wide(a[2], b[2])
            + wide(a[3], b[1])
            + wide(a[4], b[0]),
    ])
}

#[inline(always)]
fn square(a: Limbs) -> Limbs {
    let [d0, d1, d2] = [2 * a[0], 2 * a[1], 2 * a[2]];
    let (n3, n4) = (19 * a[3], 19 * a[4]);
    reduce([
        wide(a[0], a[0]) + wide(d1, n4) + wide(d2, n3),
        wide(d0, a[1]) + wide(d2, n4) + wide(a[3], n3),
        wide(d0, a[2]) + wide(a[1], a[1]) + wide(2 * a[3], n4),
        wide(d0, a[3]) + wide(d1, a[2]) + wide(a[4], n4),
        wide(d0, a[4]) + wide(d1, a[3]) + wide(a[2], a[2]),
    ])
}
