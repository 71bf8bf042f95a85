//! Results as record batches, in the formats that keep types.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::dictionaries::{Dictionary, Gathered, MOST};
use super::kinds::{fits, kind_in, without_dictionaries};
use super::sheet::{Cells as AddedCells, Sheet};
use super::sizes::size_of_batch;
use crate::Format;
use crate::converted::{Room, converted};
use crate::json::write_member;
use crate::parquet_writer::{ParquetWriter, compression_for, group_for};
use crate::pieces::Written;
use crate::table::cell::{Cells, cells, is_json};
use crate::table::{compacted, memory_of};
use crate::types::has_dictionaries;

/// Rows of a batch that is made of cells, at most and at least; and bytes of memory between these.
const BATCH: usize = 1 << 13;
const FEW: usize = 64;
const PIECE: usize = 1 << 23;

/// Bytes of a group of rows in Parquet, which is in memory until it is complete.
pub(super) const GROUP: usize = 1 << 23;

/// The most bytes of one with many columns.
const WIDE_GROUP: usize = 1 << 25;

/// Writes record batches of one schema.
pub(super) enum BatchWriter<W: Write + Send> {
    Arrow(FileWriter<W>),
    Stream(StreamWriter<W>),
    Parquet(Box<ParquetWriter<W>>),
    Ndjson(W),
}

impl<W: Write + Send> BatchWriter<W> {
    /// Parquet is compressed by what takes no more than `most` bytes of memory.
    ///
    /// # Errors
    /// When the format has no place for a type in `schema`, or `out` fails.
    pub(super) fn new(format: Format, out: W, schema: &SchemaRef, most: u64) -> io::Result<Self> {
        Ok(match format {
            Format::Arrow => Self::Arrow(FileWriter::try_new(out, schema).map_err(of_arrow)?),
            Format::ArrowStream => {
                Self::Stream(StreamWriter::try_new(out, schema).map_err(of_arrow)?)
            }
            Format::Parquet => {
                let compression = compression_for(schema, most);
                let properties = WriterProperties::builder().set_compression(compression);
                let group = group_for(schema, GROUP, WIDE_GROUP);
                let writer = ParquetWriter::new(out, schema, properties, group);
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
            Self::Parquet(writer) => writer.finish().map(drop).map_err(of_parquet),
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

/// What is written of each column.
struct Layout {
    schema: SchemaRef,
    /// Of the columns that have one for all batches.
    dictionaries: Vec<Option<Dictionary>>,
}

impl Sheet<'_> {
    /// Writes the rows in `format`. Columns that cells of the rows that follow go to become strings, and what is empty
    /// in an added column or a following row is null.
    pub(super) fn write_typed(
        self,
        out: &mut (impl Write + Send),
        format: Format,
    ) -> io::Result<()> {
        let layout = self.layout(format)?;
        let mut writer = BatchWriter::new(format, out, &layout.schema, self.table.most())?;
        self.for_each_piece(&layout, |batch| writer.write(&batch))?;
        let most = self.rows_at_once(&layout)?;
        let mut more = self.more;
        loop {
            let rows: Vec<Vec<String>> = more.by_ref().take(most).collect();
            if rows.is_empty() {
                return writer.finish();
            }
            writer.write(&following(&rows, &self.places, &layout)?)?;
        }
    }

    /// The most bytes that the rows take in `format`, each decoded and in the types in which it would be written.
    pub(super) fn size_typed(&self, format: Format) -> io::Result<u64> {
        let layout = self.layout(format)?;
        try_types(format, &layout.schema)?;
        let mut size: u64 = 0;
        self.for_each_piece(&layout, |batch| {
            size = size_of_batch(format, &batch).saturating_add(size);
            Ok(())
        })?;
        let dictionaries = layout.dictionaries.iter().flatten().map(Dictionary::memory);
        Ok(size.saturating_add(dictionaries.sum::<usize>() as u64))
    }

    /// In how many batches the rows of its table are written.
    pub(super) fn batches(&self, format: Format) -> io::Result<u64> {
        let mut batches = 0;
        self.for_each_piece(&self.layout(format)?, |_| {
            batches += 1;
            Ok(())
        })?;
        Ok(batches)
    }

    /// What the fewest rows of a batch take that follow and have nothing in them, and how many they are.
    pub(super) fn size_of_blank(&self, format: Format) -> io::Result<(u64, u64)> {
        let blank = self.blank(&self.layout(format)?)?;
        Ok((size_of_batch(format, &blank), FEW as u64))
    }

    /// How many rows that follow are in memory at once.
    fn rows_at_once(&self, layout: &Layout) -> io::Result<usize> {
        if self.places.is_empty() {
            return Ok(BATCH);
        }
        let blank = self.blank(layout)?;
        let bytes: usize = blank.columns().iter().map(|array| memory_of(array)).sum();
        Ok((FEW * PIECE / bytes.max(1)).clamp(FEW, BATCH))
    }

    fn blank(&self, layout: &Layout) -> io::Result<RecordBatch> {
        following(&vec![vec![String::new(); self.places.len()]; FEW], &self.places, layout)
    }

    /// Calls `visit` with the rows as they are written. Where values that rows share are written for each, there are few rows at once.
    fn for_each_piece(
        &self,
        layout: &Layout,
        mut visit: impl FnMut(RecordBatch) -> io::Result<()>,
    ) -> io::Result<()> {
        let fields = self.table.schema().fields().clone();
        let is_spread = |(own, to): (&Arc<Field>, &Arc<Field>)| {
            has_dictionaries(own.data_type()) && !has_dictionaries(to.data_type())
        };
        let is_cut = fields.iter().zip(layout.schema.fields()).any(is_spread);
        self.table.for_each_batch(&self.rows, &self.own_columns(), |rows, batch| {
            if !is_cut {
                let finish = |array: &ArrayRef| Ok(Arc::clone(array));
                return self.visit_extended(rows, &batch, layout, finish, &mut visit);
            }
            let mut done = 0;
            for piece in Written::of(&batch).pieces() {
                let piece = piece.map_err(of_arrow)?;
                let rows = &rows[done..done + piece.num_rows()];
                done += rows.len();
                // Values that were in a dictionary bring the texts of all rows.
                self.visit_extended(rows, &piece, layout, compacted, &mut visit)?;
            }
            Ok(())
        })
    }

    /// Calls `visit` with the rows of a batch and their added cells; those that are written several times come by as few as take
    /// little memory.
    fn visit_extended(
        &self,
        rows: &[usize],
        batch: &RecordBatch,
        layout: &Layout,
        finish: impl Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
        visit: &mut impl FnMut(RecordBatch) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.added.is_empty() {
            return visit(extended(batch, &[], layout, &finish)?);
        }
        let mut added = Added::new(self.added.len());
        for (place, row) in (0..).zip(rows) {
            for cells in (self.own)(*row) {
                added.push(place, &cells);
                if added.bytes >= PIECE || added.places.len() >= rows.len().max(BATCH) {
                    self.visit_added(batch, layout, &finish, visit, &mut added)?;
                }
            }
        }
        self.visit_added(batch, layout, &finish, visit, &mut added)
    }

    fn visit_added(
        &self,
        batch: &RecordBatch,
        layout: &Layout,
        finish: &impl Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
        visit: &mut impl FnMut(RecordBatch) -> io::Result<()>,
        added: &mut Added,
    ) -> io::Result<()> {
        let (places, columns) = added.take();
        if places.is_empty() {
            return Ok(());
        }
        if places.iter().copied().eq(0..batch.num_rows() as u64) {
            return visit(extended(batch, &columns, layout, finish)?);
        }
        for copies in Written::of(batch).copies(&places) {
            let (range, copies) = copies.map_err(of_arrow)?;
            let columns: Vec<ArrayRef> =
                columns.iter().map(|array| array.slice(range.start, range.len())).collect();
            visit(extended(&copies, &columns, layout, finish)?)?;
        }
        Ok(())
    }

    fn own_columns(&self) -> Vec<usize> {
        (0..self.table.header().len()).collect()
    }

    fn layout(&self, format: Format) -> io::Result<Layout> {
        let dictionaries = self.dictionaries(format)?;
        let follow = !self.places.is_empty();
        let table = self.table.schema();
        let field = |(place, field): (usize, &Arc<Field>)| {
            let kind = match &dictionaries[place] {
                Some(dictionary) => dictionary.kind().clone(),
                None if self.places.contains(&place) => DataType::Utf8,
                None if format == Format::Arrow => without_dictionaries(field.data_type()),
                None => kind_in(format, field.data_type()),
            };
            let field = field.as_ref().clone().with_nullable(follow || field.is_nullable());
            field.with_data_type(kind)
        };
        let mut fields: Vec<Field> = table.fields().iter().enumerate().map(field).collect();
        fields.extend(self.added.iter().map(|name| Field::new(*name, DataType::Utf8, true)));
        let schema = Arc::new(Schema::new_with_metadata(fields, table.metadata().clone()));
        Ok(Layout { schema, dictionaries })
    }

    /// One for each column of dictionaries in an Arrow file, after a look at all rows; a column whose dictionary would take too much
    /// memory has none, and plain values.
    fn dictionaries(&self, format: Format) -> io::Result<Vec<Option<Dictionary>>> {
        let schema = self.table.schema();
        let is_one = |place: &usize| {
            let kind = kind_in(format, schema.field(*place).data_type());
            format == Format::Arrow
                && matches!(kind, DataType::Dictionary(..))
                && !self.places.contains(place)
        };
        let columns: Vec<usize> = self.own_columns().into_iter().filter(is_one).collect();
        let most = MOST / columns.len().max(1);
        let new = |place: &usize| Gathered::new(schema.field(*place).data_type(), most);
        let mut gathered: Vec<Gathered> = columns.iter().map(new).collect();
        if !columns.is_empty() {
            self.table.for_each_batch(&self.rows, &columns, |_, batch| {
                let mut added = gathered.iter_mut().zip(batch.columns());
                added.try_for_each(|(gathered, array)| gathered.add(array).map_err(of_arrow))
            })?;
        }
        let mut dictionaries: Vec<_> = schema.fields().iter().map(|_| None).collect();
        for (place, gathered) in columns.into_iter().zip(gathered) {
            dictionaries[place] = gathered.together().map_err(of_arrow)?;
        }
        Ok(dictionaries)
    }
}

/// Cells of added columns, and the places in a batch of the rows that they are added to.
struct Added {
    places: Vec<u64>,
    columns: Vec<StringBuilder>,
    /// Of all cells.
    bytes: usize,
}

impl Added {
    fn new(columns: usize) -> Self {
        let columns = (0..columns).map(|_| StringBuilder::new()).collect();
        Self { places: Vec::new(), columns, bytes: 0 }
    }

    fn push(&mut self, place: u64, cells: &AddedCells) {
        self.places.push(place);
        self.bytes += cells.iter().flatten().map(String::len).sum::<usize>();
        let columns = self.columns.iter_mut().zip(cells);
        columns.for_each(|(to, cell)| to.append_option(cell.as_deref()));
    }

    /// All of it, which is gone from here.
    fn take(&mut self) -> (Vec<u64>, Vec<ArrayRef>) {
        self.bytes = 0;
        let columns = self.columns.iter_mut();
        let columns = columns.map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
        (std::mem::take(&mut self.places), columns)
    }
}

/// Rows of the table with the added columns. All batches have the same array of values under a column's one dictionary; `finish` makes
/// what is written of each other column.
fn extended(
    batch: &RecordBatch,
    added: &[ArrayRef],
    Layout { schema, dictionaries }: &Layout,
    finish: &impl Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> io::Result<RecordBatch> {
    let own = batch.columns().iter().zip(schema.fields()).zip(dictionaries);
    let own = own.map(|((array, field), dictionary)| match dictionary {
        Some(dictionary) => dictionary.of(array),
        None => finish(&as_kind(array, field)?),
    });
    let mut columns = own.collect::<Result<Vec<_>, _>>().map_err(of_arrow)?;
    columns.extend_from_slice(added);
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(of_arrow)
}

/// Writes a row without values to nowhere: some types are refused only then.
fn try_types(format: Format, schema: &SchemaRef) -> io::Result<()> {
    let field = |field: &Arc<Field>| field.as_ref().clone().with_nullable(true);
    let schema = Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()));
    if let Some(field) = schema.fields().iter().find(|field| !fits(format, field.data_type())) {
        let what = format!("it has no place for {}", field.data_type());
        return Err(io::Error::other(what));
    }
    let nulls = schema.fields().iter().map(|field| new_null_array(field.data_type(), 1)).collect();
    let mut writer = BatchWriter::new(format, io::sink(), &schema, u64::MAX)?;
    writer.write(&RecordBatch::try_new(schema, nulls).map_err(of_arrow)?)?;
    writer.finish()
}

/// `array` in the field's type: the one that its format has for it, or its texts.
fn as_kind(array: &ArrayRef, field: &Field) -> Result<ArrayRef, ArrowError> {
    let (own, kind) = (array.data_type(), field.data_type());
    if own != kind && *kind == DataType::Utf8 {
        let texts = cells(array);
        return Ok(Arc::new((0..array.len()).map(texts).collect::<StringArray>()));
    }
    converted(array, kind, &mut Room::of_machine())
}

/// Rows that have nothing but cells in `places`.
fn following(
    rows: &[Vec<String>],
    places: &[usize],
    Layout { schema, dictionaries }: &Layout,
) -> io::Result<RecordBatch> {
    assert!(rows.iter().all(|cells| cells.len() == places.len()), "a cell for each column");
    let column = |(index, field): (usize, &Arc<Field>)| -> Result<ArrayRef, ArrowError> {
        let cell = places.iter().position(|place| *place == index);
        match (cell, dictionaries.get(index).and_then(Option::as_ref)) {
            (Some(cell), _) => {
                let texts = rows.iter().map(|row| filled(&row[cell]));
                Ok(Arc::new(texts.collect::<StringArray>()))
            }
            (None, Some(dictionary)) => dictionary.nulls(rows.len()),
            (None, None) => Ok(new_null_array(field.data_type(), rows.len())),
        }
    };
    let columns = schema.fields().iter().enumerate().map(column);
    let columns = columns.collect::<Result<_, _>>().map_err(of_arrow)?;
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(of_arrow)
}

fn filled(cell: &str) -> Option<&str> {
    (!cell.is_empty()).then_some(cell)
}
