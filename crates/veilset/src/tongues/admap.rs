//! ADMAP, IAB Tech Lab's Attribution Data Matching Protocol: the result of an alignment as its mapping has it.
//!
//! Source: `ADMAP.md` of `InteractiveAdvertisingBureau/ADMAP` (2026-02-26), "Mapping Protocol Outputs". Each side gets a row for each
//! of its key values: the key value as the run compared it, an ADMAP ID, which both sides have alike where they match, and the Space ID
//! of both. ADMAP IDs of an alignment look random, whether a key matches or not.

use veilset_data::{DataError, Destination, Table};

use super::{for_each_text, is_of_one_column, quoted};
use crate::{Done, Input};

/// The columns of a mapping. ADMAP has the key value in the first and its id in the second.
pub const COLUMNS: [&str; 3] = ["Key Value", "ADMAP ID", "Space ID"];

/// Why a list has no ADMAP IDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "ADMAP has one key value in a row: give --key one column without a generator, such as COL:email-ascii-sha256 or COL:phone-sha256"
)]
pub struct SeveralColumns;

/// Whether a list's key is one that ADMAP has.
///
/// # Errors
/// When it is of several columns.
pub fn check(input: &Input) -> Result<(), SeveralColumns> {
    if is_of_one_column(input) { Ok(()) } else { Err(SeveralColumns) }
}

/// What ADMAP's mapping tells one side.
pub struct Mapping {
    /// The Space ID.
    pub space: String,
    /// Each of the side's key values, in the order of their first rows.
    pub rows: Vec<Mapped>,
}

/// A key value of a mapping.
pub struct Mapped {
    /// The key value, as the run compared it.
    pub key_value: String,
    /// Its ADMAP ID.
    pub id: String,
}

impl Mapping {
    /// Of an alignment of `input`, whose key is of one column; `None` where there is none to know. `space` is the Space ID, by default the
    /// run's id, which both sides have.
    ///
    /// # Errors
    /// When the list cannot be read again.
    pub fn of(done: &Done, input: &Input, space: Option<&str>) -> Result<Option<Self>, DataError> {
        let Some(ids) = done.identifiers_of_keys() else { return Ok(None) };
        let space = space.unwrap_or(&done.report.run).to_owned();
        let mut rows = Vec::with_capacity(ids.len());
        let mut ids = ids.into_iter();
        for_each_text(input, |value| {
            let id = ids.next().unwrap_or_default();
            rows.push(Mapped { key_value: value.to_owned(), id });
        })?;
        Ok(Some(Self { space, rows }))
    }

    /// Writes it, in the format that the destination's name says.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write(&self, input: &Input, destination: &Destination) -> Result<(), DataError> {
        let space = quoted(&self.space);
        let mut text = format!("{}\n", COLUMNS.join(","));
        for Mapped { key_value, id } in &self.rows {
            text.extend([&quoted(key_value), ",", id, ",", &space, "\n"]);
        }
        let table = Table::parse(input.name().to_owned(), text.into_bytes(), b',')?;
        destination.write_rows(&table, 0..table.rows())
    }
}

/// Writes the mapping of an alignment; nothing where there is none to know.
///
/// # Errors
/// As [`Mapping::of`] and [`Mapping::write`].
pub fn write(
    done: &Done,
    input: &Input,
    space: Option<&str>,
    destination: &Destination,
) -> Result<(), DataError> {
    match Mapping::of(done, input, space)? {
        Some(mapping) => mapping.write(input, destination),
        None => Ok(()),
    }
}
