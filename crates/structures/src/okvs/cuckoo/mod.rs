//! The garbled cuckoo table with three hashes and dense columns.
//!
//! A row has ones in three of the sparse columns, and h, h², …, h^d in d dense columns. Rows are peeled as long as some
//! sparse column stands in one row only; what cannot be peeled goes to the dense columns. Sources: PaXoS (eprint
//! 2020/193), Garimella, Pinkas, Rosulek, Trieu and Yanai (eprint 2021/883), Raghuraman and Rindal (eprint 2022/320).

mod gaps;
mod peel;
#[cfg(test)]
mod tests;

use veilset_real::{exp2, log2};
use zeroize::Zeroizing;

use super::cipher::{BATCH, Stream};
use super::groups::scale;
use super::loads::columns_for;
use super::{Failure, LAMBDA, OkvsValue};

/// Items a cluster is meant for: its table of 16-byte values stays in an L2 cache, and a column's number in 16 bits.
const CLUSTER: usize = 1 << 15;

/// Below this many items the formulas for the number of columns are not used; smaller tables get as many columns.
const FEWEST: usize = 256;

/// The expansion at which three hashes peel in the limit.
const THRESHOLD: f64 = 1.223;

/// The sizes of one cluster's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cuckoo {
    pub(super) sparse: usize,
    pub(super) dense: usize,
}

impl Cuckoo {
    pub(super) fn clusters(items: usize) -> usize {
        items.div_ceil(CLUSTER).max(1)
    }

    /// Half of the failure is for cores that are large, half for more small ones than there are dense columns.
    pub(super) fn new(items: usize, clusters: usize) -> Self {
        let bits = LAMBDA + 1.0;
        let sparse = columns_for(items, clusters, bits, sparse_columns);
        let dense = (bits + log2(clusters as f64)) / log2(sparse as f64);
        Self { sparse, dense: dense as usize }
    }

    pub(super) fn columns(&self) -> usize {
        self.sparse + self.dense
    }

    /// Fills `columns`, zeros so far, so that each row gives its value.
    pub(super) fn solve<V: OkvsValue>(
        &self,
        hashes: &[u128],
        values: &[V],
        stream: &mut Stream<'_>,
        columns: &mut [V],
    ) -> Result<(), Failure> {
        let rows: Vec<[u16; 3]> = hashes.iter().map(|hash| self.ones(*hash)).collect();
        let peeled = peel::peel(&rows, hashes, self.sparse, self.dense)?;
        let (sparse, dense) = columns.split_at_mut(self.sparse);
        fill_free(&peeled.order, stream, sparse);
        let system = gaps::System { rows: &rows, hashes, values, peeled: &peeled };
        system.solve(sparse, dense, stream)?;
        let mut rests = Zeroizing::new(values.to_vec());
        V::add_polynomial(&mut rests, hashes, dense);
        for [row, column] in peeled.order.iter().rev().map(|pair| pair.map(usize::from)) {
            sparse[column] = rests[row].plus(sparse_part(sparse, rows[row]));
        }
        Ok(())
    }

    /// Writes to `values` what the row of each hash gives.
    pub(super) fn decode<V: OkvsValue>(&self, columns: &[V], hashes: &[u128], values: &mut [V]) {
        let (sparse, dense) = columns.split_at(self.sparse);
        for (hashes, values) in hashes.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            for (hash, value) in hashes.iter().zip(&mut *values) {
                *value = sparse_part(sparse, self.ones(*hash));
            }
            V::add_polynomial(values, hashes, dense);
        }
    }

    /// Three different sparse columns.
    #[inline]
    fn ones(&self, hash: u128) -> [u16; 3] {
        let (first, rest) = scale((hash >> 64) as u64, self.sparse);
        let (mut second, _) = scale(rest, self.sparse - 1);
        let (mut third, _) = scale(hash as u64, self.sparse - 2);
        second += usize::from(second >= first);
        third += usize::from(third >= first.min(second));
        third += usize::from(third >= first.max(second));
        [first, second, third].map(|column| column as u16)
    }
}

/// Sparse columns with which `items` rows leave a large core with probability at most 2^-`bits`: the formula of eprint
/// 2022/320 for three ones a row, with its slope at log2 3.
fn sparse_columns(items: usize, bits: f64) -> f64 {
    let items = items.max(FEWEST) as f64;
    let w = log2(3.0);
    let slope = exp2(0.555 * log2(items) + 0.093 * w * w * w - 1.01 * w * w + 2.925 * w - 0.133);
    items * (THRESHOLD + (bits + 9.2) / slope)
}

/// Draws the sparse columns that no peeled row determines.
fn fill_free<V: OkvsValue>(order: &[[u16; 2]], stream: &mut Stream<'_>, sparse: &mut [V]) {
    let mut determined = vec![false; sparse.len()];
    for [_, column] in order {
        determined[usize::from(*column)] = true;
    }
    for (column, _) in sparse.iter_mut().zip(determined).filter(|(_, determined)| !determined) {
        *column = stream.draw();
    }
}

#[inline]
fn sparse_part<V: OkvsValue>(sparse: &[V], ones: [u16; 3]) -> V {
    let [first, second, third] = ones.map(|column| sparse[usize::from(column)]);
    first.plus(second).plus(third)
}
