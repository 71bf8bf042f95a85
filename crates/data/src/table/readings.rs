//! Columns of which Parquet tells too little: their bytes can be read as two types, and neither has all values.
//!
//! A time of 12 bytes (INT96) has nanoseconds and any year. Arrow's times in nanoseconds end in 1677 and 2262, and times beyond would
//! come out as others. An interval has months, days and milliseconds; Arrow's have months, or the rest. So all values are read both
//! ways once, and the column gets the type that has them all; where there is none, nothing reads the column.

use std::cell::RefCell;
use std::vec::IntoIter;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    IntervalDayTime, IntervalDayTimeType, IntervalYearMonthType, TimestampMicrosecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{DataType, Field, IntervalUnit, Schema, SchemaRef, TimeUnit};
use parquet::basic::{ConvertedType, Type};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use crate::types::{part_kinds, with_parts};

/// The leaves of a file that can be read as two types.
pub(super) struct Readings {
    schema: SchemaRef,
    /// The types of all leaves.
    kinds: Vec<DataType>,
    readings: Vec<Reading>,
}

struct Reading {
    /// The number of the leaf.
    leaf: usize,
    /// The column that it is in.
    column: usize,
    other: DataType,
    /// Whether the type in the schema has no place for some value, and whether the other one has none.
    lacking: [bool; 2],
}

impl Readings {
    /// Of a file whose columns would have the types of `schema`; none where there are no such leaves.
    pub(super) fn of(file: &SchemaDescriptor, schema: &SchemaRef) -> Option<Self> {
        let kinds: Vec<DataType> =
            schema.fields().iter().flat_map(|field| leaf_kinds(field.data_type())).collect();
        let reading = |(leaf, (kind, described)): (usize, (&DataType, &ColumnDescPtr))| {
            let other = match kind {
                DataType::Timestamp(TimeUnit::Nanosecond, zone)
                    if described.physical_type() == Type::INT96 =>
                {
                    DataType::Timestamp(TimeUnit::Microsecond, zone.clone())
                }
                DataType::Interval(unit)
                    if described.converted_type() == ConvertedType::INTERVAL =>
                {
                    let is_months = *unit == IntervalUnit::YearMonth;
                    let other =
                        if is_months { IntervalUnit::DayTime } else { IntervalUnit::YearMonth };
                    DataType::Interval(other)
                }
                _ => return None,
            };
            Some(Reading {
                leaf,
                column: file.get_column_root_idx(leaf),
                other,
                lacking: [false; 2],
            })
        };
        let readings: Vec<Reading> =
            kinds.iter().zip(file.columns()).enumerate().filter_map(reading).collect();
        (!readings.is_empty()).then(|| Self { schema: SchemaRef::clone(schema), kinds, readings })
    }

    /// The columns that have such leaves, in order.
    pub(super) fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.readings.iter().map(|reading| reading.column).collect();
        columns.dedup();
        columns
    }

    /// The schema in which all of them have their other type.
    pub(super) fn others(&self) -> SchemaRef {
        self.with_others(|_| true)
    }

    /// Looks at rows of [`Readings::columns`] as both types.
    pub(super) fn look(&mut self, rows: &[ArrayRef], others: &[ArrayRef]) {
        let leaves = |arrays: &[ArrayRef]| arrays.iter().flat_map(leaves).collect::<Vec<_>>();
        let pairs = leaves(rows).into_iter().zip(leaves(others));
        let pairs = pairs.filter(|(row, other)| row.data_type() != other.data_type());
        for (reading, (row, other)) in self.readings.iter_mut().zip(pairs) {
            let lacking = lacking(&row, &other);
            reading.lacking = [0, 1].map(|which| reading.lacking[which] || lacking[which]);
        }
    }

    /// The schema in which these leaves have their other type.
    pub(super) fn with(&self, leaves: &[usize]) -> SchemaRef {
        self.with_others(|reading| leaves.contains(&reading.leaf))
    }

    fn with_others(&self, wanted: impl Fn(&Reading) -> bool) -> SchemaRef {
        let mut kinds = self.kinds.clone();
        for reading in self.readings.iter().filter(|reading| wanted(reading)) {
            kinds[reading.leaf] = reading.other.clone();
        }
        let kinds = RefCell::new(kinds.into_iter());
        let field = |field: &Field| {
            let kind = with_leaves(field.data_type(), &kinds);
            field.clone().with_data_type(kind)
        };
        let fields: Vec<Field> = self.schema.fields().iter().map(|one| field(one)).collect();
        SchemaRef::new(Schema::new_with_metadata(fields, self.schema.metadata().clone()))
    }
}

/// What all files of a list say of their leaves.
pub(super) struct Settled {
    /// The leaves that get their other type in each file.
    pub(super) others: Vec<usize>,
    /// The columns with values for which there is no type, and what they have.
    pub(super) lost: Vec<Lost>,
}

/// A column with values for which there is no type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lost {
    pub(super) column: usize,
    pub(super) what: &'static str,
}

impl Settled {
    /// For as many files, of which some have such leaves.
    pub(super) fn of(files: &[Option<Readings>]) -> Self {
        let mut settled = Self { others: Vec::new(), lost: Vec::new() };
        let all = || files.iter().flatten().flat_map(|file| &file.readings);
        let mut leaves: Vec<usize> = all().map(|reading| reading.leaf).collect();
        leaves.sort_unstable();
        leaves.dedup();
        for leaf in leaves {
            let readings = || all().filter(|reading| reading.leaf == leaf);
            let lacking = [0, 1].map(|which| readings().any(|reading| reading.lacking[which]));
            // A file of which only the first type can be read keeps that.
            let fixed = readings().count() < files.len();
            match (lacking, readings().next()) {
                ([true, other], Some(reading)) if other || fixed => {
                    settled.lost.push(Lost { column: reading.column, what: reading.what() });
                }
                ([true, _], _) => settled.others.push(leaf),
                _ => {}
            }
        }
        settled
    }
}

impl Reading {
    fn what(&self) -> &'static str {
        match self.other {
            DataType::Interval(_) => "intervals of months and intervals of days",
            _ => "times in nanoseconds, and times before 1677 or after 2262",
        }
    }
}

/// The types of what a type is made of, each of which is a column to Parquet.
fn leaf_kinds(kind: &DataType) -> Vec<DataType> {
    match (kind, part_kinds(kind)) {
        (DataType::Dictionary(..), _) => vec![kind.clone()],
        (_, parts) if parts.is_empty() => vec![kind.clone()],
        (_, parts) => parts.iter().flat_map(leaf_kinds).collect(),
    }
}

/// `kind` with these leaves.
fn with_leaves(kind: &DataType, leaves: &RefCell<IntoIter<DataType>>) -> DataType {
    if matches!(kind, DataType::Dictionary(..)) || part_kinds(kind).is_empty() {
        return leaves.borrow_mut().next().unwrap_or_else(|| kind.clone());
    }
    with_parts(kind, |part| with_leaves(part, leaves))
}

/// The arrays that an array is made of, in the order of [`leaf_kinds`].
fn leaves(array: &ArrayRef) -> Vec<ArrayRef> {
    let data = array.to_data();
    if matches!(array.data_type(), DataType::Dictionary(..)) || data.child_data().is_empty() {
        return vec![ArrayRef::clone(array)];
    }
    data.child_data().iter().flat_map(|part| leaves(&make_array(part.clone()))).collect()
}

/// Whether either of two types that the same values are read as lacks one of them.
fn lacking(one: &ArrayRef, other: &ArrayRef) -> [bool; 2] {
    let mut lacking = [false; 2];
    match (one.data_type(), other.data_type()) {
        (DataType::Timestamp(..), DataType::Timestamp(..)) => {
            let fine = one.as_primitive::<TimestampNanosecondType>().iter();
            let coarse = other.as_primitive::<TimestampMicrosecondType>().iter();
            for (fine, coarse) in fine.zip(coarse).filter_map(|(fine, coarse)| fine.zip(coarse)) {
                let rest = coarse.checked_mul(1_000).and_then(|nanos| fine.checked_sub(nanos));
                match rest {
                    Some(0) => {}
                    Some(rest) if rest.abs() < 1_000 => lacking[1] = true,
                    _ => lacking[0] = true,
                }
            }
        }
        (DataType::Interval(IntervalUnit::YearMonth), _) => {
            lacking = [has_days(other), has_months(one)];
        }
        (DataType::Interval(_), _) => lacking = [has_months(other), has_days(one)],
        _ => {}
    }
    lacking
}

fn has_months(array: &ArrayRef) -> bool {
    array.as_primitive::<IntervalYearMonthType>().iter().flatten().any(|months| months != 0)
}

fn has_days(array: &ArrayRef) -> bool {
    let array = array.as_primitive::<IntervalDayTimeType>();
    array.iter().flatten().any(|rest| rest != IntervalDayTime::ZERO)
}
