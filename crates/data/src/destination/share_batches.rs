//! Shares as record batches.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::shares::{INDICATOR, POSITION, SOURCE_ROW};
use super::typed::BatchWriter;
use super::{ShareEncoding, ShareTable};
use crate::Format;

/// Rows a record batch: a reader can take one at a time.
const BATCH: usize = 1 << 16;

/// Bytes of a word.
const WORD: i32 = 16;

/// Writes `shares` in batches: words as little-endian `FixedSizeBinary(16)`, whose fields' metadata say the encoding,
/// the modulus of an additive one, and the decimal places where they are known.
pub(super) fn write(
    out: &mut (impl Write + Send),
    format: Format,
    shares: &ShareTable<'_>,
) -> io::Result<()> {
    let mut writer = BatchWriter::new(format, out, &shares.schema(), u64::MAX)?;
    for batch in shares.batches() {
        writer.write(&batch.map_err(io::Error::other)?)?;
    }
    writer.finish()
}

impl ShareTable<'_> {
    /// The columns of [`ShareTable::batches`].
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::new(schema(self))
    }

    /// What an Arrow file of these shares holds.
    pub fn batches(&self) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> {
        let schema = self.schema();
        (0..self.rows()).step_by(BATCH).map(move |start| {
            let rows = start..self.rows().min(start + BATCH);
            RecordBatch::try_new(Arc::clone(&schema), columns(self, rows))
        })
    }
}

fn schema(shares: &ShareTable<'_>) -> Schema {
    let number = |name, may_lack| Field::new(name, DataType::UInt64, may_lack);
    let word = |name: &str, scale: Option<u32>| {
        let metadata = metadata(shares.encoding, scale);
        Field::new(name, DataType::FixedSizeBinary(WORD), false).with_metadata(metadata)
    };
    let mut fields = vec![number(POSITION, false), word(INDICATOR, None)];
    fields.extend(shares.columns.iter().map(|column| word(&column.name, column.scale)));
    fields.extend(shares.source_row.is_some().then(|| number(SOURCE_ROW, true)));
    Schema::new(fields)
}

fn metadata(encoding: ShareEncoding, scale: Option<u32>) -> HashMap<String, String> {
    let entries = match encoding {
        ShareEncoding::Xor => vec![("encoding", "xor".to_owned())],
        ShareEncoding::Additive => {
            vec![("encoding", "additive".to_owned()), ("modulus", "2^128".to_owned())]
        }
    };
    let scale = scale.map(|scale| ("scale", scale.to_string()));
    entries.into_iter().chain(scale).map(|(name, text)| (name.to_owned(), text)).collect()
}

fn columns(shares: &ShareTable<'_>, rows: Range<usize>) -> Vec<ArrayRef> {
    let numbers = |numbers: &mut dyn Iterator<Item = u64>| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(numbers))
    };
    let mut columns = vec![numbers(&mut rows.clone().map(|row| row as u64))];
    columns.extend((0..shares.width()).map(|column| words(shares, rows.clone(), column)));
    if let Some(source_row) = &shares.source_row {
        columns.push(Arc::new(UInt64Array::from_iter(source_row[rows].iter().copied())));
    }
    columns
}

fn words(shares: &ShareTable<'_>, rows: Range<usize>, column: usize) -> ArrayRef {
    let bytes: Vec<u8> =
        rows.flat_map(|row| shares.words[row * shares.width() + column].to_le_bytes()).collect();
    Arc::new(FixedSizeBinaryArray::new(WORD, bytes.into(), None))
}
