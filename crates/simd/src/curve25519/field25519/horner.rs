//! Horner's rule.

use super::{Number, everywhere, load, store};
use crate::curve25519::Work;
use crate::curve25519::field::Field;

/// Groups of lanes side by side, for each alone waits on its own products.
const GROUPS: usize = 4;

pub(super) struct Evaluate<'a> {
    pub(super) coefficients: &'a [Number],
    pub(super) points: &'a [Number],
    pub(super) values: &'a mut [Number],
}

impl Work for Evaluate<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = GROUPS * F::LANES;
        for (points, values) in self.points.chunks(most).zip(self.values.chunks_mut(most)) {
            let mut x = [f.splat(0); GROUPS];
            for (x, points) in x.iter_mut().zip(points.chunks(F::LANES)) {
                *x = load(f, points, 1, 0);
            }
            let mut sums = [f.splat(0); GROUPS];
            for coefficient in self.coefficients.iter().rev() {
                let coefficient = f.widen(f.load(&everywhere(coefficient)));
                let products = f.multiply(sums, x);
                for n in 0..GROUPS {
                    sums[n] = f.carry(f.wide_add(products[n], coefficient));
                }
            }
            for (sum, values) in sums.into_iter().zip(values.chunks_mut(F::LANES)) {
                store(f, sum, values, 1, 0);
            }
        }
    }
}
