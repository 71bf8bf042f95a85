//! ADMAP, IAB Tech Lab's Attribution Data Matching Protocol: the result of an alignment as its mapping has it.
//!
//! Source: `ADMAP.md` of `InteractiveAdvertisingBureau/ADMAP` (2026-02-26), "Mapping Protocol Outputs". Each side gets a row for each
//! of its key values: the Space ID of both, the key value as the run compared it, and an ADMAP ID, which both sides have alike
//! where they match. Those of an alignment look random, whether a key matches or not.

use veilset_data::{DataError, Destination, Table};

use super::{for_each_text, is_of_one_column, quoted};
use crate::{Done, Input};

const HEADER: &str = "Space ID,Key Value,ADMAP ID\n";

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

/// Writes the mapping of an alignment of `input`, whose key is of one column; nothing where there is none to know. `space` is the
/// Space ID, by default the run's id, which both sides have.
///
/// # Errors
/// When writing fails; a file is then as it was before.
pub fn write(
    done: &Done,
    input: &Input,
    space: Option<&str>,
    destination: &Destination,
) -> Result<(), DataError> {
    let Some(ids) = done.identifiers_of_keys() else { return Ok(()) };
    let space = quoted(space.unwrap_or(&done.report.run));
    let mut text = HEADER.to_owned();
    let mut ids = ids.into_iter();
    for_each_text(input, |value| {
        let id = ids.next().unwrap_or_default();
        text.extend([&space, ",", &quoted(value), ",", &id, "\n"]);
    })?;
    let table = Table::parse(input.name().to_owned(), text.into_bytes(), b',')?;
    destination.write_rows(&table, 0..table.rows())
}
