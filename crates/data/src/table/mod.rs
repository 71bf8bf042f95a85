//! A list as it was given: text or values under named columns.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::DataError;
use crate::error::{Place, Spot};

mod batches;
mod body;
pub(crate) mod cell;
mod claims;
mod compact;
mod cost;
mod delimited;
mod delta;
mod expand;
mod fields;
mod files;
mod footer;
mod guard;
mod header;
mod index;
mod leaves;
mod lists;
mod longest;
mod messages;
mod objects;
mod pages;
mod parquet;
mod raw;
mod readings;
mod records;
mod segment;
#[cfg_attr(not(feature = "excel"), path = "no_sheet.rs")]
mod sheet;
mod store;
mod stretch;
mod text;
mod thrift;
pub(crate) mod unpack;
#[cfg(feature = "excel")]
mod workbook;

use self::batches::Batches;
pub(crate) use self::batches::memory_of;
use self::body::Body;
use self::cell::{has_text, value_type};
pub(crate) use self::claims::fits;
pub(crate) use self::compact::compacted;
pub(crate) use self::delimited::Delimited;
pub use self::fields::Fields;
pub use self::files::Arrivals;
use self::objects::Objects;
pub use self::raw::RawRows;
use self::readings::Lost;
use self::segment::{Segment, Selection};
pub(crate) use self::store::Store;
use self::stretch::Rows;

/// Rows under a header: text, each row kept byte for byte, or values of types, kept as they are.
///
/// CSV and NDJSON cost their text and 8 bytes a row, Parquet its bytes, of which a pass decodes the columns that it needs,
/// and Arrow its buffers. All of these may lie in a temporary file instead ([`Scratch`](crate::Scratch)).
/// Clones share them.
#[derive(Clone)]
pub struct Table {
    name: String,
    header: Vec<String>,
    /// One or more, of the same columns.
    segments: Arc<[Segment]>,
    /// Columns that cannot be read.
    lost: Arc<[Lost]>,
    /// The limit on memory, less what the program takes itself.
    most: u64,
}

impl Table {
    /// Delimited text from bytes in memory that messages call `name`: a header, then rows of the same width. Byte order
    /// marks and blank lines are skipped.
    ///
    /// # Errors
    /// When the bytes are not such a table, or `delimiter` is not ASCII, a quote or a line end.
    pub fn parse(name: String, bytes: Vec<u8>, delimiter: u8) -> Result<Self, DataError> {
        let text = Delimited::parse(name.clone(), Store::Memory(bytes), delimiter)?;
        let body = Body::Delimited(text);
        Self::of(name.clone(), body.header(), vec![(name, body)])
    }

    /// NDJSON from bytes in memory that messages call `name`, as [`Table::read`] reads it.
    ///
    /// # Errors
    /// When a line is no JSON object, or there is none.
    pub fn parse_ndjson(name: String, bytes: Vec<u8>) -> Result<Self, DataError> {
        let body = Body::Objects(Objects::parse(name.clone(), Store::Memory(bytes))?);
        Self::of(name.clone(), body.header(), vec![(name, body)])
    }

    /// Record batches that messages call `name`; their buffers are shared, not copied, but for list views, which become
    /// lists.
    ///
    /// # Errors
    /// When a batch has other columns than `schema`, or there are too many rows.
    pub fn from_batches(
        name: String,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> Result<Self, DataError> {
        let body = Batches::new(&schema, &batches).map(Body::Batches);
        let body = body.ok_or_else(|| DataError::OtherColumns { file: name.clone() })?;
        Self::of(name.clone(), body.header(), vec![(name, body)])
    }

    /// A table of these segments, which have the columns `header`.
    fn of(
        name: String,
        header: Vec<String>,
        bodies: Vec<(String, Body)>,
    ) -> Result<Self, DataError> {
        let mut segments = Vec::with_capacity(bodies.len());
        let mut first_row = 0;
        for (name, body) in bodies {
            let rows = body.rows();
            segments.push(Segment { name, first_row, body });
            first_row = first_row.saturating_add(rows);
        }
        if first_row >= u32::MAX as usize {
            return Err(DataError::TooManyRows { file: name });
        }
        let segments = segments.into();
        Ok(Self { name, header, segments, lost: Arc::default(), most: u64::MAX })
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns' names.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The columns' names and types; those of text are strings.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        match self.segments.first().and_then(|segment| segment.body.schema()) {
            Some(schema) => Arc::clone(schema),
            None => {
                let text = |name: &String| Field::new(name, DataType::Utf8, true);
                Arc::new(Schema::new(self.header.iter().map(text).collect::<Vec<_>>()))
            }
        }
    }

    /// How many rows there are below the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.first_row + segment.body.rows())
    }

    /// Bytes of memory that the table occupies.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.segments.iter().map(|segment| segment.body.memory()).sum::<usize>() as u64
    }

    /// The limit on memory, in bytes, less what the program takes itself; close to the largest number where there is none.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// Calls `visit` with each row's number and its fields in `columns`.
    ///
    /// # Errors
    /// When a column has no text, or its values cannot be decoded.
    pub fn for_each_row(
        &self,
        columns: &[usize],
        mut visit: impl FnMut(usize, &Fields<'_>),
    ) -> Result<(), DataError> {
        self.try_for_each_row(columns, |row, fields| {
            visit(row, fields);
            Ok(())
        })
    }

    /// How many values generators may make of its rows: so many as there is memory for while they are numbered.
    pub(crate) fn most_made(&self) -> usize {
        // A digest, its place in a table that is half empty, and its number; all may double when they grow.
        const BYTES: u64 = 2 * (32 + 10 + 4);
        usize::try_from(self.most / BYTES).unwrap_or(usize::MAX)
    }

    /// As [`Table::for_each_row`], up to the first error.
    pub(crate) fn try_for_each_row(
        &self,
        columns: &[usize],
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        self.check_text(columns)?;
        self.segments.iter().try_for_each(|segment| {
            segment.visit(&segment.all(), &self.header, columns, &mut visit)
        })
    }

    /// The rows with these numbers as record batches of [`Table::schema`], in the table's order.
    ///
    /// # Errors
    /// When their values cannot be decoded.
    ///
    /// # Panics
    /// When a number is not above the one before it, or not below [`Table::rows`].
    pub fn take(&self, rows: impl Iterator<Item = usize>) -> Result<Vec<RecordBatch>, DataError> {
        let rows: Vec<usize> = rows.collect();
        let columns: Vec<usize> = (0..self.header.len()).collect();
        let mut taken = Vec::new();
        self.for_each_batch(&rows, &columns, |_, batch| {
            taken.push(batch);
            Ok::<_, DataError>(())
        })?;
        Ok(taken)
    }

    /// Calls `visit` with the rows of these numbers as record batches of `columns`, and with their numbers.
    pub(crate) fn for_each_batch<E: From<DataError>>(
        &self,
        rows: &[usize],
        columns: &[usize],
        mut visit: impl FnMut(&[usize], RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check_whole(columns)?;
        let schema = self.schema();
        let fields: Vec<_> = columns.iter().map(|place| schema.field(*place).clone()).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        let selection = Selection { header: &self.header, columns, schema: &schema };
        for (segment, rows) in self.by_segment(rows) {
            let mut done = 0;
            segment.for_each_batch(rows, selection, |batch| {
                let numbers = &rows[done..done + batch.num_rows()];
                done += batch.num_rows();
                visit(numbers, batch)
            })?;
        }
        Ok(())
    }

    /// Calls `visit` with the rows of these numbers, as [`Table::take`] wants them, and their fields in `columns`.
    pub(crate) fn try_for_rows<E: From<DataError>>(
        &self,
        rows: &[usize],
        columns: &[usize],
        mut visit: impl FnMut(usize, &Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check_text(columns)?;
        let mut segments = self.by_segment(rows);
        segments.try_for_each(|(segment, rows)| {
            let own = segment.own(rows);
            segment.visit(&Rows::These(&own), &self.header, columns, &mut visit)
        })
    }

    /// The rows that lie in each segment.
    fn by_segment<'a>(
        &'a self,
        rows: &'a [usize],
    ) -> impl Iterator<Item = (&'a Segment, &'a [usize])> {
        assert!(rows.is_sorted_by(|a, b| a < b), "rows in the table's order");
        assert!(rows.last().is_none_or(|row| *row < self.rows()), "rows of the table");
        self.segments.iter().map(|segment| {
            let place = |row: usize| rows.partition_point(|other| *other < row);
            (
                segment,
                &rows[place(segment.first_row)..place(segment.first_row + segment.body.rows())],
            )
        })
    }

    /// Whether it is of JSON objects alone.
    pub(crate) fn is_objects(&self) -> bool {
        self.segments.iter().all(|segment| matches!(segment.body, Body::Objects(_)))
    }

    /// How long the text is that it is made of, if it is.
    pub(crate) fn text_bytes(&self) -> Option<u64> {
        self.segments.iter().map(|segment| segment.body.text_bytes()).sum()
    }

    /// In how many batches its rows are written, where it is text: each file begins one.
    pub(crate) fn batches_of_text(&self) -> u64 {
        self.segments
            .iter()
            .map(|segment| segment.body.rows().div_ceil(segment::BATCH) as u64)
            .sum()
    }

    /// Decodes everything that is not decoded yet, to no other end than to know that it can be.
    pub(crate) fn decode(&self) -> Result<(), DataError> {
        self.segments.iter().try_for_each(|segment| segment.decode(self.header.len()))
    }

    /// Finds out whether the values in `columns` can be read.
    ///
    /// # Errors
    /// When there is no type that has all of a column.
    pub(crate) fn check_whole(&self, columns: &[usize]) -> Result<(), DataError> {
        match self.lost.iter().find(|lost| columns.contains(&lost.column)) {
            None => Ok(()),
            Some(lost) => Err(DataError::NoType {
                file: self.name.clone(),
                column: self.header[lost.column].clone(),
                what: lost.what,
            }),
        }
    }

    /// Finds out whether the values in `columns` have a text.
    ///
    /// # Errors
    /// When one has not: it holds lists, records, intervals or the like.
    pub(crate) fn check_text(&self, columns: &[usize]) -> Result<(), DataError> {
        self.check_whole(columns)?;
        let schema = self.schema();
        let kind = |column: &usize| schema.field(*column).data_type();
        match columns.iter().find(|column| !has_text(kind(column))) {
            None => Ok(()),
            Some(column) => Err(DataError::NoText {
                file: self.name.clone(),
                column: self.header[*column].clone(),
                kind: kind(column).to_string(),
            }),
        }
    }

    /// Finds out whether the values in `columns` make keys.
    ///
    /// # Errors
    /// As [`Table::check_text`], and when equal values need not have equal texts: floating-point numbers, JSON objects
    /// and arrays.
    pub(crate) fn check_keys(&self, columns: &[usize]) -> Result<(), DataError> {
        self.check_text(columns)?;
        let schema = self.schema();
        for column in columns {
            let name = &self.header[*column];
            if value_type(schema.field(*column).data_type()).is_floating() {
                return Err(DataError::FloatKey { file: self.name.clone(), column: name.clone() });
            }
            for segment in self.segments.iter() {
                if let Some(row) = segment.body.nested(name) {
                    let place = self.place_of_row(segment.first_row + row, Some(*column));
                    return Err(DataError::NestedKey { place });
                }
            }
        }
        Ok(())
    }

    /// Rows as they were, without their line ends, where the table is text.
    #[must_use]
    pub fn raw_rows(&self) -> RawRows<'_> {
        RawRows::new(self)
    }

    /// The delimited text whose header and line ends the output has, where the table is such text.
    pub(crate) fn delimited(&self) -> Option<&Delimited> {
        match &self.segments.first()?.body {
            Body::Delimited(text) => Some(text),
            _ => None,
        }
    }

    /// Where row `index` is, or the field of it in `column`.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn place_of_row(&self, index: usize, column: Option<usize>) -> Place {
        let segment = self.segment_of(index);
        let index = index - segment.first_row;
        let name = |column: usize| (column, self.header.get(column).cloned());
        let column = column.map(name);
        match &segment.body {
            Body::Delimited(text) => Place { column, ..text.place_of_row(index) },
            Body::Objects(objects) => Place { column, ..objects.place_of_row(index) },
            Body::Batches(_) | Body::Parquet(_) => {
                Place { file: segment.name.clone(), spot: Spot::Row(index as u64 + 1), column }
            }
        }
    }

    fn segment_of(&self, row: usize) -> &Segment {
        &self.segments[self.segments.partition_point(|segment| segment.first_row <= row) - 1]
    }
}

#[cfg(test)]
mod tests;
