//! Batches in pieces that take little memory when they are written. What rows share in memory, each has for itself then: texts of
//! views, and values of dictionaries and runs. Tables have no list views ([`with_lists`](crate::types::with_lists)).

use std::cell::RefCell;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, OffsetSizeTrait, RecordBatch, RunArray, UInt64Array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType};

use crate::caught::{caught, panicked};
use crate::places::take_record_batch;
use crate::types::{leaves, may_share, part_kinds};

/// Bytes of a piece that has more rows than one.
const PIECE: u64 = 1 << 23;

/// Beside each value: two levels of two bytes.
const LEVELS: u64 = 4;

/// And its number in a dictionary.
const BESIDE: u64 = LEVELS + 8;

/// The number of a value in a file's dictionary, and the fewest bytes of a value there that is a number.
const NUMBER: usize = 4;

/// Bytes of an interval there, of whatever kind.
const INTERVAL: usize = 12;

/// As many types in one another have levels of a byte in a file, and more of two.
const FEW_TYPES: usize = 6;

/// Rows whose keys are looked at together.
const KEYS: usize = 1 << 16;

/// How many bytes elements of an array take, of which each has its values for itself.
type Sizes<'a> = Box<dyn Fn(Range<usize>) -> u64 + 'a>;

/// What is counted of values, which rows may share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Those of all rows as they are while they are written.
    All,
    /// The same, but those of dictionaries are in one place for all rows, and not counted.
    BesideDictionaries,
    /// Those of all rows in a Parquet file, where each has levels of so many bytes.
    InFile { levels: u64 },
}

/// How many bytes rows of a batch take when they are written.
pub(crate) struct Written<'a> {
    batch: &'a RecordBatch,
    columns: Vec<Sizes<'a>>,
}

impl<'a> Written<'a> {
    /// Where values of dictionaries are written with each row that has them.
    pub(crate) fn of(batch: &'a RecordBatch) -> Self {
        Self::with(batch, Counted::All)
    }

    /// Where dictionaries are kept apart.
    pub(crate) fn beside_dictionaries(batch: &'a RecordBatch) -> Self {
        Self::with(batch, Counted::BesideDictionaries)
    }

    fn with(batch: &'a RecordBatch, counted: Counted) -> Self {
        let columns = batch.columns().iter().map(|array| sizes(array, counted)).collect();
        Self { batch, columns }
    }

    /// What its largest piece takes.
    pub(crate) fn largest(&self) -> u64 {
        self.ranges().into_iter().map(|rows| self.bytes_of(rows)).max().unwrap_or(0)
    }

    /// All of its rows, in order and by as few as fit a piece; one piece at least.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + use<> {
        let batch = self.batch.clone();
        // A slice of lists has the values of all, and whoever converts them does so each time.
        let has_lists =
            batch.columns().iter().any(|array| !part_kinds(array.data_type()).is_empty());
        self.ranges().into_iter().map(move |rows| {
            if rows.len() == batch.num_rows() || !has_lists {
                return Ok(batch.slice(rows.start, rows.len()));
            }
            let rows = UInt64Array::from_iter_values(rows.map(|row| row as u64));
            caught(|| take_record_batch(&batch, &rows)).unwrap_or_else(|| Err(panicked()))
        })
    }

    /// The rows in these places, of which each may stand there several times in a row, by as few as fit a piece; with each piece which
    /// of the places it has.
    pub(crate) fn copies(
        &self,
        places: &[u64],
    ) -> impl Iterator<Item = Result<(Range<usize>, RecordBatch), ArrowError>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let rest = places.get(start..).filter(|rest| !rest.is_empty())?;
            let sizes = rest.iter().map(|place| {
                let row = usize::try_from(*place).unwrap_or(usize::MAX);
                self.bytes_of(row..row + 1)
            });
            let sums = sizes.scan(0_u64, |sum, size| {
                *sum = sum.saturating_add(size);
                Some(*sum)
            });
            let range = start..start + sums.take_while(|sum| *sum <= PIECE).count().max(1);
            start = range.end;
            let rows = UInt64Array::from_iter_values(places[range.clone()].iter().copied());
            let taken = caught(|| take_record_batch(self.batch, &rows));
            Some(taken.unwrap_or_else(|| Err(panicked())).map(|batch| (range, batch)))
        })
    }

    fn bytes_of(&self, rows: Range<usize>) -> u64 {
        self.columns.iter().fold(0, |sum, column| sum.saturating_add(column(rows.clone())))
    }

    fn ranges(&self) -> Vec<Range<usize>> {
        let all = 0..self.batch.num_rows();
        let (mut pieces, mut left) = (Vec::new(), vec![all]);
        while let Some(rows) = left.pop() {
            if rows.len() <= 1 || self.bytes_of(rows.clone()) <= PIECE {
                pieces.push(rows);
            } else {
                let middle = rows.start + rows.len() / 2;
                left.extend([middle..rows.end, rows.start..middle]);
            }
        }
        pieces
    }
}

/// The most bytes that an array takes in a Parquet file before it is compressed.
pub(crate) fn in_file(array: &dyn Array) -> u64 {
    let levels = levels_of(array.data_type());
    sizes(array, Counted::InFile { levels })(0..array.len())
}

/// Bytes of a value's levels in a file: of a list in a list in a struct, each has four bits or fewer of the one and three of the other.
fn levels_of(kind: &DataType) -> u64 {
    fn types(kind: &DataType) -> usize {
        1 + part_kinds(kind).iter().map(types).max().unwrap_or(0)
    }
    if types(kind) <= FEW_TYPES { 1 } else { 2 }
}

fn sizes<'a>(array: &'a dyn Array, counted: Counted) -> Sizes<'a> {
    match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().value_offsets()),
        DataType::Binary => texts(array.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => texts(array.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => views(array.as_string_view().views()),
        DataType::BinaryView => views(array.as_binary_view().views()),
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            parts(lists.value_offsets(), lists.values(), counted)
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            parts(lists.value_offsets(), lists.values(), counted)
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            parts(maps.value_offsets(), maps.entries(), counted)
        }
        DataType::FixedSizeList(_, length) => {
            let (length, values) = (*length as usize, array.as_fixed_size_list().values());
            let (beside, values) = (beside_list(values.data_type()), sizes(values, counted));
            Box::new(move |rows| {
                let lists = (rows.len() as u64).saturating_mul(beside);
                lists.saturating_add(values(rows.start * length..rows.end * length))
            })
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            let columns: Vec<Sizes<'a>> =
                columns.iter().map(|array| sizes(array, counted)).collect();
            Box::new(move |rows| {
                let columns = columns.iter().map(|column| column(rows.clone()));
                columns.fold(beside(&rows), u64::saturating_add)
            })
        }
        DataType::Dictionary(key, _) if counted == Counted::BesideDictionaries => {
            fixed(key, counted)
        }
        DataType::Dictionary(..) => keyed(array, counted),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs(array.as_run::<Int16Type>(), counted),
            DataType::Int32 => runs(array.as_run::<Int32Type>(), counted),
            _ => runs(array.as_run::<Int64Type>(), counted),
        },
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let child = |(id, _): (i8, _)| (id, each(union.child(id), counted));
            let children: Vec<_> = fields.iter().map(child).collect();
            let of = move |row| {
                let child = children.iter().find(|(id, _)| *id == union.type_id(row));
                child.map_or(0, |(_, child)| child(union.value_offset(row)))
            };
            Box::new(move |rows| {
                beside(&rows).saturating_add(rows.map(&of).fold(0, u64::saturating_add))
            })
        }
        kind => fixed(kind, counted),
    }
}

fn beside(rows: &Range<usize>) -> u64 {
    rows.len() as u64 * BESIDE
}

fn fixed<'a>(kind: &DataType, counted: Counted) -> Sizes<'a> {
    let width = match kind {
        DataType::FixedSizeBinary(width) => *width as usize,
        kind => kind.primitive_width().unwrap_or(1),
    };
    let bytes = match counted {
        Counted::All | Counted::BesideDictionaries => BESIDE + width as u64,
        Counted::InFile { levels } => levels + stored(kind, width) as u64,
    };
    Box::new(move |rows| (rows.len() as u64).saturating_mul(bytes))
}

/// What a file has of a value beside its levels: itself, and its number in a dictionary.
fn stored(kind: &DataType, width: usize) -> usize {
    match kind {
        DataType::Boolean | DataType::Null => 1,
        // A dictionary of all of them takes little.
        DataType::Int8 | DataType::UInt8 => NUMBER,
        DataType::Interval(_) => NUMBER + INTERVAL,
        _ => NUMBER + width.max(NUMBER),
    }
}

fn texts<O: OffsetSizeTrait>(offsets: &[O]) -> Sizes<'_> {
    Box::new(move |rows| {
        let bytes = offsets[rows.end].as_usize() - offsets[rows.start].as_usize();
        beside(&rows) + bytes as u64
    })
}

fn views(views: &[u128]) -> Sizes<'_> {
    // A view begins with its text's length.
    let length = |view: &u128| u64::from(*view as u32);
    Box::new(move |rows| beside(&rows) + views[rows].iter().map(length).sum::<u64>())
}

/// What stands beside a list, or a key that is null: where there is no element, each column of these still has its levels.
fn beside_list(element: &DataType) -> u64 {
    BESIDE.max(LEVELS * leaves(element) as u64)
}

fn parts<'a, O: OffsetSizeTrait>(
    offsets: &'a [O],
    values: &'a dyn Array,
    counted: Counted,
) -> Sizes<'a> {
    let (beside, values) = (beside_list(values.data_type()), sizes(values, counted));
    Box::new(move |rows| {
        let lists = (rows.len() as u64).saturating_mul(beside);
        let places = offsets[rows.start].as_usize()..offsets[rows.end].as_usize();
        lists.saturating_add(values(places))
    })
}

fn keyed(array: &dyn Array, counted: Counted) -> Sizes<'_> {
    let values = array.as_any_dictionary().values();
    if values.is_empty() {
        let beside = beside_list(values.data_type());
        return Box::new(move |rows| (rows.len() as u64).saturating_mul(beside));
    }
    let of = each(values, counted);
    Box::new(move |rows| {
        let chunks = rows.clone().step_by(KEYS).map(|first| {
            let keys = array.slice(first, KEYS.min(rows.end - first));
            let keys = keys.as_any_dictionary().normalized_keys();
            keys.into_iter().map(&of).fold(0, u64::saturating_add)
        });
        chunks.fold(beside(&rows), u64::saturating_add)
    })
}

fn runs<R: RunEndIndexType>(array: &RunArray<R>, counted: Counted) -> Sizes<'_> {
    let of_value = each(array.values(), counted);
    let (ends, offset) = (array.run_ends().values(), array.run_ends().offset());
    Box::new(move |rows| {
        if rows.is_empty() {
            return 0;
        }
        let (first, mut done) = (array.get_physical_index(rows.start), rows.start);
        let runs = ends[first..].iter().zip(first..).map_while(|(end, run)| {
            let length = (end.as_usize() - offset).min(rows.end) - done;
            done += length;
            (length > 0).then(|| of_value(run).saturating_mul(length as u64))
        });
        runs.fold(beside(&rows), u64::saturating_add)
    })
}

/// The size of a single element, of which many may ask: it is found once, where that takes a look at more.
fn each(values: &dyn Array, counted: Counted) -> Box<dyn Fn(usize) -> u64 + '_> {
    let of = sizes(values, counted);
    if !may_share(values.data_type()) {
        return Box::new(move |at| of(at..at + 1));
    }
    // No element takes nothing.
    let known = RefCell::new(vec![0; values.len()]);
    Box::new(move |at| {
        let known_before = known.borrow()[at];
        if known_before > 0 {
            return known_before;
        }
        let found = of(at..at + 1);
        known.borrow_mut()[at] = found;
        found
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int32Builder, ListBuilder};
    use arrow_array::{
        ArrayRef, DictionaryArray, FixedSizeListArray, Int32Array, ListArray, StringArray,
    };
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::Field;
    use arrow_select::concat::concat_batches;

    use super::*;

    fn written(array: &dyn Array) -> u64 {
        sizes(array, Counted::All)(0..array.len())
    }

    fn texts(lengths: &[usize]) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(lengths.iter().map(|length| "a".repeat(*length))))
    }

    /// As many rows, each a list of all of `values`.
    fn shared(values: ArrayRef, rows: usize) -> ArrayRef {
        let field = Arc::new(Field::new("item", values.data_type().clone(), true));
        let ends = OffsetBuffer::from_lengths([values.len()]);
        let list: ArrayRef = Arc::new(ListArray::new(field, ends, values, None));
        Arc::new(DictionaryArray::new(Int32Array::from(vec![0; rows]), list))
    }

    #[test]
    fn each_row_has_what_may_share_for_itself() {
        let keys = Int32Array::from(vec![Some(0), Some(1), None, Some(1)]);
        let words: ArrayRef = Arc::new(DictionaryArray::new(keys, texts(&[1, 1_000])));
        // The values that nulls have for keys are counted, too.
        assert_eq!(written(&words), 4 * BESIDE + 2 * (BESIDE + 1) + 2 * (BESIDE + 1_000));
        let lists = shared(Arc::clone(&words), 3);
        assert_eq!(written(&lists), 3 * (2 * BESIDE + written(&words)));
        let lists = shared(lists, 5);
        assert_eq!(written(&lists), 5 * (2 * BESIDE + 3 * (2 * BESIDE + written(&words))));
        let mut deepest = lists;
        for _ in 0..24 {
            deepest = shared(deepest, 1_000);
        }
        assert_eq!(written(&deepest), u64::MAX, "told at once");
        let field = Arc::new(Field::new("item", deepest.data_type().clone(), true));
        let fixed = FixedSizeListArray::new(field, 1, deepest, None);
        assert_eq!(written(&fixed), u64::MAX);
    }

    #[test]
    fn pieces_are_small_and_the_same_rows() {
        const ROWS: usize = 3_000;
        let keys = Int32Array::from_iter_values((0..ROWS).map(|row| (row % 7) as i32));
        let long = DictionaryArray::new(keys, texts(&[1, 10, 100, 1_000, 10_000, 100_000, 9]));
        let mut lists = ListBuilder::new(Int32Builder::new());
        (0..ROWS).for_each(|row| lists.append_value((0..row as i32 % 50).map(Some)));
        let columns = [Arc::new(long) as ArrayRef, Arc::new(lists.finish())];
        for columns in [&columns[..1], &columns] {
            let named =
                columns.iter().map(|array| (array.data_type().to_string(), Arc::clone(array)));
            let batch = RecordBatch::try_from_iter(named).expect("columns");
            let pieces = Written::of(&batch).pieces().collect::<Result<Vec<_>, _>>();
            let pieces = pieces.expect("rows");
            assert!((6..20).contains(&pieces.len()), "{}", pieces.len());
            for piece in &pieces {
                let bytes: u64 = piece.columns().iter().map(|array| written(array)).sum();
                assert!(bytes <= PIECE);
            }
            assert_eq!(concat_batches(&batch.schema(), &pieces).expect("one schema"), batch);
        }
    }
}
