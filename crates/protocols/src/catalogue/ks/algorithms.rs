//! Which of the polynomial algorithms is cheapest, or what a run is told to take. Lengths alone decide, which both sides know.

use veilset_crypto::{Field, PrimeGroup};
use veilset_poly::{Evaluation, Multiplication, cost};

/// A scalar multiplication, the unit of all work, in hundredths.
pub(super) const SCALING: u64 = 100;

/// A term of a sum of products, in hundredths of a scalar multiplication.
pub(super) const SUM_TERM: u64 = 36;

/// An encryption, three multiplications of fixed elements, in hundredths of a scalar multiplication.
pub(super) const ENCRYPTION: u64 = 60;

/// Points that share a leaf of the tree in an evaluation, where sums of products take over.
const LEAF: usize = 8;

/// How a run multiplies encrypted polynomials by plain ones, and divides in evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// What takes least.
    Fastest,
    /// Each coefficient by each, and each at each point.
    Schoolbook,
    /// Three products of halves.
    Karatsuba,
    /// Five products of thirds.
    Toom3,
    /// Seven products of quarters.
    Toom4,
    /// Number-theoretic transforms, for which the group's exponents need roots of unity.
    Transforms,
}

/// Coefficients that are multiplied each by each where a group prefers sums of rows: powers of two halved or quartered, or thirds,
/// fill the lanes of rows, and so many terms share squarings.
const ROW_HALVES: usize = 16;
const ROW_THIRDS: usize = 32;

/// Points of which sums of products are best there, and that share a leaf of the tree; measured with 1024 bits.
const ROW_POINTS: usize = 128;

/// Points that share a leaf where nodes take products of quarters.
const ROW_POINTS_QUARTERED: usize = 64;

impl Algorithm {
    /// For factors of so many coefficients in the exponents of a group.
    pub(super) fn multiplication(
        self,
        group: &impl PrimeGroup,
        plain: usize,
        poly: usize,
    ) -> Multiplication {
        let rows = group.least_row().is_some();
        let cutoff = |with_rows| if rows { with_rows } else { 1 };
        match self {
            Self::Fastest if !rows => multiplication(group.field(), plain, poly),
            Self::Schoolbook => Multiplication::Schoolbook,
            Self::Karatsuba => Multiplication::Karatsuba { cutoff: cutoff(ROW_HALVES) },
            Self::Toom3 => Multiplication::Toom3 { cutoff: cutoff(ROW_THIRDS) },
            Self::Fastest | Self::Toom4 => Multiplication::Toom4 { cutoff: cutoff(ROW_HALVES) },
            Self::Transforms => Multiplication::Ntt { cutoff: cutoff(ROW_THIRDS) },
        }
    }

    /// For a polynomial of `len` coefficients at so many points; `None` where sums of products are best.
    pub(super) fn evaluation(
        self,
        group: &impl PrimeGroup,
        len: usize,
        points: usize,
    ) -> Option<Evaluation> {
        let rows = group.least_row().is_some();
        let multiplication = self.multiplication(group, points.max(1), len);
        let leaf = match multiplication {
            _ if !rows => LEAF,
            Multiplication::Toom4 { .. } => ROW_POINTS_QUARTERED,
            _ => ROW_POINTS,
        };
        match self {
            Self::Fastest if !rows => evaluation(group.field(), len, points),
            Self::Schoolbook => Some(Evaluation::MultiScalar),
            _ if rows && points <= ROW_POINTS => Some(Evaluation::MultiScalar),
            _ => Some(Evaluation::Transposed { leaf, multiplication }),
        }
    }
}

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
