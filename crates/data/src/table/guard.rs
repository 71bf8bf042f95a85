//! Binary files as libraries decode them: a panic means that the file is damaged. What an Arrow file says of its sizes is looked
//! at here before; what Parquet and workbooks say, where they are opened.

use std::io::BufReader;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::messages;
use super::store::Blocks;
use crate::caught::{caught, panicked};
use crate::{DataError, Format};

/// Record batches as they are decoded.
pub(super) type Decoded = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// What is decoded piece by piece, up to the first panic.
pub(super) struct Caught<I>(Option<I>);

impl<I> Caught<I> {
    pub(super) fn new(pieces: I) -> Self {
        Self(Some(pieces))
    }
}

impl<T, I: Iterator<Item = Result<T, ArrowError>>> Iterator for Caught<I> {
    type Item = Result<T, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let pieces = self.0.as_mut()?;
        caught(|| pieces.next()).unwrap_or_else(|| {
            self.0 = None;
            Some(Err(panicked()))
        })
    }
}

/// The record batches of an Arrow file or stream that messages call `name`, none of which may take more than `most` bytes.
pub(super) fn arrow(
    name: &str,
    blocks: &Blocks,
    format: Format,
    most: u64,
) -> Result<(SchemaRef, Decoded), DataError> {
    let file = || name.to_owned();
    let checked = caught(|| messages::check(blocks, format, most));
    match checked {
        None => return Err(DataError::Damaged { file: file() }),
        Some(Err(unfit)) => return Err(unfit.of(file())),
        Some(Ok(())) => {}
    }
    let input = BufReader::new(blocks.reader());
    let opened = caught(|| -> Result<(SchemaRef, Decoded), ArrowError> {
        Ok(if format == Format::Arrow {
            let reader = FileReader::try_new(input, None)?;
            (reader.schema(), Box::new(Caught::new(reader)))
        } else {
            let reader = StreamReader::try_new(input, None)?;
            (reader.schema(), Box::new(Caught::new(reader)))
        })
    });
    opened.and_then(Result::ok).ok_or_else(|| DataError::Damaged { file: file() })
}
