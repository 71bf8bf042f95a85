//! Record batches in memory, their buffers shared with whoever made them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, FieldRef, SchemaRef};

use super::stretch::Rows;
use crate::converted::{Room, batch_in};
use crate::places::take_record_batch;
use crate::types::with_lists;

/// Batches of one schema, and where in them a row is.
pub(crate) struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// The number of each batch's first row, then that of all rows.
    starts: Vec<usize>,
}

impl Batches {
    /// With lists for list views. `None` where a batch is not of this schema, or cannot be in those types.
    pub(super) fn new(schema: &SchemaRef, batches: &[RecordBatch]) -> Option<Self> {
        let kept = with_lists(schema);
        let batches = batches.iter().map(|batch| {
            let is_one = same_columns(&batch.schema(), schema);
            is_one.then(|| batch_in(batch, &kept, &mut Room::of_machine()).ok()).flatten()
        });
        Some(Self::of(Arc::clone(&kept), batches.collect::<Option<_>>()?))
    }

    pub(super) fn of(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let mut starts = vec![0_usize];
        starts.extend(batches.iter().scan(0_usize, |rows, batch| {
            // A damaged file may say that it has any number.
            *rows = rows.saturating_add(batch.num_rows());
            Some(*rows)
        }));
        Self { schema, batches, starts }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn rows(&self) -> usize {
        self.starts[self.batches.len()]
    }

    pub(super) fn memory(&self) -> usize {
        let mut held = Held::default();
        self.batches.iter().for_each(|batch| held.add(batch));
        held.bytes
    }

    /// The numbers of each batch's rows.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The rows with these numbers, of `columns` alone: a batch for each run of rows that lie in one.
    pub(super) fn get<'a>(
        &'a self,
        rows: &Rows<'a>,
        columns: &'a [usize],
    ) -> Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a> {
        let batch_of = |row: usize| self.starts.partition_point(|start| *start <= row) - 1;
        let rows = match rows {
            Rows::These(rows) => *rows,
            Rows::Stretch(range) => {
                let Range { start, end } = range.clone();
                let batches = batch_of(start)..self.batches.len();
                let batches = batches.take_while(move |batch| self.starts[*batch] < end);
                return Box::new(batches.map(move |batch| {
                    let first = self.starts[batch];
                    let (from, to) = (start.max(first), end.min(self.starts[batch + 1]));
                    Ok(self.batches[batch].project(columns)?.slice(from - first, to - from))
                }));
            }
        };
        let runs = rows.chunk_by(move |a, b| batch_of(*a) == batch_of(*b));
        Box::new(runs.map(move |run| {
            let batch = batch_of(run[0]);
            let places = run.iter().map(|row| (row - self.starts[batch]) as u64);
            let places = UInt64Array::from_iter_values(places);
            take_record_batch(&self.batches[batch].project(columns)?, &places)
        }))
    }
}

/// Bytes of memory that several batches occupy, which may have dictionaries in common.
#[derive(Default)]
pub(super) struct Held {
    pub(super) bytes: usize,
    /// Where the values of their dictionaries are.
    values: HashSet<*const u8>,
}

impl Held {
    pub(super) fn add(&mut self, batch: &RecordBatch) {
        let held_before = |array: &ArrayRef| self.held_before(&array.to_data());
        let held_before: usize = batch.columns().iter().map(held_before).sum();
        self.bytes += memory_of_batch(batch) - held_before;
    }

    /// Bytes of those of its dictionaries that are held.
    fn held_before(&mut self, data: &ArrayData) -> usize {
        let parts = data.child_data();
        if matches!(data.data_type(), DataType::Dictionary(..)) {
            let place = parts[0].buffers().first().map(|buffer| buffer.as_ptr());
            if place.is_some_and(|place| !self.values.insert(place)) {
                return memory_of(&make_array(parts[0].clone()));
            }
        }
        parts.iter().map(|part| self.held_before(part)).sum()
    }
}

/// Bytes of memory that a batch occupies.
pub(super) fn memory_of_batch(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|array| memory_of(array)).sum()
}

/// Bytes of memory that an array occupies.
pub(crate) fn memory_of(array: &dyn Array) -> usize {
    let data = array.to_data();
    data.get_slice_memory_size().map_or(usize::MAX, |bytes| bytes - not_its_own(&data))
}

/// Bytes of an allocation, which the texts of a view may have a part of, that are not theirs.
fn not_its_own(data: &ArrayData) -> usize {
    let texts = match data.data_type() {
        DataType::Utf8View | DataType::BinaryView => &data.buffers()[1..],
        _ => &[],
    };
    let own = texts.iter().map(|buffer| buffer.capacity() - buffer.len()).sum::<usize>();
    own + data.child_data().iter().map(not_its_own).sum::<usize>()
}

/// Whether two schemas have the same names and types, whatever their metadata say.
pub(super) fn same_columns(one: &SchemaRef, other: &SchemaRef) -> bool {
    let same =
        |(a, b): (&FieldRef, &FieldRef)| a.name() == b.name() && a.data_type() == b.data_type();
    let (one, other) = (one.fields(), other.fields());
    one.len() == other.len() && one.iter().zip(other).all(same)
}
