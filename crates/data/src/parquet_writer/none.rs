//! The writer of Parquet that a browser has: none, since the encoders would be a tenth of its module.

use std::io::Write;
use std::marker::PhantomData;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesBuilder;

pub(crate) struct ParquetWriter<W>(PhantomData<W>);

impl<W: Write + Send> ParquetWriter<W> {
    pub(crate) fn new(
        _: W,
        _: &SchemaRef,
        _: WriterPropertiesBuilder,
        _: usize,
    ) -> Result<Self, ParquetError> {
        Err(ParquetError::General("a browser writes no Parquet".to_owned()))
    }

    pub(crate) fn write(&mut self, _: &RecordBatch) -> Result<(), ParquetError> {
        unreachable!("there is none")
    }

    pub(crate) fn finish(self) -> Result<W, ParquetError> {
        unreachable!("there is none")
    }
}

pub(crate) fn takes(_: &SchemaRef) -> bool {
    false
}

pub(crate) fn group_for(_: &Schema, least: usize, _: usize) -> usize {
    least
}

pub(crate) fn compression_for(_: &Schema, _: u64) -> Compression {
    Compression::UNCOMPRESSED
}
