//! The dense columns, from the rows that could not be peeled.

use veilset_simd::gf128_multiply;

use super::super::cipher::Stream;
use super::super::{Failure, OkvsValue};
use super::peel::Peeled;

/// A cluster's rows, and how they were peeled.
pub(super) struct System<'a, V> {
    pub(super) rows: &'a [[u16; 3]],
    pub(super) hashes: &'a [u128],
    pub(super) values: &'a [V],
    pub(super) peeled: &'a Peeled,
}

/// Coefficients of the dense columns, and the value that they give.
struct Relation<V> {
    coefficients: Vec<u128>,
    value: V,
}

impl<V: OkvsValue> System<'_, V> {
    /// Solves for the dense columns, given the sparse ones that no row determines; those that no relation determines
    /// are drawn.
    pub(super) fn solve(
        &self,
        sparse: &[V],
        dense: &mut [V],
        stream: &mut Stream<'_>,
    ) -> Result<(), Failure> {
        let mut solved: Vec<(usize, Relation<V>)> = Vec::new();
        for gap in &self.peeled.gaps {
            let mut relation = self.relation(*gap, sparse, dense.len());
            for (pivot, earlier) in &solved {
                relation.subtract(earlier, relation.coefficients[*pivot]);
            }
            let pivot = relation.coefficients.iter().position(|coefficient| *coefficient != 0);
            let pivot = pivot.ok_or(Failure::Unsolvable)?;
            relation.scale(inverse(relation.coefficients[pivot]));
            solved.push((pivot, relation));
        }
        for (number, column) in dense.iter_mut().enumerate() {
            if solved.iter().all(|(pivot, _)| *pivot != number) {
                *column = stream.draw();
            }
        }
        // A relation has nothing at the pivots of earlier ones, so the last depends on drawn columns only. The column
        // sought is zero until then.
        for (pivot, relation) in solved.iter().rev() {
            let terms = relation.coefficients.iter().zip(&*dense);
            let known = terms.fold(V::ZERO, |sum, (by, column)| sum.plus(column.times(*by)));
            dense[*pivot] = relation.value.plus(known);
        }
        Ok(())
    }

    /// The sum of row `gap` and those peeled rows that leave it no determined column. One pass does: no row has the
    /// column by which an earlier one was peeled, so adding a row changes only what is still to come.
    fn relation(&self, gap: u16, sparse: &[V], dense: usize) -> Relation<V> {
        let mut odd = vec![false; sparse.len()];
        let mut sum = Relation { coefficients: vec![0; dense], value: V::ZERO };
        let mut add = |row: u16, odd: &mut [bool]| {
            let row = usize::from(row);
            for column in self.rows[row] {
                odd[usize::from(column)] ^= true;
            }
            let mut power = self.hashes[row];
            for coefficient in &mut sum.coefficients {
                *coefficient ^= power;
                power = gf128_multiply(power, self.hashes[row]);
            }
            sum.value = sum.value.plus(self.values[row]);
        };
        add(gap, &mut odd);
        for [row, column] in &self.peeled.order {
            if odd[usize::from(*column)] {
                add(*row, &mut odd);
            }
        }
        let free = sparse.iter().zip(odd).filter(|(_, odd)| *odd);
        sum.value = free.fold(sum.value, |sum, (column, _)| sum.plus(*column));
        sum
    }
}

impl<V: OkvsValue> Relation<V> {
    fn subtract(&mut self, other: &Self, times: u128) {
        for (coefficient, other) in self.coefficients.iter_mut().zip(&other.coefficients) {
            *coefficient ^= gf128_multiply(*other, times);
        }
        self.value = self.value.plus(other.value.times(times));
    }

    fn scale(&mut self, by: u128) {
        for coefficient in &mut self.coefficients {
            *coefficient = gf128_multiply(*coefficient, by);
        }
        self.value = self.value.times(by);
    }
}

/// a^(2^128 − 2), the product of a^(2^i) for i from 1 to 127.
fn inverse(a: u128) -> u128 {
    let (mut power, mut product) = (a, 1);
    for _ in 1..128 {
        power = gf128_multiply(power, power);
        product = gf128_multiply(product, power);
    }
    product
}
