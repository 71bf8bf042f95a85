//! Which of the polynomial algorithms is cheapest. Lengths alone decide, which both sides know.

use veilset_crypto::Field;
use veilset_poly::{Evaluation, Multiplication, cost};

/// A scalar multiplication, the unit of all work, in hundredths.
pub(super) const SCALING: u64 = 100;

/// A term of a sum of products, in hundredths of a scalar multiplication.
pub(super) const SUM_TERM: u64 = 36;

/// An encryption, three multiplications of fixed elements, in hundredths of a scalar multiplication.
pub(super) const ENCRYPTION: u64 = 60;

/// Points that share a leaf of the tree in an evaluation, where sums of products take over.
const LEAF: usize = 8;

/// For factors of so many coefficients in the exponents of a group whose exponents are this field.
pub(super) fn multiplication(field: &impl Field, plain: usize, poly: usize) -> Multiplication {
    let scalings = |how| cost::multiply(how, plain, poly).scalings;
    let karatsuba = Multiplication::Karatsuba { cutoff: 1 };
    let toom = Multiplication::Toom3 { cutoff: 1 };
    let split = if scalings(toom) <= scalings(karatsuba) { toom } else { karatsuba };
    let transforms = Multiplication::Ntt { cutoff: 1 };
    let product = (plain + poly).saturating_sub(1);
    let log_size = product.max(1).next_power_of_two().ilog2();
    let exists = field.root_of_unity(log_size).is_some();
    if exists && scalings(transforms) < scalings(split) { transforms } else { split }
}

/// For a polynomial of `len` coefficients at so many points; `None` where sums of products are best.
pub(super) fn evaluation(field: &impl Field, len: usize, points: usize) -> Option<Evaluation> {
    let multiplication = multiplication(field, points.max(1), len);
    let how = Evaluation::Transposed { leaf: LEAF, multiplication };
    let sums = points as u64 * len as u64 * SUM_TERM;
    (SCALING * cost::evaluate(how, len, points).scalings < sums).then_some(how)
}
