//! Files and standard input as tables.

use std::path::Path;

use super::batches::same_columns;
use super::body::Body;
use super::store::Store;
use crate::{DataError, Format, Scratch, Source, Table};

impl Table {
    /// Reads all of `source`: CSV, NDJSON, Parquet or Arrow, told apart by what the bytes are and, where they are text,
    /// by the file's name. Several files have the same columns and follow one another in the order of their names.
    ///
    /// Delimited text is read as [`Table::parse`] does. NDJSON has a JSON object on every line that is not blank; its
    /// columns are the members' names, and what an object lacks is empty.
    ///
    /// # Errors
    /// When a file cannot be read or is no table; the error names the line. When files have different columns.
    pub fn read(source: &Source, delimiter: u8) -> Result<Self, DataError> {
        Self::read_within(source, delimiter, &Scratch::new(None, None))
    }

    /// As [`Table::read`]; the text of CSV and NDJSON and the bytes of Parquet that are too much for memory lie in a temporary
    /// file.
    ///
    /// # Errors
    /// As [`Table::read`], and when the temporary file cannot be written.
    pub fn read_within(
        source: &Source,
        delimiter: u8,
        scratch: &Scratch,
    ) -> Result<Self, DataError> {
        let mut depot = scratch.depot(source)?;
        let files = source.files()?.into_iter();
        let files = files.map(|file| Ok((file.name(), file.store(&mut depot)?)));
        Self::of_files(source.name(), files, delimiter)
    }

    /// Files whose bytes are in memory, each under its name, as one table that messages call `name`; see [`Table::read`].
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn of_bytes(
        name: String,
        files: Vec<(String, Vec<u8>)>,
        delimiter: u8,
    ) -> Result<Self, DataError> {
        let files = files.into_iter().map(|(name, bytes)| Ok((name, Store::Memory(bytes))));
        Self::of_files(name, files, delimiter)
    }

    fn of_files(
        name: String,
        files: impl Iterator<Item = Result<(String, Store), DataError>>,
        delimiter: u8,
    ) -> Result<Self, DataError> {
        let mut bodies = Vec::new();
        for file in files {
            let (name, bytes) = file?;
            let named = Format::of_name(Path::new(&name));
            let body = read(&name, bytes, named, delimiter)?;
            bodies.push((name, body));
        }
        let header = common_header(&bodies)?;
        Self::of(name, header, bodies)
    }
}

fn read(name: &str, store: Store, named: Option<Format>, delimiter: u8) -> Result<Body, DataError> {
    let format = Format::of_content(&store.beginning()?, named);
    match named {
        Some(named) if named.is_typed() && !format.is_typed() => {
            Err(DataError::OtherFormat { file: name.to_owned(), named: named.name() })
        }
        _ => Body::read(name, store, format, delimiter),
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
