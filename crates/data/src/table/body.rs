//! What a file's rows are kept as.

use std::iter::once;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::batches::{Batches, Held, memory_of_batch, same_columns};
use super::claims::{Unfit, fits};
use super::delimited::Delimited;
use super::guard;
use super::objects::Objects;
use super::parquet::ParquetFile;
use super::store::Store;
use super::text::Window;
use crate::caught::caught;
use crate::converted::{Room, batch_in};
use crate::pieces::Written;
use crate::spill::Depot;
use crate::types::as_read;
use crate::{DataError, Format};

pub(super) enum Body {
    Delimited(Delimited),
    Objects(Objects),
    Batches(Batches),
    Parquet(ParquetFile),
}

impl Body {
    /// Reads a file's bytes.
    pub(super) fn read(
        name: &str,
        store: Store,
        format: Format,
        delimiter: u8,
        depot: &mut Depot<'_>,
    ) -> Result<Self, DataError> {
        let file = || name.to_owned();
        Ok(match format {
            Format::Csv => Self::Delimited(Delimited::parse(file(), store, delimiter)?),
            Format::Ndjson => Self::Objects(Objects::parse(file(), store)?),
            Format::Parquet => Self::Parquet(ParquetFile::open(name, store, depot.piece())?),
            Format::Arrow | Format::ArrowStream => {
                let blocks = store.blocks();
                let (schema, batches) = guard::arrow(name, &blocks, format, depot.piece())?;
                Self::of_batches(name, schema, batches, depot)?
            }
        })
    }

    /// Keeps record batches, in the types in which columns are read: in memory what fits there, else all of them as Parquet in the
    /// temporary file, if that has a place for their types.
    pub(super) fn of_batches(
        name: &str,
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        depot: &mut Depot<'_>,
    ) -> Result<Self, DataError> {
        let (own, schema, most) = (&schema, as_read(&schema), depot.piece());
        let mut batches = batches.map(|batch| {
            let batch = batch.map_err(|_| DataError::Damaged { file: name.to_owned() })?;
            if !same_columns(&batch.schema(), own) {
                return Err(DataError::OtherColumns { file: name.to_owned() });
            }
            caught(|| within(&batch, &schema, most))
                .unwrap_or(Err(Unfit::Damaged))
                .map_err(|unfit| unfit.of(name.to_owned()))
        });
        let (mut kept, mut held) = (Vec::new(), Held::default());
        for batch in batches.by_ref() {
            let batch = batch?;
            held.add(&batch);
            kept.push(batch);
            if held.bytes as u64 > depot.keep && ParquetFile::takes(&schema) {
                let all = kept.into_iter().map(Ok).chain(batches);
                return Ok(Self::Parquet(ParquetFile::spilled(name, &schema, all, depot)?));
            }
        }
        drop(batches);
        depot.keep = depot.keep.saturating_sub(held.bytes as u64);
        Ok(Self::Batches(Batches::of(schema, kept)))
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Delimited(text) => text.rows(),
            Self::Objects(objects) => objects.rows(),
            Self::Batches(batches) => batches.rows(),
            Self::Parquet(file) => file.rows(),
        }
    }

    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Delimited(text) => text.memory(),
            Self::Objects(objects) => objects.memory(),
            Self::Batches(batches) => batches.memory(),
            Self::Parquet(file) => file.memory(),
        }
    }

    /// Its rows, cut where a stretch of them must end.
    pub(super) fn parts(&self) -> Box<dyn Iterator<Item = Range<usize>> + '_> {
        match self {
            Self::Delimited(_) | Self::Objects(_) => Box::new(once(0..self.rows())),
            Self::Batches(batches) => Box::new(batches.parts()),
            Self::Parquet(file) => Box::new(file.parts()),
        }
    }

    /// How many stretches of rows may be decoded at once.
    pub(super) fn decoders(&self) -> usize {
        match self {
            Self::Delimited(_) | Self::Objects(_) | Self::Batches(_) => usize::MAX,
            Self::Parquet(file) => file.decoders(),
        }
    }

    /// The columns' names.
    pub(super) fn header(&self) -> Vec<String> {
        match self {
            Self::Delimited(text) => text.header().to_vec(),
            Self::Objects(objects) => objects.names().to_vec(),
            Self::Batches(batches) => names(batches.schema()),
            Self::Parquet(file) => names(file.schema()),
        }
    }

    /// The types of its columns, where they have any.
    pub(super) fn schema(&self) -> Option<&SchemaRef> {
        match self {
            Self::Delimited(_) | Self::Objects(_) => None,
            Self::Batches(batches) => Some(batches.schema()),
            Self::Parquet(file) => Some(file.schema()),
        }
    }

    /// The first row with a JSON object or array in the column of this name.
    pub(super) fn nested(&self, name: &str) -> Option<usize> {
        match self {
            Self::Objects(objects) => objects.nested(name),
            Self::Delimited(_) | Self::Batches(_) | Self::Parquet(_) => None,
        }
    }

    /// How long it is, where it is text.
    pub(super) fn text_bytes(&self) -> Option<u64> {
        match self {
            Self::Delimited(text) => Some(text.bytes()),
            Self::Objects(objects) => Some(objects.bytes()),
            Self::Batches(_) | Self::Parquet(_) => None,
        }
    }

    /// For reading rows as they were, where it is text.
    pub(super) fn window(&self) -> Option<Window<'_>> {
        match self {
            Self::Delimited(text) => Some(text.window()),
            Self::Objects(objects) => Some(objects.window()),
            Self::Batches(_) | Self::Parquet(_) => None,
        }
    }

    /// Row `row` as it was, where it is text; `window` is [`Body::window`]'s.
    pub(super) fn raw_row<'a>(
        &self,
        row: usize,
        window: &'a mut Window<'_>,
    ) -> Option<Result<&'a str, DataError>> {
        match self {
            Self::Delimited(text) => Some(text.raw_row(row, window)),
            Self::Objects(objects) => Some(objects.raw_row(row, window)),
            Self::Batches(_) | Self::Parquet(_) => None,
        }
    }
}

/// The same rows in the types of `schema`, where they and the largest piece of them that is written fit into `most` bytes.
fn within(batch: &RecordBatch, schema: &SchemaRef, most: u64) -> Result<RecordBatch, Unfit> {
    let mut room = Room::new(most, memory_of_batch(batch) as u64);
    let batch = batch_in(batch, schema, &mut room).map_err(|why| match why {
        ArrowError::MemoryError(_) => Unfit::TooLarge(room.taken()),
        _ => Unfit::Damaged,
    })?;
    // Without a limit nothing is written to the temporary file.
    let largest = if most == u64::MAX { 0 } else { Written::of(&batch).largest() };
    let numbers = batch.columns().iter().map(|array| numbers(&array.to_data(), false));
    fits(numbers.fold(largest.max(room.taken()), u64::max), most)?;
    Ok(batch)
}

/// Bytes of the longest list of numbers that may be made where some rows are taken: of values that have no bytes of their own, and
/// of those without a width in lists of one length.
fn numbers(data: &ArrayData, in_equal_lists: bool) -> u64 {
    const NUMBER: u64 = 4;
    let kind = data.data_type();
    let is_numbered = match kind {
        DataType::Null
        | DataType::Struct(_)
        | DataType::Union(..)
        | DataType::RunEndEncoded(..)
        | DataType::FixedSizeList(..)
        | DataType::FixedSizeBinary(_) => true,
        kind => in_equal_lists && kind.primitive_width().is_none(),
    };
    let own = if is_numbered { (data.len() as u64).saturating_mul(NUMBER) } else { 0 };
    let in_equal_lists = matches!(kind, DataType::FixedSizeList(..));
    data.child_data().iter().map(|part| numbers(part, in_equal_lists)).fold(own, u64::max)
}

fn names(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}
