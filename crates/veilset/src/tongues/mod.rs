//! What partners speak who run something else: their protocols on this side's lists; and results as they want them.
//!
//! What a run between two veilsets promises does not hold here: [`openmined::notes`] and [`pair`] say before a step what does not.

pub mod admap;
mod error;
mod message;
pub mod openmined;
pub mod pair;

use std::borrow::Cow;
use std::path::Path;

use veilset_data::DataError;
use veilset_party::Home;
use veilset_rules::Policy;
use zeroize::Zeroizing;

pub use self::error::TongueError;
pub use self::message::read_message;
use crate::{Error, Input};

/// Refuses where this party has a policy: its rules are about peers that it pinned and terms that both sides agree on, and here there
/// are neither.
///
/// # Errors
/// When there is a policy, or it cannot be read.
pub fn check_policy(home: &Home) -> Result<(), Error> {
    match Policy::of_party(home, None)? {
        Some(_) => Err(TongueError::Policy.into()),
        None => Ok(()),
    }
}

/// The folder of a file.
fn folder_of(path: &Path) -> Home {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Home::new(folder.unwrap_or(Path::new(".")))
}

/// The name of a file in its folder, if that is text.
fn name_in_folder(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

/// Tells the text that the only column of a list's only key has for each distinct key, in the order of their first rows.
fn for_each_text(input: &Input, mut tell: impl FnMut(&str)) -> Result<(), DataError> {
    let (spec, keys) = (input.spec(), input.keys());
    let columns = spec.locate(&input.table)?;
    let (mut text, mut next) = (Zeroizing::new(String::new()), 0);
    input.table.for_each_row(&columns, |row, fields| {
        // Keys are numbered in the order of their first rows.
        if keys.key_of(row) == Some(next) {
            text.clear();
            spec.normalise(0, &fields.get(0), &mut text);
            tell(&text);
            next += 1;
        }
    })
}

/// Whether a list's values are those of one column, as a preset makes them.
fn is_of_one_column(input: &Input) -> bool {
    let one = matches!(input.spec().columns(), [only] if only.generator.is_none());
    one && !input.has_several_keys()
}

/// A cell of CSV.
fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains(['"', ',', '\r', '\n']) || cell.is_empty() {
        format!("\"{}\"", cell.replace('"', "\"\"")).into()
    } else {
        cell.into()
    }
}
