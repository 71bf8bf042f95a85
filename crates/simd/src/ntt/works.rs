//! What is done with rows, lane by lane.

use zeroize::Zeroizing;

use super::lanes::Lanes;
use super::modulo::Modulo;
use super::residues::{CHUNK, residues};
use super::{FEWEST, Prime, Transforms, transform};
use crate::vector::V1;

/// Work that any lanes can do.
pub(super) trait Work {
    fn run<L: Lanes>(self, l: L);
}

pub(super) struct Forward<'a> {
    pub(super) transforms: &'a Transforms,
    pub(super) first: usize,
    pub(super) coefficients: &'a [u64],
    pub(super) leading: &'a [u64],
    pub(super) size: usize,
    pub(super) rows: &'a mut [u64],
}

impl Work for Forward<'_> {
    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) {
        self.residues(l);
        let count = self.coefficients.len() / self.transforms.words;
        let primes = self.transforms.primes.iter().enumerate().skip(self.first);
        for ((index, prime), row) in primes.zip(self.rows.chunks_exact_mut(self.size)) {
            let leading = self.leading.get(index).copied().unwrap_or(0);
            transform_one(Modulo::new(l, prime.p), prime, row, count, leading);
        }
    }
}

impl Forward<'_> {
    /// The residues of all coefficients but the leading one.
    #[inline(always)]
    fn residues<L: Lanes>(&mut self, l: L) {
        let Transforms { words, digits, primes, .. } = self.transforms;
        let primes = &primes[self.first..];
        let mut chunk = Zeroizing::new(vec![0; digits.count * CHUNK]);
        let chunks = self.coefficients.chunks(CHUNK * words);
        for (index, numbers) in chunks.enumerate() {
            digits.split(numbers, *words, &mut chunk);
            for (prime, row) in primes.iter().zip(self.rows.chunks_exact_mut(self.size)) {
                let place = &mut row[index * CHUNK..][..CHUNK];
                residues(Modulo::new(l, prime.p), prime, &chunk, place);
            }
        }
    }
}

/// The number below p of a loose word.
fn least(prime: &Prime, word: u64) -> u64 {
    let m = Modulo::new(V1, prime.p);
    // The first root is 1.
    m.least(m.times(word, m.factor(prime.forward.blocks[0])))
}

/// Transforms a row of so many residues and one more below p, 0 if there is none.
#[inline(always)]
fn transform_one<L: Lanes>(
    m: Modulo<L>,
    prime: &Prime,
    row: &mut [u64],
    count: usize,
    leading: u64,
) {
    row[count.next_multiple_of(CHUNK)..].fill(0);
    let (low, high) = row.split_at_mut(row.len() / 2);
    if count > low.len() || low.len() < FEWEST {
        if let Some(place) = row.get_mut(count) {
            *place = leading;
        }
        return transform::forward(m, &prime.forward, row, 0);
    }
    // Both halves of the first level are the lower half. x^(n/2) is 1 modulo one polynomial and −1 modulo the other.
    if count < low.len() {
        low[count] = leading;
    }
    high.copy_from_slice(low);
    if count == low.len() {
        let constant = least(prime, low[0]);
        (low[0], high[0]) = (constant + leading, constant + prime.p - leading);
    }
    transform::forward(m, &prime.forward, low, 0);
    transform::forward(m, &prime.forward, high, 1);
}

pub(super) struct Multiply<'a> {
    pub(super) transforms: &'a Transforms,
    pub(super) first: usize,
    pub(super) size: usize,
    pub(super) rows: &'a mut [u64],
    pub(super) others: &'a [u64],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let rows = self.rows.chunks_exact_mut(self.size).zip(self.others.chunks_exact(self.size));
        for (prime, (row, other)) in self.transforms.primes[self.first..].iter().zip(rows) {
            let m = Modulo::new(l, prime.p);
            let shift = m.factor(prime.shift);
            let words = row.chunks_exact_mut(L::LANES).zip(other.chunks_exact(L::LANES));
            for (words, others) in words {
                l.store(words, m.product(l.load(words), l.load(others), shift));
            }
        }
    }
}

pub(super) struct Add<'a> {
    pub(super) transforms: &'a Transforms,
    pub(super) first: usize,
    pub(super) size: usize,
    pub(super) rows: &'a mut [u64],
    pub(super) others: &'a [u64],
}

impl Work for Add<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let rows = self.rows.chunks_exact_mut(self.size).zip(self.others.chunks_exact(self.size));
        for (prime, (row, other)) in self.transforms.primes[self.first..].iter().zip(rows) {
            let m = Modulo::new(l, prime.p);
            let words = row.chunks_exact_mut(L::LANES).zip(other.chunks_exact(L::LANES));
            for (words, others) in words {
                l.store(words, m.add(l.load(words), l.load(others)));
            }
        }
    }
}

pub(super) struct Backward<'a> {
    pub(super) transforms: &'a Transforms,
    pub(super) first: usize,
    pub(super) size: usize,
    pub(super) rows: &'a mut [u64],
}

impl Work for Backward<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let rows = self.rows.chunks_exact_mut(self.size);
        for (prime, row) in self.transforms.primes[self.first..].iter().zip(rows) {
            transform::backward(Modulo::new(l, prime.p), &prime.backward, row);
        }
    }
}

pub(super) struct Recombine<'a> {
    pub(super) transforms: &'a Transforms,
    pub(super) rows: &'a [u64],
    pub(super) from: usize,
    pub(super) coefficients: &'a mut [u64],
}

impl Work for Recombine<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let Transforms { primes, recombination, .. } = self.transforms;
        recombination.run(l, primes, self.rows, self.from, self.coefficients);
    }
}
