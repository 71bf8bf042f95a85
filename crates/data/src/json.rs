//! The little of JSON that lists need: the members of an object, each as it stands.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// What is wrong with a line.
type Bad = &'static str;

/// Calls `visit` with the name of each member of the object `line` and its value as it is written. The error has the
/// byte of the line, from 1.
pub(crate) fn members<'a>(
    line: &'a str,
    visit: impl FnMut(Cow<'a, str>, &'a str) -> Result<(), Bad>,
) -> Result<(), (usize, Bad)> {
    let mut bad = None;
    let mut reader = serde_json::Deserializer::from_str(line);
    let read = reader.deserialize_map(Members { visit, bad: &mut bad });
    // What serde_json says of a value may show it.
    read.and_then(|()| reader.end()).map_err(|error| {
        let what = bad.unwrap_or(match error.classify() {
            Category::Data => "a JSON object is needed on every line",
            Category::Eof => "the line ends inside a JSON object",
            Category::Syntax | Category::Io => "this is not JSON",
        });
        (error.column(), what)
    })
}

/// The text of `value`, the JSON of a member: of a string what it stands for, of anything else what is written; none
/// of `null`.
pub(crate) fn text(value: &str) -> Result<Option<Cow<'_, str>>, Bad> {
    if value == "null" {
        return Ok(None);
    }
    let Some(inner) = value.strip_prefix('"') else { return Ok(Some(Cow::Borrowed(value))) };
    match inner.strip_suffix('"') {
        Some(plain) if !plain.contains('\\') => Ok(Some(Cow::Borrowed(plain))),
        _ => serde_json::from_str(value)
            .map(|text: String| Some(Cow::Owned(text)))
            .map_err(|_| "an escape in a string stands for no character"),
    }
}

/// Writes a member of an object, after a comma where it is not the first: `text` as it is where it is `plain` JSON, else
/// as a string.
pub(crate) fn write_member(
    out: &mut impl Write,
    comma: bool,
    name: &str,
    text: Option<&str>,
    plain: bool,
) -> io::Result<()> {
    if comma {
        out.write_all(b",")?;
    }
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b":")?;
    match text {
        None => out.write_all(b"null"),
        Some(text) if plain => out.write_all(text.as_bytes()),
        Some(text) => Ok(serde_json::to_writer(out, text)?),
    }
}

struct Members<'a, F> {
    visit: F,
    bad: &'a mut Option<Bad>,
}

impl<'de, F: FnMut(Cow<'de, str>, &'de str) -> Result<(), Bad>> Visitor<'de> for Members<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            let value: &RawValue = map.next_value()?;
            (self.visit)(name, value.get()).map_err(|what| {
                *self.bad = Some(what);
                A::Error::custom(what)
            })?;
        }
        Ok(())
    }
}

#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
