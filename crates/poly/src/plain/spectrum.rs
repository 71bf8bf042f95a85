//! Transforms on several threads.

use veilset_crypto::tasks;
use veilset_simd::ntt::{FEWEST, Transforms};

use super::{Numbers, PlainField};

/// A field and its number-theoretic transforms.
pub(super) struct Ntt<'a, F> {
    pub(super) field: &'a F,
    transforms: Transforms,
    /// The residues of 1.
    one: Vec<u64>,
}

/// A polynomial's values modulo all primes.
pub(super) struct Spectrum {
    size: usize,
    rows: Numbers,
}

/// Coefficients that one task puts together.
const TOGETHER: usize = 1 << 10;

/// Words for which another task pays.
const TASK: usize = 1 << 14;

/// The size of transforms for that many coefficients.
pub(super) fn size(coefficients: usize) -> usize {
    coefficients.next_power_of_two().max(FEWEST)
}

impl Spectrum {
    /// Coefficients that it has room for.
    pub(super) const fn size(&self) -> usize {
        self.size
    }
}

impl<'a, F: PlainField> Ntt<'a, F> {
    /// For transforms of up to that size.
    pub(super) fn new(field: &'a F, size: usize) -> Self {
        let transforms = field.transforms(size.ilog2());
        let mut one = vec![0; F::WORDS];
        field.write(&field.one(), &mut one);
        let one = transforms.residues(&one);
        Self { field, transforms, one }
    }

    /// The transform of that size.
    pub(super) fn forward(&self, coefficients: &[u64], size: usize) -> Spectrum {
        self.transform(coefficients, &[], size)
    }

    /// The transform of a monic polynomial; `low` are the coefficients below the leading one.
    pub(super) fn forward_monic(&self, low: &[u64], size: usize) -> Spectrum {
        self.transform(low, &self.one, size)
    }

    fn transform(&self, coefficients: &[u64], leading: &[u64], size: usize) -> Spectrum {
        let mut rows = Numbers::new(vec![0; self.transforms.rows() * size]);
        tasks::each(self.tasks(size, &mut rows), |(first, rows)| {
            self.transforms.forward(first, coefficients, leading, size, rows);
        });
        Spectrum { size, rows }
    }

    /// The product of the two.
    pub(super) fn product(&self, a: &Spectrum, b: &Spectrum) -> Spectrum {
        let mut rows = a.rows.clone();
        tasks::each(self.tasks(a.size, &mut rows), |(first, rows)| {
            let others = &b.rows[first * a.size..][..rows.len()];
            self.transforms.multiply(first, a.size, rows, others);
        });
        Spectrum { size: a.size, rows }
    }

    /// a·c + b·d
    pub(super) fn sum_of_products(
        &self,
        [a, c]: [&Spectrum; 2],
        [b, d]: [&Spectrum; 2],
    ) -> Spectrum {
        let (mut sum, other) = (self.product(a, c), self.product(b, d));
        tasks::each(self.tasks(a.size, &mut sum.rows), |(first, rows)| {
            self.transforms.add(first, a.size, rows, &other.rows[first * a.size..][..rows.len()]);
        });
        sum
    }

    /// Coefficients from `from` on of the polynomial with that spectrum, which came from a product.
    pub(super) fn backward(&self, mut spectrum: Spectrum, from: usize, coefficients: &mut [u64]) {
        let size = spectrum.size;
        tasks::each(self.tasks(size, &mut spectrum.rows), |(first, rows)| {
            self.transforms.backward(first, size, rows);
        });
        let parts = coefficients.chunks_mut(TOGETHER * F::WORDS).enumerate();
        tasks::each(parts, |(index, part)| {
            self.transforms.recombine(&spectrum.rows, from + index * TOGETHER, part);
        });
    }

    /// Runs of rows for the threads there are, each with the number of its first.
    fn tasks<'r>(
        &self,
        size: usize,
        rows: &'r mut [u64],
    ) -> impl Iterator<Item = (usize, &'r mut [u64])> {
        let shared = self.transforms.rows().div_ceil(tasks::threads());
        let run = shared.max(TASK.div_ceil(size));
        rows.chunks_mut(run * size).enumerate().map(move |(index, rows)| (index * run, rows))
    }
}
