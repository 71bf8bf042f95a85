//! Batches in pieces that take little memory when they are written. What rows share in memory, each has for itself then: the values
//! of dictionaries, and those of list views that overlap.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, OffsetSizeTrait, RecordBatch, RunArray, UInt64Array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take_record_batch;

use crate::caught::{caught, panicked};
use crate::types::{has_list_views, may_share, part_kinds};

/// Bytes of a piece that has more rows than one.
const PIECE: u64 = 1 << 23;

/// What an element takes, whatever it is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a file: each element has what it shares with others for itself.
    Written,
    /// In memory, where a copy is made: texts of views and values of dictionaries stay shared.
    Copied,
}

impl Place {
    /// Beside a value of a fixed width: two levels of two bytes, and its number in a dictionary.
    fn beside_fixed(self) -> u64 {
        if self == Self::Written { 4 + 8 } else { 0 }
    }

    /// Beside any other value: where it begins, in memory.
    fn beside(self) -> u64 {
        if self == Self::Written { 4 + 8 } else { 16 }
    }
}

/// Rows whose keys are looked at together.
const KEYS: usize = 1 << 16;

/// How many bytes elements of an array take, of which each has its values for itself.
type Sizes<'a> = Box<dyn Fn(Range<usize>) -> u64 + 'a>;

/// How many bytes rows of a batch take when they are written.
pub(crate) struct Written<'a> {
    batch: &'a RecordBatch,
    columns: Vec<Sizes<'a>>,
}

impl<'a> Written<'a> {
    pub(crate) fn of(batch: &'a RecordBatch) -> Self {
        Self {
            batch,
            columns: batch.columns().iter().map(|array| sizes(array, Place::Written)).collect(),
        }
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

/// How many bytes an array takes when it is written.
pub(crate) fn written(array: &dyn Array) -> u64 {
    sizes(array, Place::Written)(0..array.len())
}

/// How many bytes a copy of an array takes at most, with a copy of each list.
pub(crate) fn copied(array: &dyn Array) -> u64 {
    sizes(array, Place::Copied)(0..array.len())
}

fn sizes<'a>(array: &'a dyn Array, place: Place) -> Sizes<'a> {
    match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>().value_offsets(), place),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().value_offsets(), place),
        DataType::Binary => texts(array.as_binary::<i32>().value_offsets(), place),
        DataType::LargeBinary => texts(array.as_binary::<i64>().value_offsets(), place),
        DataType::Utf8View | DataType::BinaryView if place == Place::Copied => fixed(16, place),
        DataType::Utf8View => views(array.as_string_view().views(), place),
        DataType::BinaryView => views(array.as_binary_view().views(), place),
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            parts(lists.value_offsets(), sizes(lists.values(), place), place)
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            parts(lists.value_offsets(), sizes(lists.values(), place), place)
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            parts(maps.value_offsets(), sizes(maps.entries(), place), place)
        }
        DataType::FixedSizeList(_, length) => {
            let (length, values) =
                (*length as usize, sizes(array.as_fixed_size_list().values(), place));
            Box::new(move |rows| {
                beside(&rows, place).saturating_add(values(rows.start * length..rows.end * length))
            })
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            views_of(
                lists.value_offsets(),
                lists.value_sizes(),
                anywhere(lists.values(), place),
                place,
            )
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            views_of(
                lists.value_offsets(),
                lists.value_sizes(),
                anywhere(lists.values(), place),
                place,
            )
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            let columns: Vec<Sizes<'a>> = columns.iter().map(|array| sizes(array, place)).collect();
            Box::new(move |rows| {
                let columns = columns.iter().map(|column| column(rows.clone()));
                columns.fold(beside(&rows, place), u64::saturating_add)
            })
        }
        DataType::Dictionary(_, values) if place == Place::Copied && !has_list_views(values) => {
            fixed(8, place)
        }
        DataType::Dictionary(..) => keyed(array, place),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs(array.as_run::<Int16Type>(), place),
            DataType::Int32 => runs(array.as_run::<Int32Type>(), place),
            _ => runs(array.as_run::<Int64Type>(), place),
        },
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let child = |(id, _): (i8, _)| (id, each(union.child(id), place));
            let children: Vec<_> = fields.iter().map(child).collect();
            let of = move |row| {
                let child = children.iter().find(|(id, _)| *id == union.type_id(row));
                child.map_or(0, |(_, child)| child(union.value_offset(row)))
            };
            Box::new(move |rows| {
                beside(&rows, place).saturating_add(rows.map(&of).fold(0, u64::saturating_add))
            })
        }
        DataType::FixedSizeBinary(width) => fixed(*width as usize, place),
        kind => fixed(kind.primitive_width().unwrap_or(1), place),
    }
}

fn beside(rows: &Range<usize>, place: Place) -> u64 {
    rows.len() as u64 * place.beside()
}

fn fixed<'a>(width: usize, place: Place) -> Sizes<'a> {
    let bytes = place.beside_fixed() + width as u64;
    Box::new(move |rows| (rows.len() as u64).saturating_mul(bytes))
}

fn texts<O: OffsetSizeTrait>(offsets: &[O], place: Place) -> Sizes<'_> {
    Box::new(move |rows| {
        let bytes = offsets[rows.end].as_usize() - offsets[rows.start].as_usize();
        beside(&rows, place) + bytes as u64
    })
}

fn views(views: &[u128], place: Place) -> Sizes<'_> {
    // A view begins with its text's length.
    let length = |view: &u128| u64::from(*view as u32);
    Box::new(move |rows| beside(&rows, place) + views[rows].iter().map(length).sum::<u64>())
}

fn parts<'a, O: OffsetSizeTrait>(offsets: &'a [O], values: Sizes<'a>, place: Place) -> Sizes<'a> {
    Box::new(move |rows| {
        let places = offsets[rows.start].as_usize()..offsets[rows.end].as_usize();
        beside(&rows, place).saturating_add(values(places))
    })
}

fn views_of<'a, O: OffsetSizeTrait>(
    offsets: &'a [O],
    lengths: &'a [O],
    values: Sizes<'a>,
    place: Place,
) -> Sizes<'a> {
    Box::new(move |rows| {
        let lists = offsets[rows.clone()].iter().zip(&lengths[rows.clone()]);
        let lists =
            lists.map(|(at, length)| values(at.as_usize()..at.as_usize() + length.as_usize()));
        lists.fold(beside(&rows, place), u64::saturating_add)
    })
}

fn keyed(array: &dyn Array, place: Place) -> Sizes<'_> {
    let values = array.as_any_dictionary().values();
    if values.is_empty() {
        return fixed(0, place);
    }
    let of = each(values, place);
    Box::new(move |rows| {
        let chunks = rows.clone().step_by(KEYS).map(|first| {
            let keys = array.slice(first, KEYS.min(rows.end - first));
            let keys = keys.as_any_dictionary().normalized_keys();
            keys.into_iter().map(&of).fold(0, u64::saturating_add)
        });
        chunks.fold(beside(&rows, place), u64::saturating_add)
    })
}

fn runs<R: RunEndIndexType>(array: &RunArray<R>, place: Place) -> Sizes<'_> {
    let values = each(array.values(), place);
    let of = move |row| values(array.get_physical_index(row));
    Box::new(move |rows| {
        beside(&rows, place).saturating_add(rows.map(&of).fold(0, u64::saturating_add))
    })
}

/// The size of a single element, of which many may ask: it is found once, where that takes a look at more.
fn each(values: &dyn Array, place: Place) -> Box<dyn Fn(usize) -> u64 + '_> {
    let of = sizes(values, place);
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

/// The size of elements, of which many may ask for the same: the sums of all are found once, where that takes a look at each.
fn anywhere(values: &dyn Array, place: Place) -> Sizes<'_> {
    if !may_share(values.data_type()) {
        return sizes(values, place);
    }
    let (of, sums) = (each(values, place), OnceCell::new());
    Box::new(move |rows| {
        let sums = sums.get_or_init(|| {
            let mut sums = vec![0_u64];
            sums.extend((0..values.len()).scan(0_u64, |sum, at| {
                *sum = sum.saturating_add(of(at));
                Some(*sum)
            }));
            sums
        });
        // No memory has what is beyond any number.
        match sums[rows.end] {
            u64::MAX if !rows.is_empty() => u64::MAX,
            end => end - sums[rows.start],
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int32Builder, ListBuilder};
    use arrow_array::{
        ArrayRef, DictionaryArray, FixedSizeListArray, Int32Array, ListViewArray, StringArray,
    };
    use arrow_schema::Field;
    use arrow_select::concat::concat_batches;

    use super::*;

    /// Of a value in a file.
    const BESIDE: u64 = 12;

    fn texts(lengths: &[usize]) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(lengths.iter().map(|length| "a".repeat(*length))))
    }

    fn overlapping(values: ArrayRef, rows: usize) -> ArrayRef {
        let field = Arc::new(Field::new("item", values.data_type().clone(), true));
        let (offsets, lengths) = (vec![0; rows], vec![values.len() as i32; rows]);
        Arc::new(ListViewArray::new(field, offsets.into(), lengths.into(), values, None))
    }

    #[test]
    fn each_row_has_what_may_share_for_itself() {
        let keys = Int32Array::from(vec![Some(0), Some(1), None, Some(1)]);
        let words: ArrayRef = Arc::new(DictionaryArray::new(keys, texts(&[1, 1_000])));
        // The values that nulls have for keys are counted, too.
        assert_eq!(written(&words), 4 * BESIDE + 2 * (BESIDE + 1) + 2 * (BESIDE + 1_000));
        let lists = overlapping(Arc::clone(&words), 3);
        assert_eq!(written(&lists), 3 * (BESIDE + written(&words)));
        let lists = overlapping(lists, 5);
        assert_eq!(written(&lists), 5 * (BESIDE + 3 * (BESIDE + written(&words))));
        let mut deepest = lists;
        for _ in 0..12 {
            deepest = overlapping(Arc::clone(&overlapping(deepest, 1_000)), 1_000);
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
