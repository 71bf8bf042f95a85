//! How many bytes a result takes at most: known before a run, as far as the input and the terms tell.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Metadata, Schema};

use super::sheet::Sheet;
use super::typed::GROUP;
use crate::pieces::in_file;
use crate::table::memory_of;
use crate::types::{arrays, part_fields};
use crate::{DataError, Destination, Format, Table};

/// What a file of types takes for each of its columns once, and again for each batch.
const A_COLUMN: u64 = 2048;
const A_COLUMN_OF_BATCH: u64 = 512;

/// What Parquet takes for each column of a group: its place and extremes, and a dictionary of all numbers of one byte.
const A_COLUMN_OF_GROUP: u64 = 512 + 4 * 256;

/// What a name and a text of metadata take beside themselves.
const A_PAIR: u64 = 128;

/// What a file of types takes for a value beside the value itself.
const A_VALUE: u64 = 9;

/// The part that Parquet's compression adds at most to what it cannot shorten: LZ4 a 255th, Zstandard less.
const ADDED: u64 = 128;

/// Rows that are written as one batch.
const BATCH: u64 = 1 << 13;

/// The longest name of a column that is ours or the peer's, with what stands beside it.
const A_NAME: u64 = 256 + 8;

/// How wide a row is that has nothing in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Width {
    /// Its columns, and those that they are made of.
    columns: u64,
    /// What it takes in a file of types.
    blank: u64,
    /// What the names of its columns take in a file of types that names each with all that it is in.
    paths: u64,
    /// What an object takes that names all of its columns, and has null in each.
    members: u64,
}

impl Width {
    /// With columns of these types.
    pub(super) fn of(schema: &Schema) -> Self {
        let blank = |field: &FieldRef| match field.data_type() {
            DataType::FixedSizeBinary(width) => u64::try_from(*width).unwrap_or_default(),
            kind => kind.primitive_width().unwrap_or_default() as u64,
        };
        let fields = schema.fields();
        let columns: u64 = fields.iter().map(|field| arrays(field.data_type()) as u64).sum();
        let blank: u64 = fields.iter().map(|field| blank(field) + A_VALUE).sum();
        let paths = fields.iter().map(|field| paths(field, 0)).sum();
        let members = fields.iter().map(|field| member(&field.name().as_str())).sum();
        Self { columns, blank, paths, members }
    }

    /// With so many columns of text.
    pub(super) fn text(columns: usize) -> Self {
        Self { columns: 0, blank: 0, paths: 0, members: 0 }.and(columns)
    }

    /// With so many columns of text more, which their owner names.
    fn and(self, columns: usize) -> Self {
        let columns = columns as u64;
        Self {
            columns: self.columns + columns,
            blank: self.blank + A_VALUE * columns,
            paths: self.paths + A_NAME * columns,
            ..self
        }
    }

    /// What so many rows take in a file of types beside the values in them, in so many batches.
    fn blank_rows(self, count: u64, batches: u64) -> u64 {
        let batches = batches.saturating_mul(A_COLUMN_OF_BATCH * (1 + self.columns));
        count.saturating_mul(self.blank).saturating_add(batches)
    }
}

/// Rows of one kind that a result has beside those of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) count: u64,
    /// The most bytes of text in the cells of a row.
    pub(super) text: u64,
    /// The names of the columns that these cells go to.
    pub(super) names: &'a [&'a str],
}

impl Rows<'_> {
    /// None at all.
    pub(super) const NONE: Self = Rows { count: 0, text: 0, names: &[] };

    /// What they take in rows of this width, of which as many are a batch as can be.
    pub(super) fn size(&self, format: Format, width: Width) -> u64 {
        let cells = self.names.len() as u64;
        let row = match format {
            // Every character might be a quote.
            Format::Csv => 2 * self.text + 2 * cells + width.columns + 2,
            // Every character might be a control character.
            Format::Ndjson => {
                6 * self.text + self.names.iter().map(member).sum::<u64>() + width.members + 4
            }
            Format::Parquet | Format::Arrow | Format::ArrowStream => {
                let text = self.count.saturating_mul(self.text);
                let batches = self.count.div_ceil(BATCH);
                let bytes = text.saturating_add(width.blank_rows(self.count, batches));
                return stored(format, bytes, self.count, width);
            }
        };
        self.count.saturating_mul(row)
    }
}

/// What so many rows take in a file at most whose values take these bytes.
fn stored(format: Format, bytes: u64, rows: u64, width: Width) -> u64 {
    if format != Format::Parquet {
        return bytes;
    }
    // Two groups that follow one another have more than one has room for, in memory, which is up to twice what the file has.
    let groups = rows.min(bytes.saturating_mul(4) / GROUP as u64 + 1);
    let of_groups = groups.saturating_mul(A_COLUMN_OF_GROUP * (1 + width.columns) + width.paths);
    bytes.saturating_add(bytes / ADDED).saturating_add(of_groups)
}

/// What the names of the columns take that Parquet makes of a field, each after the names of all that it is in.
fn paths(field: &Field, before: u64) -> u64 {
    const A_PART: u64 = 8;
    let path = before + field.name().len() as u64 + A_PART;
    let parts = part_fields(field.data_type());
    if parts.is_empty() { path } else { parts.into_iter().map(|part| paths(part, path)).sum() }
}

/// What a member of an object takes beside its value's text.
fn member(name: &&str) -> u64 {
    const NULL: u64 = 4;
    6 * name.len() as u64 + 4 + NULL
}

impl Destination {
    /// The most bytes that all rows of `table` take, after a look at those that are not text, or become NDJSON.
    pub(super) fn size_of_own(&self, table: &Table) -> Result<u64, DataError> {
        let format = self.format();
        let names: Vec<&str> = table.header().iter().map(String::as_str).collect();
        let fixed = size_of_schema(&table.schema());
        let lines = 1 + table.rows() as u64;
        let all = || Sheet::new(table, 0..table.rows());
        let size = match (format, table.text_bytes()) {
            (Format::Ndjson, Some(bytes)) if table.is_objects() => bytes + lines,
            // Of text, too: every character might be a control character, which takes six there.
            (Format::Csv, None) | (Format::Ndjson, _) => {
                let mut written = Counted(0);
                self.fill(all(), &mut written).map_err(|why| no_place(table, format, why))?;
                written.0
            }
            (Format::Parquet | Format::Arrow | Format::ArrowStream, None) => {
                all().size_typed(format).map_err(|why| no_place(table, format, why))?
            }
            (Format::Csv, Some(bytes)) if self.keeps(table) => bytes + 2 * lines,
            (Format::Parquet | Format::Arrow | Format::ArrowStream, Some(bytes)) => {
                bytes + Width::text(names.len()).blank_rows(lines, table.batches_of_text())
            }
            (Format::Csv, Some(bytes)) => {
                let rows = Rows { count: lines, text: 0, names: &names };
                2 * bytes + rows.size(format, Width::text(names.len()))
            }
        };
        let (rows, width) = (table.rows() as u64, Width::of(&table.schema()));
        Ok(fixed.saturating_add(stored(format, size, rows, width)))
    }
}

impl Destination {
    /// The most bytes that `sheet` takes beside the rows of its table: the cells that it adds to these, `own`, and the rows that
    /// follow.
    pub(super) fn size_beside(
        &self,
        sheet: &Sheet<'_>,
        own: Rows<'_>,
        following: Rows<'_>,
    ) -> Result<u64, DataError> {
        let (format, table) = (self.format(), sheet.table);
        let names = size_of_names(&sheet.added);
        let width = Width::of(&table.schema()).and(sheet.added.len());
        if !matches!(format, Format::Arrow | Format::ArrowStream) {
            let own = own.size(format, Width::text(own.names.len()));
            let following = following.size(format, width);
            return Ok(names.saturating_add(own).saturating_add(following));
        }
        // What is blank takes as much there as its type says, and each batch has its columns again.
        let refused = |why| no_place(table, format, why);
        let batches = match table.text_bytes() {
            Some(_) => table.batches_of_text(),
            None => sheet.batches(format).map_err(refused)?,
        };
        let cells = own.count.saturating_mul(own.text + A_VALUE * own.names.len() as u64);
        let columns = batches.saturating_mul(A_COLUMN_OF_BATCH * (1 + width.columns));
        let blank = match following.count {
            0 => 0,
            count => {
                let (bytes, rows) = sheet.size_of_blank(format).map_err(refused)?;
                bytes.saturating_mul(count.div_ceil(rows))
            }
        };
        let text = following.count.saturating_mul(following.text);
        let parts = [names, cells, columns, blank, text];
        Ok(parts.into_iter().fold(0, u64::saturating_add))
    }
}

/// What keeps rows of a table from a format.
fn no_place(table: &Table, format: Format, why: io::Error) -> DataError {
    why.downcast().unwrap_or_else(|why| DataError::NoPlace {
        file: table.name().to_owned(),
        format: format.name(),
        why,
    })
}

/// What names and types take.
fn size_of_schema(schema: &Schema) -> u64 {
    let fields = schema.fields().iter().map(|field| size_of_field(field));
    fields.sum::<u64>() + size_of_metadata(schema.metadata()) + A_COLUMN
}

fn size_of_field(field: &Field) -> u64 {
    let parts = part_fields(field.data_type()).into_iter().map(|part| size_of_field(part));
    let zone = size_of_zone(field.data_type());
    parts.sum::<u64>() + size_of_metadata(field.metadata()) + size_of_name(field.name()) + zone
}

fn size_of_zone(kind: &DataType) -> u64 {
    match kind {
        DataType::Timestamp(_, Some(zone)) => 4 * zone.len() as u64,
        DataType::Dictionary(_, values) => size_of_zone(values),
        _ => 0,
    }
}

fn size_of_metadata(metadata: &Metadata) -> u64 {
    let sizes = metadata.iter().map(|(name, text)| (name.len() + text.len()) as u64);
    sizes.map(|size| 4 * size + A_PAIR).sum()
}

fn size_of_name(name: &str) -> u64 {
    4 * name.len() as u64 + A_COLUMN
}

/// What columns of these names take in any format.
pub(super) fn size_of_names(names: &[&str]) -> u64 {
    names.iter().map(|name| size_of_name(name)).sum::<u64>() + A_COLUMN
}

/// The most bytes that these rows take in a file of types. In an Arrow file, dictionaries lie apart from them. In Parquet each row has its
/// values for itself: those that rows share are once in each group, and there may be a group for few rows.
pub(super) fn size_of_batch(format: Format, batch: &RecordBatch) -> u64 {
    let of = |array: &ArrayRef| match array.data_type() {
        DataType::Dictionary(..) if format == Format::Arrow => {
            memory_of(array.as_any_dictionary().keys()) as u64
        }
        _ if format == Format::Parquet => in_file(array),
        _ => memory_of(array) as u64,
    };
    let values = batch.columns().iter().map(of).fold(0, u64::saturating_add);
    if format == Format::Parquet {
        return values;
    }
    let (rows, columns) = (batch.num_rows() as u64, batch.num_columns() as u64);
    let arrays = batch.columns().iter().map(|array| arrays(array.data_type()) as u64);
    let beside = rows * columns * A_VALUE + A_COLUMN_OF_BATCH * (1 + arrays.sum::<u64>());
    values.saturating_add(beside)
}

/// Counts what is written.
struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
