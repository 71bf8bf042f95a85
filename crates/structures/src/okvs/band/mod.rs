//! The banded random matrix: a row is a random string of bits at a random place.
//!
//! Bienstock, Patel, Seo and Yeo (USENIX Security 2023), "Near-Optimal Oblivious Key-Value Stores".

mod eliminate;
mod tables;
#[cfg(test)]
mod tests;

use std::f64::consts::LN_2;

use veilset_real::{exp2, log2};
use zeroize::Zeroizing;

use super::cipher::{BATCH, Hash, Stream};
use super::groups::scale;
use super::loads::columns_for;
use super::{Failure, LAMBDA, OkvsValue};
use tables::{GROUP, Window};

/// Words of a row's band.
const WORDS: usize = 3;

/// Columns that a row's band covers.
const WIDTH: usize = WORDS * 64;

/// Items a cluster is meant for. The smaller, the more its load varies and its last band weighs; there must be several
/// for several threads.
const CLUSTER: usize = 1 << 16;

/// Rows are taken in the order of the blocks of this many columns in which they start.
const BLOCK: usize = 256;

/// log2 of the factor by which a row's failure may exceed z^-[`WIDTH`]; it is negative.
const FACTOR_BITS: f64 = -2.0;

/// A row's bits from its first on: bit i of word j is the entry of column start + 64j + i.
type Band = [u64; WORDS];

/// The sizes of one cluster's matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Banded {
    columns: usize,
}

impl Banded {
    pub(super) fn clusters(items: usize) -> usize {
        items.div_ceil(CLUSTER).max(1)
    }

    pub(super) fn new(items: usize, clusters: usize) -> Self {
        Self::with_columns(columns_for(items, clusters, LAMBDA, columns))
    }

    /// With `columns` columns, rounded up to whole tables.
    fn with_columns(columns: usize) -> Self {
        Self { columns: columns.max(WIDTH).next_multiple_of(GROUP) }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Fills `columns`, zeros so far, so that each row gives its value.
    pub(super) fn solve<V: OkvsValue>(
        &self,
        hash: &Hash,
        hashes: &[u128],
        values: &[V],
        stream: &mut Stream<'_>,
        columns: &mut [V],
    ) -> Result<(), Failure> {
        let mut bands = vec![[0; WORDS]; self.columns];
        let order = self.order(hashes);
        let (mut rows, mut given) = (Rows::new(), Zeroizing::new([V::ZERO; BATCH]));
        for (_, block) in order.blocks() {
            for batch in block.chunks(BATCH) {
                rows.load(self, hash, hashes, batch);
                for (value, number) in given.iter_mut().zip(batch) {
                    *value = values[*number as usize];
                }
                for ((number, value), (start, band)) in batch.iter().zip(*given).zip(rows.iter()) {
                    if !eliminate::insert(&mut bands, columns, start, band, value) {
                        return Err(why_dependent(hashes, block, *number as usize));
                    }
                }
            }
        }
        eliminate::substitute(&bands, stream, columns);
        Ok(())
    }

    /// Writes to `values` what the row of each hash gives.
    pub(super) fn decode<V: OkvsValue>(
        &self,
        hash: &Hash,
        columns: &[V],
        hashes: &[u128],
        values: &mut [V],
    ) {
        let (mut rows, mut window) = (Rows::new(), Window::new());
        for (first, block) in self.order(hashes).blocks() {
            window.move_to(columns, first);
            for batch in block.chunks(BATCH) {
                rows.load(self, hash, hashes, batch);
                for (number, (start, band)) in batch.iter().zip(rows.iter()) {
                    values[*number as usize] = window.product(start, band);
                }
            }
        }
    }

    /// The rows by the block that they start in.
    fn order(&self, hashes: &[u128]) -> Order {
        let block = |hash: &u128| (self.start(*hash) / BLOCK) as u32;
        let blocks: Vec<u32> = hashes.iter().map(block).collect();
        let mut ends = vec![0; self.columns.div_ceil(BLOCK)];
        blocks.iter().for_each(|block| ends[*block as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut rows = vec![0; hashes.len()];
        for (row, block) in blocks.iter().enumerate() {
            let end = &mut ends[*block as usize];
            rows[*end as usize] = row as u32;
            *end += 1;
        }
        Order { rows, ends }
    }

    #[inline]
    fn start(&self, hash: u128) -> usize {
        scale((hash >> 64) as u64, self.columns - WIDTH + 1).0
    }
}

/// Start and band of up to [`BATCH`] rows.
struct Rows {
    starts: [usize; BATCH],
    bands: [Band; BATCH],
}

impl Rows {
    fn new() -> Self {
        Self { starts: [0; BATCH], bands: [[0; WORDS]; BATCH] }
    }

    /// Those of `batch`. The first word of a band is the lower half of the row's hash, the others are hashes of it and
    /// their number.
    fn load(&mut self, matrix: &Banded, hash: &Hash, hashes: &[u128], batch: &[u32]) {
        let mut own = [0; BATCH];
        for (place, number) in batch.iter().enumerate() {
            own[place] = hashes[*number as usize];
            self.starts[place] = matrix.start(own[place]);
            self.bands[place][0] = own[place] as u64;
        }
        for (pair, first) in (1..WORDS).step_by(2).enumerate() {
            let mut more = own.map(|own| own ^ (pair as u128 + 1));
            hash.apply(&mut more[..batch.len()]);
            for (band, bits) in self.bands.iter_mut().zip(more) {
                let words = [bits as u64, (bits >> 64) as u64];
                band[first..].iter_mut().zip(words).for_each(|(word, bits)| *word = bits);
            }
        }
    }

    #[inline]
    fn iter(&self) -> impl Iterator<Item = (usize, Band)> {
        self.starts.iter().copied().zip(self.bands.iter().copied())
    }
}

/// Columns with which a matrix of `items` rows fails with probability at most 2^-`bits`.
///
/// Row after row, in the order of their starts, the pivots that lie at or after the start are a queue: each start of a
/// row adds one, and each column takes one away, except with probability 2^-q if there are q. A row depends on the
/// ones before with probability 2^-([`WIDTH`] − q). With ρ rows for each place where a row can start, the queue is as
/// long as q with probability of the order z^-q, where z = e^θ solves ρ·(z − 1) = ln z, so that a row is the first to
/// depend on others with probability at most 2^[`FACTOR_BITS`] · z^-[`WIDTH`].
fn columns(items: usize, bits: f64) -> f64 {
    let items = items.max(1) as f64;
    let theta = (bits + log2(items) + FACTOR_BITS).max(1.0) * LN_2 / WIDTH as f64;
    let starts_an_item = (exp2(theta / LN_2) - 1.0) / theta;
    (items * starts_an_item).ceil() + (WIDTH - 1) as f64
}

/// Row `number` depends on rows before it: because its key is one of theirs, or by chance.
fn why_dependent(hashes: &[u128], block: &[u32], number: usize) -> Failure {
    let mut rows = block.iter().map(|row| *row as usize);
    match rows.find(|row| hashes[*row] == hashes[number]) {
        Some(first) if first != number => Failure::Repeated(first, number),
        _ => Failure::Unsolvable,
    }
}

/// Rows by block.
struct Order {
    rows: Vec<u32>,
    /// Where each block ends.
    ends: Vec<u32>,
}

impl Order {
    /// The blocks that have rows, each with its first column.
    fn blocks(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let begins = std::iter::once(&0).chain(&self.ends);
        let ranges = begins.zip(&self.ends).map(|(begin, end)| *begin as usize..*end as usize);
        let firsts = (0..).step_by(BLOCK);
        firsts
            .zip(ranges.map(|range| &self.rows[range]))
            .filter(|(_, rows): &(usize, &[u32])| !rows.is_empty())
    }
}
