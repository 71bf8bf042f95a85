//! Sums of rows in parts that share no sum, so that the tables of a part stay in the second cache.

use std::ops::Range;

use rayon::prelude::*;
use veilset_crypto::{Residue, Row};
use veilset_simd::bignum::batch;
use zeroize::Zeroizing;

use super::{LIMBS, SafePrimeGroup, Unsigned, WORDS, bare};

/// Rows that a part has at least, if there are so many: sums of few would leave lanes empty. Each has a table of 20 KB.
const ROWS: usize = 24;

/// Rows, and the sums to which no others contribute.
struct Part {
    rows: Range<usize>,
    sums: Range<usize>,
}

/// The parts, in the order of the rows and of the sums.
fn parts(rows: &[Row]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let mut part = Part { rows: place..place + 1, sums: row.to..row.to + row.count };
        while let Some(before) = parts
            .pop_if(|before| row.to < before.sums.end || before.rows.len() < ROWS || row.count == 0)
        {
            part.rows.start = before.rows.start;
            part.sums.start = before.sums.start.min(part.sums.start);
            part.sums.end = before.sums.end.max(part.sums.end);
        }
        parts.push(part);
    }
    parts
}

impl SafePrimeGroup {
    pub(super) fn rows(
        &self,
        scalars: &[Residue<WORDS>],
        elements: &[Unsigned],
        rows: &[Row],
        count: usize,
    ) -> Vec<Unsigned> {
        let mut sums = vec![self.residues.one(); count];
        let parts = parts(rows);
        let computed: Vec<_> = parts
            .par_iter()
            .map(|part| self.part(scalars, elements, &rows[part.rows.clone()], &part.sums))
            .collect();
        for (part, computed) in parts.into_iter().zip(computed) {
            sums[part.sums].copy_from_slice(&computed);
        }
        sums.into_iter().map(Unsigned).collect()
    }

    /// Sums of rows, all of them within `sums`.
    fn part(
        &self,
        scalars: &[Residue<WORDS>],
        elements: &[Unsigned],
        rows: &[Row],
        sums: &Range<usize>,
    ) -> Zeroizing<Vec<batch::Residue<LIMBS>>> {
        let bases: Vec<_> = rows.iter().map(|row| elements[row.element]).collect();
        let bases = Zeroizing::new(bases);
        let from = rows.iter().map(|row| row.from).min().unwrap_or(0);
        let to = rows.iter().map(|row| row.from + row.count).max().unwrap_or(0);
        let own = |(base, row): (usize, &Row)| batch::Row {
            base,
            from: row.from - from,
            count: row.count,
            to: row.to - sums.start,
        };
        let rows: Vec<_> = rows.iter().enumerate().map(own).collect();
        let exponents = self.integers(&scalars[from..to]);
        Zeroizing::new(self.residues.rows(&exponents, &bare(&bases), &rows, sums.len()))
    }
}
