//! Results as record batches, in the formats that keep types.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::sheet::Sheet;
use crate::Format;
use crate::json::write_member;
use crate::table::cell::{Cells, cells, is_json};

/// Rows of a batch that is made of cells.
const BATCH: usize = 1 << 13;

/// Writes record batches of one schema.
pub(super) enum BatchWriter<W: Write + Send> {
    Arrow(FileWriter<W>),
    Stream(StreamWriter<W>),
    Parquet(Box<ArrowWriter<W>>),
    Ndjson(W),
}

impl<W: Write + Send> BatchWriter<W> {
    /// # Errors
    /// When the format has no place for a type in `schema`, or `out` fails.
    pub(super) fn new(format: Format, out: W, schema: &SchemaRef) -> io::Result<Self> {
        Ok(match format {
            Format::Arrow => Self::Arrow(FileWriter::try_new(out, schema).map_err(of_arrow)?),
            Format::ArrowStream => {
                Self::Stream(StreamWriter::try_new(out, schema).map_err(of_arrow)?)
            }
            Format::Parquet => {
                let compression = Compression::ZSTD(ZstdLevel::default());
                let properties = WriterProperties::builder().set_compression(compression).build();
                let writer = ArrowWriter::try_new(out, Arc::clone(schema), Some(properties));
                Self::Parquet(Box::new(writer.map_err(of_parquet)?))
            }
            Format::Ndjson | Format::Csv => Self::Ndjson(out),
        })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Self::Arrow(writer) => writer.write(batch).map_err(of_arrow),
            Self::Stream(writer) => writer.write(batch).map_err(of_arrow),
            Self::Parquet(writer) => writer.write(batch).map_err(of_parquet),
            Self::Ndjson(out) => write_objects(out, batch),
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Arrow(mut writer) => writer.finish().map_err(of_arrow),
            Self::Stream(mut writer) => writer.finish().map_err(of_arrow),
            Self::Parquet(writer) => writer.close().map(drop).map_err(of_parquet),
            Self::Ndjson(_) => Ok(()),
        }
    }
}

fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, why) => why,
        other => io::Error::other(other),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(why) => match why.downcast() {
            Ok(why) => *why,
            Err(why) => io::Error::other(why),
        },
        other => io::Error::other(other),
    }
}

/// Writes an object a row: numbers and booleans as JSON has them, all else as its text.
fn write_objects(out: &mut impl Write, batch: &RecordBatch) -> io::Result<()> {
    let schema = batch.schema();
    let columns: Vec<Cells<'_>> = batch.columns().iter().map(|array| cells(array)).collect();
    for row in 0..batch.num_rows() {
        out.write_all(b"{")?;
        for (index, (cell, field)) in columns.iter().zip(schema.fields()).enumerate() {
            let text = cell(row);
            let plain = text.as_ref().is_some_and(|text| is_json(field.data_type(), text));
            write_member(out, index > 0, field.name(), text.as_deref(), plain)?;
        }
        out.write_all(b"}\n")?;
    }
    Ok(())
}

impl Sheet<'_> {
    /// Writes the rows in `format`. Columns that cells of the rows that follow go to become strings, and what is empty
    /// in an added column or a following row is null.
    pub(super) fn write_typed(
        self,
        out: &mut (impl Write + Send),
        format: Format,
    ) -> io::Result<()> {
        let schema = self.schema();
        let mut writer = BatchWriter::new(format, out, &schema)?;
        self.table.for_each_batch(&self.rows, |rows, batch| {
            writer.write(&self.extended(rows, &batch, &schema)?)
        })?;
        let mut more = self.more;
        loop {
            let rows: Vec<Vec<String>> = more.by_ref().take(BATCH).collect();
            if rows.is_empty() {
                return writer.finish();
            }
            writer.write(&following(&rows, &self.places, &schema)?)?;
        }
    }

    /// The columns of what is written.
    pub(super) fn schema(&self) -> SchemaRef {
        let own = self.table.schema();
        if self.places.is_empty() {
            return own;
        }
        let field = |(place, field): (usize, &Arc<Field>)| {
            if self.places.contains(&place) && field.data_type() != &DataType::Utf8 {
                Field::new(field.name(), DataType::Utf8, true)
            } else {
                field.as_ref().clone().with_nullable(true)
            }
        };
        let mut fields: Vec<Field> = own.fields().iter().enumerate().map(field).collect();
        fields.extend(self.added.iter().map(|name| Field::new(*name, DataType::Utf8, true)));
        Arc::new(Schema::new_with_metadata(fields, own.metadata().clone()))
    }

    /// Rows of the table with the added columns.
    fn extended(
        &self,
        rows: &[usize],
        batch: &RecordBatch,
        schema: &SchemaRef,
    ) -> io::Result<RecordBatch> {
        let own = batch.columns().iter().zip(schema.fields());
        let mut columns: Vec<ArrayRef> = own.map(|(array, field)| as_kind(array, field)).collect();
        let mut added: Vec<StringBuilder> =
            self.added.iter().map(|_| StringBuilder::new()).collect();
        if !added.is_empty() {
            for row in rows {
                let cells = (self.own)(*row);
                added.iter_mut().zip(cells).for_each(|(to, cell)| to.append_option(filled(&cell)));
            }
        }
        columns.extend(added.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef));
        RecordBatch::try_new(Arc::clone(schema), columns).map_err(of_arrow)
    }
}

/// `array`, or its texts where the field has strings in its place.
fn as_kind(array: &ArrayRef, field: &Field) -> ArrayRef {
    if array.data_type() == field.data_type() {
        return Arc::clone(array);
    }
    let texts = cells(array);
    Arc::new((0..array.len()).map(texts).collect::<StringArray>())
}

/// Rows that have nothing but cells in `places`.
fn following(
    rows: &[Vec<String>],
    places: &[usize],
    schema: &SchemaRef,
) -> io::Result<RecordBatch> {
    assert!(rows.iter().all(|cells| cells.len() == places.len()), "a cell for each column");
    let column = |(index, field): (usize, &Arc<Field>)| -> ArrayRef {
        match places.iter().position(|place| *place == index) {
            Some(cell) => {
                Arc::new(rows.iter().map(|row| filled(&row[cell])).collect::<StringArray>())
            }
            None => new_null_array(field.data_type(), rows.len()),
        }
    };
    let columns = schema.fields().iter().enumerate().map(column).collect();
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(of_arrow)
}

fn filled(cell: &str) -> Option<&str> {
    (!cell.is_empty()).then_some(cell)
}
