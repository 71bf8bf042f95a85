//! Which of the polynomial algorithms is cheapest.

use veilset_poly::{Evaluation, Multiplication, cost};

/// A term of a sum of products, in hundredths of a scalar multiplication.
pub(super) const SUM_TERM: u64 = 36;

/// The algorithms that a field of scalars allows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Algorithms {
    /// Whether transforms of any length exist.
    transforms: bool,
}

/// Points that share a leaf of the tree in an evaluation, where sums of products take over.
const LEAF: usize = 8;

impl Algorithms {
    pub(super) fn new(transforms: bool) -> Self {
        Self { transforms }
    }

    /// For factors of so many coefficients.
    pub(super) fn multiplication(self, plain: usize, poly: usize) -> Multiplication {
        let ntt = self.transforms.then_some(Multiplication::Ntt { cutoff: 1 });
        let ways = [Multiplication::Karatsuba { cutoff: 1 }, Multiplication::Toom3 { cutoff: 1 }];
        ways.into_iter()
            .chain(ntt)
            .min_by_key(|how| cost::multiply(*how, plain, poly).scalings)
            .unwrap_or(Multiplication::Schoolbook)
    }

    /// For a polynomial of `len` coefficients at so many points; `None` where sums of products are best.
    pub(super) fn evaluation(self, len: usize, points: usize) -> Option<Evaluation> {
        let multiplication = self.multiplication(points.max(1), len);
        let how = Evaluation::Transposed { leaf: LEAF, multiplication };
        let sums = points as u64 * len as u64 * SUM_TERM;
        (100 * cost::evaluate(how, len, points).scalings < sums).then_some(how)
    }
}
