//! What partners speak who run something else: their protocols on this side's lists; and results as they want them.
//!
//! What a run between two veilsets promises does not hold here: [`NOT_KEPT`] says what, and [`openmined::notes`] and [`pair`] what leaks.

pub mod admap;
mod error;
mod message;
pub mod openmined;
pub mod pair;
mod standing;

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use veilset_data::DataError;
use veilset_party::Home;
use zeroize::Zeroizing;

pub use self::error::TongueError;
pub use self::message::read_message;
pub use self::standing::{Standing, Step, Tongue};
use crate::Input;

/// What no protocol of others keeps of what a run between two veilsets keeps: this side hears it before each step that sends something.
pub const NOT_KEPT: &str = "Not as between two veilsets: no terms are agreed on, so columns and presets that differ are no error, and nothing \
                            matches; nobody proves who it is, nothing binds a message to whoever sent it or to the one before it, and nobody \
                            signs a receipt; both must follow the protocol. Exchange messages over a way that shows who sent them.";

/// The folder of a file.
fn folder_of(path: &Path) -> Home {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Home::new(folder.unwrap_or(Path::new(".")))
}

/// The name of a file in its folder, if that is text.
fn name_in_folder(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

/// A short text from a file with a key, in memory that is wiped.
fn short_text(from: impl Read, longest: usize) -> io::Result<Zeroizing<String>> {
    // With room for all, so that none is left where there was too little.
    let mut text = Zeroizing::new(String::with_capacity(2 * longest));
    from.take(longest as u64).read_to_string(&mut text)?;
    Ok(text)
}

/// Whether two paths are of one file, or will be.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let whole = || path.to_owned();
        let folder = folder_of(path).path().canonicalize();
        folder.ok().zip(path.file_name()).map_or_else(whole, |(folder, name)| folder.join(name))
    };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| place(path));
    real(one) == real(other)
}

/// Refuses an output that would take the place of another file of the same step: a list, a message or a key. `-` is none.
///
/// # Errors
/// With the output.
pub fn check_apart(output: Option<&str>, others: &[&Path]) -> Result<(), TongueError> {
    let Some(output) = output.filter(|output| *output != "-") else { return Ok(()) };
    match others.iter().any(|other| is_same(Path::new(output), other)) {
        true => Err(TongueError::Same { path: output.into() }),
        false => Ok(()),
    }
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
