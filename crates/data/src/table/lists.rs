//! What rows of lists take. A file tells no more of them than their sum, and the rows that are wanted may be the long ones;
//! so all are decoded once, in short blocks, and each block is weighed.

use arrow_array::{Array, RecordBatch};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};

/// Rows of a block.
pub(super) const BLOCK: usize = 64;

/// The blocks of a group of rows, and bytes that each takes when it is decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Weights {
    /// Rows of a block; the last may have fewer.
    rows: usize,
    bytes: Vec<u64>,
}

impl Weights {
    /// Weighs batches of so many rows each.
    pub(super) fn of(
        rows: usize,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<Self, ArrowError> {
        let bytes = batches.map(|batch| weight(&batch?)).collect::<Result<_, _>>()?;
        Ok(Self { rows, bytes })
    }

    /// How many of the wanted rows are decoded at once, by halves from `at_most`, so that the blocks that they are in
    /// take `most` bytes or less; one at least. `wanted` has the rising numbers of rows, those of the group from `first` on; none
    /// stands for all.
    pub(super) fn rows_at_once(
        &self,
        first: usize,
        wanted: Option<&[usize]>,
        at_most: usize,
        most: u64,
    ) -> usize {
        let mut rows = at_most.max(1);
        while rows > 1 && !self.fit(first, wanted, rows, most) {
            rows /= 2;
        }
        rows
    }

    fn fit(&self, first: usize, wanted: Option<&[usize]>, rows: usize, most: u64) -> bool {
        match wanted {
            Some(wanted) => wanted
                .chunks(rows)
                .all(|chunk| self.taken(chunk.iter().map(|row| row - first)) <= most),
            None => {
                let all = self.bytes.len() * self.rows;
                (0..all).step_by(rows).all(|first| {
                    let blocks = first / self.rows..(first + rows).min(all).div_ceil(self.rows);
                    self.bytes[blocks].iter().copied().fold(0, u64::saturating_add) <= most
                })
            }
        }
    }

    /// What the blocks take in which these rows are.
    fn taken(&self, rows: impl Iterator<Item = usize>) -> u64 {
        let mut last = None;
        rows.fold(0_u64, |sum, row| {
            let block = row / self.rows;
            let more =
                if last == Some(block) { 0 } else { self.bytes.get(block).copied().unwrap_or(0) };
            last = Some(block);
            sum.saturating_add(more)
        })
    }
}

/// What the library takes at most while it decodes the batch: what comes out, and beside it levels and numbers as Parquet has
/// them; buffers that grow have up to twice as much.
fn weight(batch: &RecordBatch) -> Result<u64, ArrowError> {
    batch.columns().iter().try_fold(0_u64, |sum, array| {
        let data = array.to_data();
        let bytes = data.get_slice_memory_size()? as u64;
        let beside = BESIDE.saturating_mul(places(&data)).saturating_add(texts(&data));
        Ok(sum.saturating_add(bytes.saturating_add(beside).saturating_mul(2)))
    })
}

/// Two levels of two bytes, and a number.
const BESIDE: u64 = 4 + 8;

/// Values and lists in it, of all depths.
fn places(data: &ArrayData) -> u64 {
    match data.data_type() {
        DataType::Dictionary(..) => data.len() as u64,
        _ => data.child_data().iter().map(places).fold(data.len() as u64, u64::saturating_add),
    }
}

/// The texts of dictionaries, if each value had its own: so they are where a column's dictionary is full.
fn texts(data: &ArrayData) -> u64 {
    let children = || data.child_data().iter();
    match data.data_type() {
        DataType::Dictionary(..) => {
            let longest = children().map(longest).max().unwrap_or(0);
            longest.saturating_mul(data.len() as u64)
        }
        _ => children().map(texts).fold(0, u64::saturating_add),
    }
}

/// The longest text of an array, or what all take where that is not known.
fn longest(values: &ArrayData) -> u64 {
    match values.data_type() {
        DataType::Utf8 | DataType::Binary => {
            let offsets = values.buffers()[0].typed_data::<i32>();
            let offsets = &offsets[values.offset()..=values.offset() + values.len()];
            offsets.windows(2).map(|pair| u64::from(pair[1].abs_diff(pair[0]))).max().unwrap_or(0)
        }
        _ => values.get_slice_memory_size().map_or(u64::MAX, |bytes| bytes as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_many_as_fit_with_their_blocks() {
        let weights = Weights { rows: 4, bytes: vec![10, 10, 1_000, 10, 10] };
        let all = |most| weights.rows_at_once(0, None, 16, most);
        assert_eq!((all(1_040), all(1_030), all(1_029), all(999)), (16, 16, 8, 1));
        let some = |rows: &[usize], most| {
            let later: Vec<usize> = rows.iter().map(|row| row + 100).collect();
            let found = weights.rows_at_once(0, Some(rows), 8, most);
            assert_eq!(weights.rows_at_once(100, Some(&later), 8, most), found);
            found
        };
        // All in one block, each in its own, and beside the heavy one.
        assert_eq!(some(&[0, 1, 2, 3], 10), 8);
        assert_eq!(some(&[0, 4, 12, 16], 20), 2);
        assert_eq!((some(&[0, 4, 8, 12], 1_010), some(&[0, 4, 8, 12], 1_009)), (2, 1));
        assert_eq!(some(&[], 0), 8);
    }
}
