//! Which of the polynomial algorithms is cheapest. Lengths alone decide, which both sides know.

use veilset_poly::{Evaluation, Multiplication, cost};

/// A scalar multiplication, the unit of all work, in hundredths.
pub(super) const SCALING: u64 = 100;

/// A term of a sum of products, in hundredths of a scalar multiplication.
pub(super) const SUM_TERM: u64 = 36;

/// An encryption, three multiplications of fixed elements, in hundredths of a scalar multiplication.
pub(super) const ENCRYPTION: u64 = 60;

/// Points that share a leaf of the tree in an evaluation, where sums of products take over.
const LEAF: usize = 8;

/// For factors of so many coefficients.
pub(super) fn multiplication(plain: usize, poly: usize) -> Multiplication {
    let karatsuba = Multiplication::Karatsuba { cutoff: 1 };
    let toom = Multiplication::Toom3 { cutoff: 1 };
    let scalings = |how| cost::multiply(how, plain, poly).scalings;
    if scalings(toom) <= scalings(karatsuba) { toom } else { karatsuba }
}

/// For a polynomial of `len` coefficients at so many points; `None` where sums of products are best.
pub(super) fn evaluation(len: usize, points: usize) -> Option<Evaluation> {
    let multiplication = multiplication(points.max(1), len);
    let how = Evaluation::Transposed { leaf: LEAF, multiplication };
    let sums = points as u64 * len as u64 * SUM_TERM;
    (SCALING * cost::evaluate(how, len, points).scalings < sums).then_some(how)
}
