//! Choices as flags and keyword arguments give them.

use std::ffi::OsStr;
use std::path::Path;

use veilset_protocols::{CHOICES, ChoiceError, Choices};
use veilset_session::fresh_rng;

use crate::{Error, prime};

/// What the choice called `name` is where it is given as this text: the name of a value, or the path of a file that has it.
///
/// # Errors
/// When there is no such choice or value, or the file has none.
pub fn choose(name: &str, text: &OsStr) -> Result<Choices, Error> {
    let in_file = CHOICES.iter().any(|choice| choice.name == name && choice.values.is_none());
    let (path, text) = (Path::new(text), text.to_string_lossy());
    let text = if in_file { prime::text(path)?.into() } else { text };
    Choices::read(name, &text, &mut fresh_rng()?).map_err(|error| match error {
        ChoiceError::Name(unknown) => Error::Choice(unknown),
        ChoiceError::Prime(why) => Error::Prime { path: path.to_owned(), why },
    })
}
