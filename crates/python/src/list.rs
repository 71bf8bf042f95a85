//! Where a list comes from: a file, or a stream of Arrow record batches.

use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_pyarrow::FromPyArrow;
use pyo3::prelude::*;
use veilset::data::{DataError, Scratch, Source, Table};
use veilset::sources::is_object;
use veilset::units;

use crate::error::Failure;

/// What messages call a list that has no file.
const FRAME: &str = "the table";

/// A list that is not read yet.
pub(crate) enum List {
    /// A file.
    File(PathBuf),
    /// Record batches, whose buffers stay where they are.
    Stream(Box<RecordBatchStreamReader>),
}

impl FromPyObject<'_, '_> for List {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.extract() {
            Ok(path) => Ok(Self::File(path)),
            Err(_) => {
                let stream = RecordBatchStreamReader::from_pyarrow_bound(&object)?;
                Ok(Self::Stream(Box::new(stream)))
            }
        }
    }
}

impl List {
    /// The list as a table; what takes too much memory goes to `scratch`, and of a file that is said before.
    pub(crate) fn table(
        self,
        delimiter: Option<u8>,
        scratch: &Scratch,
        say: impl Fn(String),
    ) -> Result<Table, Failure> {
        match self {
            Self::File(path) => match path.to_str().filter(|text| is_object(text)) {
                Some(address) => Ok(veilset::table(address, None, delimiter, scratch)?),
                None => {
                    let source = Source::File(path);
                    if let Some(need) = scratch.need(&source)? {
                        let what = units::show_need(&need);
                        say(format!("{}: {what}", source.name()));
                    }
                    Ok(Table::read_within(&source, delimiter, scratch)?)
                }
            },
            Self::Stream(stream) => {
                let schema = stream.schema();
                let table = Table::from_stream(FRAME.to_owned(), schema, stream, scratch);
                table.map_err(|error| match error {
                    DataError::Damaged { .. } => Failure::Argument(UNREADABLE.to_owned()),
                    error => error.into(),
                })
            }
        }
    }

    /// What an output must not overwrite.
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::File(path) => Source::File(path.clone()),
            Self::Stream(_) => Source::Stdin,
        }
    }
}

/// What the producer says of a failure may hold data.
const UNREADABLE: &str =
    "the table's stream of Arrow batches broke off: convert it to a table first";
