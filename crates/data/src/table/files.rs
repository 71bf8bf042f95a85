//! Files and standard input as tables.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

use super::batches::same_columns;
use super::body::Body;
use super::claims::fits;

use super::readings::Settled;
use super::segment::Segment;
use super::store::Store;
use super::text::not_lines;
use super::unpack::{inner_name, unpack};
use crate::spill::{Depot, Landing};
use crate::{DataError, Format, Scratch, Source, Table};

/// The number of a row's key.
const BYTES_OF_ROW: u64 = 4;

impl Table {
    /// Reads all of `source`: CSV, NDJSON, Parquet or Arrow, told apart by what the bytes are and, where they are text,
    /// by the file's name. Several files have the same columns and follow one another in the order of their names.
    ///
    /// Delimited text is read as [`Table::parse`] does; without `delimiter`, a tab is between the fields of a file whose name ends
    /// in `.tsv`, and a comma between those of any other. NDJSON has a JSON object on every line that is not blank; its columns
    /// are the members' names, and what an object lacks is empty. Any of these may be compressed with gzip or Zstandard. A
    /// workbook (`.xlsx`) is read as the CSV of its one sheet with rows, or of the one that stands behind its name and `#`.
    ///
    /// # Errors
    /// When a file cannot be read or is no table; the error names the line. When files have different columns.
    pub fn read(source: &Source, delimiter: Option<u8>) -> Result<Self, DataError> {
        Self::read_within(source, delimiter, &Scratch::default())
    }

    /// As [`Table::read`]; what is too much for memory lies in a temporary file.
    ///
    /// # Errors
    /// As [`Table::read`], and when the temporary file cannot be written.
    pub fn read_within(
        source: &Source,
        delimiter: Option<u8>,
        scratch: &Scratch,
    ) -> Result<Self, DataError> {
        let mut depot = scratch.depot(source)?;
        let mut bodies = Vec::new();
        for file in source.files()? {
            let store = file.store(&mut depot)?;
            bodies.push(read(file.name(), store, delimiter, &mut depot)?);
        }
        Self::of_bodies(source.name(), bodies, depot.piece())
    }

    /// Record batches that messages call `name`, as they come; what is too much for memory lies in a temporary file.
    ///
    /// # Errors
    /// When the batches break off, one has other columns than `schema`, there are too many rows, or the temporary file cannot be
    /// written.
    pub fn from_stream(
        name: String,
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        scratch: &Scratch,
    ) -> Result<Self, DataError> {
        let mut depot = scratch.empty_depot();
        let body = Body::of_batches(&name, schema, batches, &mut depot)?;
        Self::of_bodies(name.clone(), vec![(name, body)], depot.piece())
    }

    /// A table of these files. Its list of keys by row may take `most` bytes of memory, and so may whatever reads or writes rows.
    fn of_bodies(name: String, bodies: Vec<(String, Body)>, most: u64) -> Result<Self, DataError> {
        let header = common_header(&bodies)?;
        let mut table = Self::of(name, header, bodies)?;
        // Rows of text are there; of nulls, any number takes no byte.
        if table.segments.iter().any(|segment| segment.body.schema().is_some()) {
            let listed = table.rows() as u64 * BYTES_OF_ROW;
            fits(listed, most).map_err(|unfit| unfit.of(table.name.clone()))?;
        }
        table.choose_types()?;
        Ok(Self { most, ..table })
    }

    /// Columns that can be read as two types get the one that has all values of all files.
    fn choose_types(&mut self) -> Result<(), DataError> {
        let Some(segments) = Arc::get_mut(&mut self.segments) else { return Ok(()) };
        let readings = |segment: &Segment| match &segment.body {
            Body::Parquet(file) => file.readings().map_err(|_| segment.damaged()),
            _ => Ok(None),
        };
        let readings = segments.iter().map(readings).collect::<Result<Vec<_>, _>>()?;
        let settled = Settled::of(&readings);
        if !settled.others.is_empty() {
            for (segment, readings) in segments.iter_mut().zip(readings) {
                if let (Body::Parquet(file), Some(readings)) = (&segment.body, readings) {
                    let typed = file.typed(readings.with(&settled.others));
                    segment.body = Body::Parquet(typed.map_err(|_| segment.damaged())?);
                }
            }
        }
        self.lost = settled.lost.into();
        Ok(())
    }
}

/// Files that arrive piece by piece: the one that [`Arrivals::begin`] names last is written to.
pub struct Arrivals<'a> {
    depot: Depot<'a>,
    stores: Vec<(String, Store)>,
    name: Option<String>,
    now: Landing,
}

impl<'a> Arrivals<'a> {
    /// What is too much for memory goes to `scratch`.
    #[must_use]
    pub fn new(scratch: &'a Scratch) -> Self {
        let depot = scratch.empty_depot();
        Self { depot, stores: Vec::new(), name: None, now: Landing::new() }
    }

    /// The next file has this name.
    pub fn begin(&mut self, name: String) {
        self.end();
        self.name = Some(name);
    }

    /// Ends the file that arrives now, if one does.
    fn end(&mut self) {
        let store = self.store();
        self.stores.extend(self.name.take().map(|name| (name, store)));
    }

    fn store(&mut self) -> Store {
        std::mem::replace(&mut self.now, Landing::new()).end(&mut self.depot)
    }

    /// All of them as one table that messages call `name`; see [`Table::read`].
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn table(mut self, name: String, delimiter: Option<u8>) -> Result<Table, DataError> {
        self.end();
        let Self { mut depot, stores, .. } = self;
        let bodies = stores.into_iter();
        let bodies = bodies.map(|(name, store)| read(name, store, delimiter, &mut depot));
        let bodies = bodies.collect::<Result<_, _>>()?;
        Table::of_bodies(name, bodies, depot.piece())
    }

    /// What was written, a single file of delimited text, as a table that messages call `name`.
    ///
    /// # Errors
    /// As [`Table::parse`].
    pub fn delimited(mut self, name: String, delimiter: u8) -> Result<Table, DataError> {
        let store = self.store();
        let body = Body::read(&name, store, Format::Csv, delimiter, &mut self.depot)?;
        Table::of_bodies(name.clone(), vec![(name, body)], self.depot.piece())
    }
}

/// Its errors are [`DataError`]s.
impl Write for Arrivals<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.now.add(bytes, &mut self.depot)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file's rows, with its name.
fn read(
    name: String,
    store: Store,
    delimiter: Option<u8>,
    depot: &mut Depot<'_>,
) -> Result<(String, Body), DataError> {
    let (store, was_workbook) = unpack(&name, store, depot)?;
    let inner = Path::new(inner_name(&name));
    if was_workbook {
        let body = Body::read(&name, store, Format::Csv, b',', depot)?;
        return Ok((name, body));
    }
    let named = Format::of_name(inner);
    let beginning = store.beginning()?;
    let format = Format::of_content(&beginning, named);
    if let Some(what) = not_lines(&beginning, named) {
        return Err(DataError::NotLines { file: name, what });
    }
    let delimiter = match delimiter {
        Some(delimiter) => delimiter,
        None if inner.extension().is_some_and(|end| end.eq_ignore_ascii_case("tsv")) => b'\t',
        None => b',',
    };
    match named {
        Some(named) if named.is_typed() && !format.is_typed() => {
            Err(DataError::OtherFormat { file: name, named: named.name() })
        }
        _ => {
            let body = Body::read(&name, store, format, delimiter, depot)?;
            Ok((name, body))
        }
    }
}

/// The columns of all files: the same, but for NDJSON, whose files have all that any has.
fn common_header(bodies: &[(String, Body)]) -> Result<Vec<String>, DataError> {
    let Some(((first_name, first), others)) = bodies.split_first() else { return Ok(Vec::new()) };
    let mut header = first.header();
    for (name, body) in others {
        if let (Body::Objects(_), Body::Objects(_)) = (first, body) {
            let new = body.header().into_iter().filter(|name| !header.contains(name));
            header.extend(new.collect::<Vec<_>>());
        } else if let Some(what) = difference(first, body) {
            let (file, other) = (name.clone(), first_name.clone());
            return Err(DataError::FilesDiffer { file, other, what });
        }
    }
    Ok(header)
}

/// What a file's columns are, where they are not those of the first file.
fn difference(first: &Body, body: &Body) -> Option<String> {
    if let (Some(one), Some(other)) = (first.schema(), body.schema()) {
        if same_columns(one, other) {
            return None;
        }
    } else if first.schema().is_some() || body.schema().is_some() {
        return Some("values of types in one and text in the other".to_owned());
    } else if matches!(first, Body::Objects(_)) || matches!(body, Body::Objects(_)) {
        return Some("CSV in one and NDJSON in the other".to_owned());
    }
    let (one, other) = (first.header(), body.header());
    if one.len() != other.len() {
        return Some(format!("{} columns instead of {}", other.len(), one.len()));
    }
    if let Some(place) = (0..one.len()).find(|place| one[*place] != other[*place]) {
        let (one, other) = (&one[place], &other[place]);
        return Some(format!("column {} is {other:?} instead of {one:?}", place + 1));
    }
    let (one, other) = (first.schema()?, body.schema()?);
    let kind = |place: usize| (other.field(place).data_type(), one.field(place).data_type());
    let place = (0..one.fields().len()).find(|place| kind(*place).0 != kind(*place).1)?;
    let ((other, one), name) = (kind(place), one.field(place).name());
    Some(format!("column {name:?} has the type {other} instead of {one}"))
}
